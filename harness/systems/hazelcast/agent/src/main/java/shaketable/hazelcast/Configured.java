package shaketable.hazelcast;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.NetworkConfig;
import com.hazelcast.config.SplitBrainProtectionConfig;
import com.hazelcast.internal.json.JsonObject;
import com.hazelcast.internal.json.JsonValue;
import com.hazelcast.splitbrainprotection.SplitBrainProtectionOn;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;

/** Hazelcast's configuration, from the order to run. */
final class Configured {
    private static final int CONNECTION_TIMEOUT_SECONDS = 1;

    private Configured() {
    }

    static Config by(JsonObject order) {
        listen(order.get("log").asObject());
        Config config = new Config();
        config.setClusterName(order.getString("cluster", "dev"));
        config.setLiteMember(order.getBoolean("lite", false));
        config.setProperty("hazelcast.phone.home.enabled", "false");
        config.setProperty("hazelcast.shutdownhook.enabled", "false");
        // Else it takes the port on all addresses of this machine, those of the links too.
        config.setProperty("hazelcast.socket.bind.any", "false");
        config.setProperty("hazelcast.partitioning.strategy.class", Places.class.getName());
        order.get("properties").asObject().forEach(each -> config.setProperty(each.getName(), textOf(each.getValue())));
        order.get("maps").asObject().forEach(each -> addMap(config, each.getName(), each.getValue().asObject()));
        NetworkConfig network = config.getNetworkConfig();
        network.setPublicAddress(order.getString("address", ""));
        network.setPort(order.getInt("port", 0)).setPortAutoIncrement(false);
        // The addresses to join are dropped if no interface fits them: each link listens at one of its own.
        network.getInterfaces().setEnabled(true).addInterface("127.*.*.*");
        JoinConfig join = network.getJoin();
        join.getAutoDetectionConfig().setEnabled(false);
        join.getMulticastConfig().setEnabled(false);
        join.getTcpIpConfig().setEnabled(true).setConnectionTimeoutSeconds(CONNECTION_TIMEOUT_SECONDS);
        order.get("join").asArray().forEach(each -> join.getTcpIpConfig().addMember(each.asString()));
        return config;
    }

    private static void listen(JsonObject log) {
        Map<String, Level> levels = new HashMap<>();
        log.get("levels").asObject().forEach(each -> levels.put(each.getName(), Level.parse(each.getValue().asString())));
        List<String> unheard = new ArrayList<>();
        log.get("unheard").asArray().forEach(each -> unheard.add(each.asString()));
        Log.listen(levels, unheard);
    }

    private static void addMap(Config config, String name, JsonObject about) {
        MapConfig map = new MapConfig(name).setBackupCount(about.getInt("backups", 1));
        String policy = about.getString("merge", "");
        if (!policy.isEmpty()) {
            map.getMergePolicyConfig().setPolicy(policy);
            map.setPerEntryStatsEnabled(true); // some policies go by an entry's times or hits
        }
        int least = about.getInt("least", 0);
        if (least > 0) {
            SplitBrainProtectionConfig protection = new SplitBrainProtectionConfig(name, true, least);
            protection.setProtectOn(SplitBrainProtectionOn.valueOf(about.getString("protects", "READ_WRITE")));
            config.addSplitBrainProtectionConfig(protection);
            map.setSplitBrainProtectionName(name);
        }
        config.addMapConfig(map);
    }

    private static String textOf(JsonValue value) {
        return value.isString() ? value.asString() : value.toString();
    }
}
