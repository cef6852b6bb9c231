package shaketable.jgroups;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * A process with one JGroups member. Orders come in, facts go out; standard input and output are the two ends of one
 * line. When the line ends, so does the process.
 */
public final class Member {
    private final Line line = new Line();
    private final Running running = new Running(line);

    private Member() {
    }

    public static void main(String[] arguments) {
        System.setOut(System.err); // whatever a library prints is no fact
        new Member().live();
    }

    private void live() {
        line.tell(new Fact("ready").with("pid", ProcessHandle.current().pid()));
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String order = in.readLine(); order != null; order = in.readLine()) {
                take(order);
            }
        } catch (IOException gone) {
            // the harness is gone
        }
        Runtime.getRuntime().halt(0);
    }

    /** Whatever it is: nothing that comes in ends the process. */
    private void take(String text) {
        try {
            String refusal = carryOut(new Order(text));
            if (!refusal.isEmpty()) {
                line.tell(new Fact("cannot-run").with("reason", refusal));
            }
        } catch (Exception wrong) {
            wrong.printStackTrace();
            line.tell(new Fact("unable").with("reason", text + ": " + wrong));
        }
    }

    /** Why it cannot run, "" after any other order. */
    private String carryOut(Order order) throws Exception {
        switch (order.does) {
            case "run":
                return running.run(order);
            case "link":
                order.all("link").forEach(running::link);
                return "";
            case "leave":
                running.leave();
                return "";
            case "ping":
                line.tell(new Fact("pong").with("number", order.number("number")));
                return "";
            case "stop":
                Runtime.getRuntime().halt(0);
                return "";
            default:
                throw new IllegalArgumentException("a JGroups member does not know this order");
        }
    }
}
