package shaketable.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.Node;
import com.hazelcast.internal.json.Json;
import com.hazelcast.internal.json.JsonArray;
import com.hazelcast.internal.partition.InternalPartition;
import com.hazelcast.internal.partition.InternalPartitionService;
import com.hazelcast.internal.partition.PartitionReplica;
import com.hazelcast.internal.partition.impl.InternalPartitionServiceImpl;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The partition table, and whether this member is safe. Nothing calls when the table changes: it is looked at in each
 * step of a migration, at each line that the partition service logs, and from time to time.
 */
final class Partitions {
    private static final long TABLE_MILLIS = 5;
    private static final long SAFETY_MILLIS = 200;

    private final Line line;
    private final Node node;
    private final CompletableFuture<HazelcastInstance> instance;
    private final Map<Integer, String> rows = new HashMap<>();
    private volatile long stamp;
    private boolean led;
    private String safety = "";

    Partitions(Line line, Node node, CompletableFuture<HazelcastInstance> instance) {
        this.line = line;
        this.node = node;
        this.instance = instance;
    }

    void watch() {
        service().setMigrationInterceptor(new Migrations(line, this));
        Log.beforePartitionLines(() -> lookAtTable(false));
        Running.daemon("table", () -> again(TABLE_MILLIS, () -> lookAtTable(false)));
        Running.daemon("safety", () -> again(SAFETY_MILLIS, this::lookAtSafety));
    }

    private void again(long pause, Runnable look) {
        instance.join();
        while (true) {
            try {
                Thread.sleep(pause);
                look.run();
            } catch (InterruptedException ended) {
                return;
            } catch (RuntimeException between) {
                // between two identities, or in a shutdown, not all of it is there
            }
        }
    }

    private InternalPartitionServiceImpl service() {
        return (InternalPartitionServiceImpl) node.getPartitionService();
    }

    /** Takes no lock of Hazelcast, so that a thread which holds one may call. */
    synchronized void lookAtTable(boolean inMigration) {
        InternalPartitionService service = service();
        long now = service.getPartitionStateStamp();
        boolean leads = node.isMaster();
        if (now == stamp && (now == 0 || leads == led)) {
            return;
        }
        Map<Integer, String> changed = new HashMap<>();
        JsonArray told = new JsonArray();
        long version = 0;
        for (InternalPartition partition : service.getInternalPartitions()) {
            version += partition.version();
            JsonArray row = rowOf(partition);
            if (!row.toString().equals(rows.get(partition.getPartitionId()))) {
                changed.put(partition.getPartitionId(), row.toString());
                told.add(Json.array().add(partition.getPartitionId()).add(row));
            }
        }
        if (service.getPartitionStateStamp() != now) {
            return; // it changes just now: the next look sees all of it
        }
        stamp = now;
        led = leads;
        rows.putAll(changed);
        line.tell("table", Line.fields()
                .add("stamp", Long.toString(stamp)).add("version", version)
                .add("master", leads).add("migrates", inMigration).add("rows", told));
    }

    private static JsonArray rowOf(InternalPartition partition) {
        JsonArray row = new JsonArray();
        int last = InternalPartition.MAX_REPLICA_COUNT - 1;
        while (last >= 0 && partition.getReplica(last) == null) {
            last--;
        }
        for (int index = 0; index <= last; index++) {
            PartitionReplica replica = partition.getReplica(index);
            row.add(replica == null ? Json.NULL : Json.value(replica.uuid().toString()));
        }
        return row;
    }

    private void lookAtSafety() {
        if (stamp == 0) {
            return; // data are not in use yet
        }
        String now = !node.getClusterService().isJoined() ? "NOT_JOINED"
                : service().getPartitionReplicaStateChecker().getPartitionServiceState().name();
        if (!now.equals(safety)) {
            safety = now;
            line.tell("safe", Line.fields().add("state", now));
        }
    }
}
