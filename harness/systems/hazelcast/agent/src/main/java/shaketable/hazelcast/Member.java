package shaketable.hazelcast;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.security.Security;

/**
 * A process with one Hazelcast member. JSON lines come in as orders and go out as facts; standard input and output are
 * the two ends of one line. When the line ends, so does the process.
 */
public final class Member {
    private Member() {
    }

    public static void main(String[] arguments) {
        Line line = Line.open();
        System.setOut(System.err); // whatever a library prints is no fact
        // A name that is not known yet may be known in a moment: the file of names grows with the cluster.
        Security.setProperty("networkaddress.cache.negative.ttl", "0");
        System.setProperty("hazelcast.logging.class", Log.class.getName());
        Orders orders = new Orders(line);
        line.tell("ready", Line.fields().add("pid", ProcessHandle.current().pid()));
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String order = in.readLine(); order != null; order = in.readLine()) {
                orders.take(order);
            }
        } catch (IOException gone) {
            // the harness is gone
        }
        Runtime.getRuntime().halt(0);
    }
}
