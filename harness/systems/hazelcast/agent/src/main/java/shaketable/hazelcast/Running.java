package shaketable.hazelcast;

import com.hazelcast.config.Config;
import com.hazelcast.config.ListenerConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.LifecycleEvent.LifecycleState;
import com.hazelcast.core.LifecycleListener;
import com.hazelcast.instance.impl.DefaultNodeContext;
import com.hazelcast.instance.impl.HazelcastInstanceFactory;
import com.hazelcast.instance.impl.Node;
import com.hazelcast.internal.cluster.Joiner;
import com.hazelcast.internal.json.JsonObject;
import java.util.concurrent.CompletableFuture;

/** The member's life: from the order to run to its last word. */
final class Running {
    private final Line line;
    private final CompletableFuture<HazelcastInstance> instance = new CompletableFuture<>();
    private volatile Node node;
    private volatile boolean listens;
    private boolean asked;
    private volatile boolean leaving;

    Running(Line line) {
        this.line = line;
    }

    /** Waits until the member has joined a cluster. */
    HazelcastInstance instance() {
        return instance.join();
    }

    Node node() {
        return node;
    }

    String run(JsonObject order) {
        if (asked) {
            return "a Hazelcast member runs already";
        }
        asked = true;
        Config config = Configured.by(order);
        config.addListenerConfig(new ListenerConfig((LifecycleListener) event -> changed(event.getState())));
        String name = order.getString("address", "");
        daemon("starter", () -> start(config, name));
        return "";
    }

    private void start(Config config, String name) {
        try {
            instance.complete(HazelcastInstanceFactory.newHazelcastInstance(config, name, new Context()));
        } catch (RuntimeException | Error failed) {
            failed.printStackTrace();
            JsonObject why = Line.fields().add("reason", failed.getClass().getSimpleName() + ": " + failed.getMessage());
            line.tell(listens ? "failed" : "cannot-run", why);
            end(1);
        }
    }

    private void changed(LifecycleState state) {
        line.tell("lifecycle", Line.fields().add("state", state.name()));
        if (state == LifecycleState.SHUTDOWN && !leaving) {
            daemon("ending", () -> {
                line.tell("gave-up");
                end(0);
            });
        }
    }

    void leave() {
        if (leaving) {
            return;
        }
        leaving = true;
        daemon("leaving", () -> {
            line.tell("leaving");
            if (instance.isDone()) {
                instance.join().shutdown();
            }
            line.tell("left");
            end(0);
        });
    }

    String takeStock(JsonObject order) {
        if (!instance.isDone()) {
            return "a Hazelcast member that has not joined holds nothing";
        }
        daemon("stock", () -> new Stock(line, node).take());
        return "";
    }

    private void end(int code) {
        try {
            line.drain();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(code);
    }

    static void daemon(String name, Runnable does) {
        Thread thread = new Thread(does, "shaketable." + name);
        thread.setDaemon(true);
        thread.start();
    }

    private final class Context extends DefaultNodeContext {
        /** By then the port is bound, and the member has its services and its uuid, but does nothing yet. */
        @Override
        public Joiner createJoiner(Node of) {
            node = of;
            listens = true;
            line.isOf(of);
            Places.areOf(of);
            line.tell("running");
            Connections.watch(line, of);
            new Partitions(line, of, instance).watch();
            return super.createJoiner(of);
        }
    }
}
