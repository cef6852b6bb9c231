package shaketable.hazelcast;

import com.hazelcast.internal.json.Json;
import com.hazelcast.internal.json.JsonArray;
import com.hazelcast.internal.json.JsonObject;
import com.hazelcast.internal.json.JsonValue;
import com.hazelcast.internal.partition.InternalPartition;
import com.hazelcast.internal.partition.PartitionReplica;
import com.hazelcast.map.IMap;
import com.hazelcast.splitbrainprotection.SplitBrainProtectionException;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Clients at this member, each with one operation at a time, which it counts. */
final class Clients {
    private final Line line;
    private final Running running;
    private final Map<String, Client> clients = new ConcurrentHashMap<>();
    private final Map<String, Set<Work>> works = new ConcurrentHashMap<>();

    Clients(Line line, Running running) {
        this.line = line;
        this.running = running;
    }

    void operate(JsonObject order) {
        Operation operation = new Operation(order.getString("does", ""), order.getString("map", ""),
                order.getString("key", ""), order.getString("value", ""));
        Client client = client(order.getString("client", ""));
        client.does(() -> client.carryOut(operation));
    }

    void read(JsonObject order) {
        Client client = client(order.getString("client", ""));
        for (JsonValue key : order.get("keys").asArray()) {
            Operation operation = new Operation("get", order.getString("map", ""), key.asString(), "");
            client.does(() -> client.carryOut(operation));
        }
    }

    void work(JsonObject order) {
        String name = order.getString("client", "");
        Set<Work> all = works.computeIfAbsent(name, any -> ConcurrentHashMap.newKeySet());
        for (int number = 1; number <= order.getInt("clients", 1); number++) {
            Client client = client(name + "." + number);
            Work work = new Work(order, client);
            all.add(work);
            client.does(work);
        }
    }

    void stopWork(String name) {
        Set<Work> all = works.remove(name);
        if (all != null) {
            all.forEach(each -> each.stopped = true);
        }
    }

    private Client client(String name) {
        return clients.computeIfAbsent(name, Client::new);
    }

    private record Operation(String does, String map, String key, String value) {
    }

    /** Its numbers go on as long as its process lives. */
    private final class Client {
        private final String name;
        private final ExecutorService thread;
        private int number;

        Client(String name) {
            this.name = name;
            this.thread = Executors.newSingleThreadExecutor(does -> {
                Thread made = new Thread(does, "shaketable.client." + name);
                made.setDaemon(true);
                return made;
            });
        }

        void does(Runnable job) {
            thread.execute(() -> {
                running.instance(); // until there is one
                job.run();
            });
        }

        /** No other value has this tag: it names the process, the client and the operation. */
        String nextTag() {
            return name + "@" + ProcessHandle.current().pid() + "#" + (number + 1);
        }

        void carryOut(Operation operation) {
            try {
                line.awaitRoom();
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
            number++;
            int partition = running.node().getPartitionService().getPartitionId(operation.key());
            line.tell("called", Line.fields()
                    .add("client", name).add("number", number).add("does", operation.does())
                    .add("map", operation.map()).add("key", operation.key()).add("value", tagOf(operation.value()))
                    .add("partition", partition));
            String outcome = "ok";
            String reason = "";
            String found = null;
            JsonArray holders = new JsonArray();
            try {
                found = carriedOut(operation);
                if (!operation.does().equals("get")) {
                    holders = holders(operation.map(), partition);
                }
            } catch (SplitBrainProtectionException refused) {
                outcome = "failed";
                reason = reasonOf(refused);
            } catch (RuntimeException | Error unknown) {
                outcome = "unknown";
                reason = reasonOf(unknown);
            }
            JsonObject fields = Line.fields().add("client", name).add("number", number).add("outcome", outcome);
            fields.add("value", found == null ? Json.NULL : Json.value(tagOf(found)));
            line.tell("returned", fields.add("holders", holders).add("reason", reason));
        }

        private String carriedOut(Operation operation) {
            IMap<String, String> map = running.instance().getMap(operation.map());
            switch (operation.does()) {
                case "put":
                    map.set(operation.key(), operation.value());
                    return null;
                case "remove":
                    map.delete(operation.key());
                    return null;
                default:
                    return map.get(operation.key());
            }
        }
    }

    /** The table just after the answer: its owner, and the backups that this map waits for. An inference. */
    private JsonArray holders(String map, int partition) {
        InternalPartition row = running.node().getPartitionService().getPartition(partition, false);
        int backups = running.instance().getConfig().findMapConfig(map).getBackupCount();
        JsonArray holders = new JsonArray();
        for (int index = 0; index <= backups; index++) {
            PartitionReplica replica = row.getReplica(index);
            if (replica != null) {
                holders.add(replica.uuid().toString());
            }
        }
        return holders;
    }

    private static String tagOf(String value) {
        int blank = value.indexOf(' ');
        return blank < 0 ? value : value.substring(0, blank);
    }

    private static String reasonOf(Throwable thrown) {
        return thrown.getClass().getSimpleName() + ": " + thrown.getMessage();
    }

    /** Writes and reads its own keys alone, in turn; the first round is always written. */
    private static final class Work implements Runnable {
        private final JsonObject order;
        private final Client client;
        private volatile boolean stopped;

        Work(JsonObject order, Client client) {
            this.order = order;
            this.client = client;
        }

        @Override
        public void run() {
            Random random = new Random((order.getString("seed", "") + client.name).hashCode());
            String map = order.getString("map", "");
            int keys = order.getInt("keys", 1);
            int size = order.getInt("size", 0);
            int operations = order.getInt("operations", -1);
            long pauseMicros = order.getLong("pause", 0);
            for (int done = 0; !stopped && (operations < 0 || done < operations); done++) {
                String key = client.name + "/" + done % keys;
                if (done < keys || random.nextInt(100) < order.getInt("writes_percent", 0)) {
                    String tag = client.nextTag();
                    String value = tag + " " + ".".repeat(Math.max(0, size - tag.length() - 1));
                    client.carryOut(new Operation("put", map, key, size > tag.length() ? value : tag));
                } else {
                    client.carryOut(new Operation("get", map, key, ""));
                }
                try {
                    Thread.sleep(pauseMicros / 1000, (int) (pauseMicros % 1000) * 1000);
                } catch (InterruptedException ended) {
                    return;
                }
            }
        }
    }
}
