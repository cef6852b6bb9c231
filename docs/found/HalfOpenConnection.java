import com.hazelcast.config.Config;
import com.hazelcast.config.TcpIpConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Map;
import java.util.TreeMap;

/**
 * A peer that accepts a connection and never answers. One output thread of Hazelcast's networking then never rests, and
 * every other connection that it serves waits.
 *
 * java -cp hazelcast-5.7.0.jar HalfOpenConnection.java
 */
class HalfOpenConnection {
    public static void main(String[] none) throws Exception {
        HazelcastInstance first = Hazelcast.newHazelcastInstance(config(5701));
        HazelcastInstance second = Hazelcast.newHazelcastInstance(config(5702));
        ServerSocket silent = new ServerSocket(5799, 50, InetAddress.getByName("127.0.0.1"));
        System.out.printf("%d members, each looks at times for a third%n", first.getCluster().getMembers().size());
        for (int round = 1; round <= 5; round++) {
            Map<String, Long> before = busy();
            Thread.sleep(5_000);
            Map<String, Long> after = busy();
            after.forEach((thread, nanos) -> {
                long percent = (nanos - before.getOrDefault(thread, 0L)) / 50_000_000;
                if (percent > 5) {
                    System.out.printf("%s: %d %% of a core%n", thread, percent);
                }
            });
            System.out.printf("round %d: %d and %d members%n", round, first.getCluster().getMembers().size(),
                    second.getCluster().getMembers().size());
        }
        Hazelcast.shutdownAll();
        silent.close();
        System.exit(0);
    }

    private static Config config(int port) {
        Config config = new Config();
        config.setProperty("hazelcast.phone.home.enabled", "false");
        config.setProperty("hazelcast.logging.type", "none");
        config.setProperty("hazelcast.io.output.thread.count", "1");
        config.setProperty("hazelcast.heartbeat.interval.seconds", "1");
        config.setProperty("hazelcast.max.no.heartbeat.seconds", "5");
        config.setProperty("hazelcast.merge.first.run.delay.seconds", "5");
        config.setProperty("hazelcast.merge.next.run.delay.seconds", "5");
        config.getNetworkConfig().setPort(port).setPortAutoIncrement(false);
        config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
        TcpIpConfig join = config.getNetworkConfig().getJoin().getTcpIpConfig().setEnabled(true);
        join.setConnectionTimeoutSeconds(1);
        join.addMember("127.0.0.1:5701").addMember("127.0.0.1:5702").addMember("127.0.0.1:5799");
        return config;
    }

    private static Map<String, Long> busy() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Map<String, Long> found = new TreeMap<>();
        for (long id : threads.getAllThreadIds()) {
            var info = threads.getThreadInfo(id);
            if (info != null && info.getThreadName().contains("IO.thread")) {
                found.put(info.getThreadName(), threads.getThreadCpuTime(id));
            }
        }
        return found;
    }
}
