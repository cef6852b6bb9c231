import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * A member that joins stalls for seven seconds while it installs its first list, as in a long collection of garbage.
 * Nothing else happens to it. Does it stay a member?
 *
 * java -cp hazelcast-5.7.0.jar SlowFirstList.java
 */
class SlowFirstList {
    private static final int FIRST = 5701;
    private static final int SECOND = 5702;
    private static final Logger LISTS = Logger.getLogger("com.hazelcast.internal.cluster.impl.MembershipManager");

    public static void main(String[] args) throws InterruptedException {
        HazelcastInstance first = start(FIRST);
        LISTS.setLevel(Level.FINE);
        LISTS.addHandler(new Stall());
        HazelcastInstance second = start(SECOND);
        long began = System.nanoTime();
        for (int look = 0; look < 6; look++) {
            System.out.printf("%2d s after its start: %d and %d members%n", (System.nanoTime() - began) / 1_000_000_000L,
                    first.getCluster().getMembers().size(), second.getCluster().getMembers().size());
            Thread.sleep(2_000);
        }
        Hazelcast.shutdownAll();
    }

    private static HazelcastInstance start(int port) {
        Config config = new Config();
        config.setProperty("hazelcast.member.list.publish.interval.seconds", "2"); // by default a minute
        config.getNetworkConfig().setPort(port).setPortAutoIncrement(false);
        config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
        config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
        config.getNetworkConfig().getJoin().getMulticastConfig().setEnabled(false);
        config.getNetworkConfig().getJoin().getTcpIpConfig().setEnabled(true)
                .addMember("127.0.0.1:" + FIRST).addMember("127.0.0.1:" + SECOND);
        return Hazelcast.newHazelcastInstance(config);
    }

    /** In the thread that installs the list, where it says so. */
    private static final class Stall extends Handler {
        private boolean over;

        @Override
        public void publish(LogRecord line) {
            String text = line.getMessage();
            if (!over && text.startsWith("[127.0.0.1]:" + SECOND) && text.contains("Setting members ")) {
                over = true;
                try {
                    Thread.sleep(7_000);
                } catch (InterruptedException ended) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        @Override
        public void flush() {
        }

        @Override
        public void close() {
        }
    }
}
