package shaketable.hazelcast;

import com.hazelcast.instance.impl.Node;
import com.hazelcast.internal.json.JsonObject;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.UUID;

/**
 * The line to the harness. A thread that tells a fact never waits for its reader: another one writes.
 *
 * <p>The order of facts is the order of their times. Some are told by threads that hold the cluster's lock, so what
 * happens under that lock is told in its order.
 */
final class Line {
    /** Bytes that wait for a reader who does not read. With more of them the process ends. */
    private static final long MOST = 32L << 20;

    /** With so many of them clients make a pause. */
    private static final long MANY = 1L << 20;

    private static final long TICK_AFTER_MILLIS = 300;

    private static Line theOnly;

    private final FileOutputStream out = new FileOutputStream(FileDescriptor.out);
    private final Deque<byte[]> waiting = new ArrayDeque<>();
    private long bytes;
    private long lastToldNanos;
    private boolean ticked = true;
    private volatile Node node;

    private Line() {
    }

    static synchronized Line open() {
        theOnly = new Line();
        Thread writer = new Thread(theOnly::write, "shaketable.line");
        writer.setDaemon(true);
        writer.start();
        return theOnly;
    }

    /** For what Hazelcast makes by the name of its class. */
    static synchronized Line theOnly() {
        return theOnly;
    }

    static JsonObject fields() {
        return new JsonObject();
    }

    /** From now on each fact says which uuid this member has. */
    void isOf(Node member) {
        node = member;
    }

    synchronized void tell(String kind, JsonObject fields) {
        ticked = false;
        put(kind, fields);
    }

    void tell(String kind) {
        tell(kind, fields());
    }

    private void put(String kind, JsonObject fields) {
        lastToldNanos = System.nanoTime();
        JsonObject fact = fields().add("t", lastToldNanos / 1000).add("uuid", uuid()).add("kind", kind);
        fields.forEach(field -> fact.add(field.getName(), field.getValue()));
        byte[] told = (fact + "\n").getBytes(StandardCharsets.UTF_8);
        bytes += told.length;
        if (bytes > MOST) {
            System.err.println("shaketable: nobody reads what this member tells");
            Runtime.getRuntime().halt(3);
        }
        waiting.add(told);
        notifyAll();
    }

    private String uuid() {
        Node member = node;
        UUID uuid = member == null ? null : member.getThisUuid();
        return uuid == null ? "" : uuid.toString();
    }

    /** For those who tell much and can wait: our own clients. */
    synchronized void awaitRoom() throws InterruptedException {
        while (bytes > MANY) {
            wait();
        }
    }

    /** Waits until all is written that was told before. Only for a thread on which nothing of Hazelcast waits. */
    synchronized void drain() throws InterruptedException {
        while (bytes > 0) {
            wait();
        }
    }

    private void write() {
        try {
            while (true) {
                byte[] told = next();
                out.write(told);
                written(told.length);
            }
        } catch (IOException | InterruptedException gone) {
            Runtime.getRuntime().halt(1);
        }
    }

    private synchronized byte[] next() throws InterruptedException {
        while (waiting.isEmpty()) {
            long left = TICK_AFTER_MILLIS - (System.nanoTime() - lastToldNanos) / 1_000_000;
            if (ticked) {
                wait();
            } else if (left > 0) {
                wait(left);
            } else {
                ticked = true;
                put("tick", fields());
            }
        }
        return waiting.remove();
    }

    private synchronized void written(int count) {
        bytes -= count;
        notifyAll();
    }
}
