package shaketable.hazelcast;

import com.hazelcast.instance.impl.Node;
import com.hazelcast.partition.PartitioningStrategy;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32;

/** Which partition a key belongs to: the same as for members of ours, so that a script finds a key of each partition. */
public final class Places implements PartitioningStrategy<Object> {
    private static final long serialVersionUID = 1;
    private static final String PREFIX = "shaketable partition ";

    private static volatile Node node;
    private static volatile Map<Integer, String> keys;

    /** From now on; nothing is placed before. */
    static void areOf(Node of) {
        node = of;
    }

    /** A key that Hazelcast itself places where the given one belongs; null: it decides by the given one. */
    @Override
    public Object getPartitionKey(Object key) {
        if (node == null || !(key instanceof String text) || text.startsWith(PREFIX)) {
            return null;
        }
        CRC32 sum = new CRC32();
        sum.update(text.getBytes(StandardCharsets.UTF_8));
        int partition = (int) (sum.getValue() % node.getPartitionService().getPartitionCount());
        return all().get(partition);
    }

    private static Map<Integer, String> all() {
        Map<Integer, String> known = keys;
        if (known == null) {
            int count = node.getPartitionService().getPartitionCount();
            Map<Integer, String> found = new HashMap<>();
            for (int number = 0; found.size() < count; number++) {
                String key = PREFIX + number;
                found.putIfAbsent(node.getPartitionService().getPartitionId(key), key);
            }
            keys = known = found;
        }
        return known;
    }
}
