import com.hazelcast.config.Config;
import com.hazelcast.config.TcpIpConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One of two members writes to the map of both. After ten seconds a third address, for which the first looks at times,
 * begins to accept connections, and never answers. From then on an output thread of Hazelcast's networking never rests,
 * and whatever waits for its selector waits for good: no write comes through, and the two members lose each other.
 *
 * java -cp hazelcast-5.7.0.jar HalfOpenConnection.java
 */
class HalfOpenConnection {
    private static final AtomicLong WRITTEN = new AtomicLong();
    private static ServerSocket silent;

    public static void main(String[] none) throws Exception {
        HazelcastInstance first = Hazelcast.newHazelcastInstance(config(5701));
        HazelcastInstance second = Hazelcast.newHazelcastInstance(config(5702));
        for (int writer = 0; writer < 4; writer++) {
            writeFrom(first, writer);
        }
        for (int at = 5; at <= 40; at += 5) {
            if (at == 15) {
                silent = new ServerSocket(5799, 50, InetAddress.getByName("127.0.0.1"));
                System.out.println("from now on the third address accepts connections, and never answers");
            }
            long written = WRITTEN.get();
            long cpu = busiest();
            Thread.sleep(5_000);
            System.out.printf("second %d: %d and %d members, %d writes, the busiest output thread took %d %% of a core%n",
                    at, first.getCluster().getMembers().size(), second.getCluster().getMembers().size(),
                    WRITTEN.get() - written, (busiest() - cpu) / 50_000_000);
        }
        Runtime.getRuntime().halt(0);
    }

    private static void writeFrom(HazelcastInstance member, int writer) {
        IMap<Long, Long> map = member.getMap("map");
        Thread thread = new Thread(() -> {
            for (long key = 0; ; key++) {
                try {
                    map.set(key % 1_000, key);
                    WRITTEN.incrementAndGet();
                    Thread.sleep(2);
                } catch (Exception failed) {
                    System.out.println("a write failed: " + failed.getClass().getSimpleName());
                }
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private static Config config(int port) {
        Config config = new Config();
        config.setProperty("hazelcast.phone.home.enabled", "false");
        config.setProperty("hazelcast.logging.type", "none");
        config.setProperty("hazelcast.io.output.thread.count", "1");
        config.setProperty("hazelcast.heartbeat.interval.seconds", "1");
        config.setProperty("hazelcast.max.no.heartbeat.seconds", "5");
        config.setProperty("hazelcast.merge.first.run.delay.seconds", "15");
        config.setProperty("hazelcast.merge.next.run.delay.seconds", "5");
        config.getNetworkConfig().setPort(port).setPortAutoIncrement(false);
        config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
        TcpIpConfig join = config.getNetworkConfig().getJoin().getTcpIpConfig().setEnabled(true);
        join.setConnectionTimeoutSeconds(1);
        join.addMember("127.0.0.1:5701").addMember("127.0.0.1:5702").addMember("127.0.0.1:5799");
        return config;
    }

    private static long busiest() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long most = 0;
        for (long id : threads.getAllThreadIds()) {
            var info = threads.getThreadInfo(id);
            if (info != null && info.getThreadName().contains("IO.thread-out")) {
                most = Math.max(most, threads.getThreadCpuTime(id));
            }
        }
        return most;
    }
}
