package shaketable.hazelcast;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;

/**
 * Two members meet, share data and part. Nobody looks at them: the classes that this loads are kept for all later
 * members, which need less than half the processor to start.
 */
public final class Rehearsal {
    private Rehearsal() {
    }

    public static void main(String[] arguments) {
        Line.open();
        HazelcastInstance first = member("");
        HazelcastInstance second = member("127.0.0.1:" + first.getCluster().getLocalMember().getAddress().getPort());
        for (int each = 0; each < 100; each++) {
            second.getMap("rehearsal").put(each, each);
        }
        second.shutdown();
        first.shutdown();
        System.exit(0);
    }

    private static HazelcastInstance member(String other) {
        Config config = new Config().setClusterName("rehearsal");
        config.setProperty("hazelcast.phone.home.enabled", "false");
        config.setProperty("hazelcast.socket.bind.any", "false");
        config.getNetworkConfig().setPort(0).getInterfaces().setEnabled(true).addInterface("127.0.0.1");
        JoinConfig join = config.getNetworkConfig().getJoin();
        join.getAutoDetectionConfig().setEnabled(false);
        join.getMulticastConfig().setEnabled(false);
        join.getTcpIpConfig().setEnabled(true);
        if (!other.isEmpty()) {
            join.getTcpIpConfig().addMember(other);
        }
        return Hazelcast.newHazelcastInstance(config);
    }
}
