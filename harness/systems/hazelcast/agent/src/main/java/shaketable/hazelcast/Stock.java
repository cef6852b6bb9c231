package shaketable.hazelcast;

import com.hazelcast.instance.impl.Node;
import com.hazelcast.internal.json.Json;
import com.hazelcast.internal.json.JsonArray;
import com.hazelcast.internal.partition.InternalPartition;
import com.hazelcast.internal.partition.InternalPartitionService;
import com.hazelcast.internal.partition.PartitionReplica;
import com.hazelcast.internal.serialization.Data;
import com.hazelcast.map.impl.MapService;
import com.hazelcast.map.impl.recordstore.RecordStore;
import com.hazelcast.spi.impl.PartitionSpecificRunnable;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;

/** All that this member holds of maps: counted by the thread of each partition, and told when all have counted. */
final class Stock {
    private final Line line;
    private final Node node;
    private final Map<Integer, JsonArray> counted = new ConcurrentSkipListMap<>();

    Stock(Line line, Node node) {
        this.line = line;
        this.node = node;
    }

    void take() {
        InternalPartitionService service = node.getPartitionService();
        CountDownLatch left = new CountDownLatch(service.getPartitionCount());
        for (InternalPartition partition : service.getInternalPartitions()) {
            node.getNodeEngine().getOperationService().execute(new PartitionSpecificRunnable() {
                @Override
                public int getPartitionId() {
                    return partition.getPartitionId();
                }

                @Override
                public void run() {
                    try {
                        count(partition);
                    } finally {
                        left.countDown();
                    }
                }
            });
        }
        try {
            left.await();
        } catch (InterruptedException ended) {
            return;
        }
        JsonArray holds = new JsonArray();
        counted.values().forEach(holds::add);
        line.tell("stock", Line.fields().add("holds", holds));
    }

    private void count(InternalPartition partition) {
        MapService maps = node.getNodeEngine().getService(MapService.SERVICE_NAME);
        JsonArray all = new JsonArray();
        new TreeMap<>(maps.getMapServiceContext().getPartitionContainer(partition.getPartitionId()).getMaps())
                .forEach((name, store) -> all.add(Json.array().add(name).add(store.size()).add(checksumOf(store))));
        int index = partition.getReplicaIndex(PartitionReplica.from(node.getLocalMember()));
        if (index >= 0 || !all.isEmpty()) {
            counted.put(partition.getPartitionId(),
                    Json.array().add(partition.getPartitionId()).add(index).add(all));
        }
    }

    /** The same for the same entries, in whatever order they come. */
    private String checksumOf(RecordStore<?> store) {
        long[] sum = {0};
        store.forEach((key, record) -> {
            Data value = node.getSerializationService().toData(record.getValue());
            sum[0] += key.hash64() * 31 + value.hash64();
        }, false, false);
        return Long.toString(sum[0]);
    }
}
