package shaketable.jgroups;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The line to the harness: one fact a line, in JSON. A thread that tells a fact never waits for its reader: another
 * one writes. The order of facts is the order of their times.
 */
final class Line {
    /** Bytes that wait for a reader who does not read. With more of them the process ends. */
    private static final long MOST = 32L << 20;

    private final FileOutputStream out = new FileOutputStream(FileDescriptor.out);
    private final Deque<byte[]> waiting = new ArrayDeque<>();
    private long bytes;
    private String uuid = "";

    Line() {
        Thread writer = new Thread(this::write, "shaketable.line");
        writer.setDaemon(true);
        writer.start();
    }

    /** From now on each fact says which uuid this member has. */
    synchronized void isOf(String itsUuid) {
        uuid = itsUuid;
    }

    synchronized void tell(Fact fact) {
        byte[] told = fact.at(System.nanoTime() / 1000, uuid).getBytes(StandardCharsets.UTF_8);
        bytes += told.length;
        if (bytes > MOST) {
            System.err.println("shaketable: nobody reads what this member tells");
            Runtime.getRuntime().halt(3);
        }
        waiting.add(told);
        notifyAll();
    }

    /** Waits until all is written that was told before. Only for a thread on which nothing of JGroups waits. */
    synchronized void drain() {
        try {
            while (bytes > 0) {
                wait();
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
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
            wait();
        }
        return waiting.remove();
    }

    private synchronized void written(int count) {
        bytes -= count;
        notifyAll();
    }
}
