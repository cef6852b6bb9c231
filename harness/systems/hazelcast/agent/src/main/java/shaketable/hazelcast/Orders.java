package shaketable.hazelcast;

import com.hazelcast.internal.json.Json;
import com.hazelcast.internal.json.JsonObject;
import java.util.regex.Pattern;

/** What the harness asks of this process. An order that has a number is answered by it: done, or why not. */
final class Orders {
    private final Line line;
    private final Running running;
    private final Clients clients;

    Orders(Line line) {
        this.line = line;
        this.running = new Running(line);
        this.clients = new Clients(line, running);
    }

    /** Whatever it is: nothing that comes in ends the process. */
    void take(String text) {
        long number = 0;
        String refusal = "";
        try {
            JsonObject order = Json.parse(text).asObject();
            number = order.getLong("order", 0);
            refusal = carryOut(order);
        } catch (RuntimeException wrong) {
            refusal = "a Hazelcast member cannot read this order: " + wrong.getMessage();
        }
        if (number != 0 || !refusal.isEmpty()) {
            line.tell("done", Line.fields().add("order", number).add("refusal", refusal));
        }
    }

    private String carryOut(JsonObject order) {
        String does = order.getString("do", "");
        switch (does) {
            case "run":
                return running.run(order);
            case "leave":
                running.leave();
                return "";
            case "operate":
                clients.operate(order);
                return "";
            case "read":
                clients.read(order);
                return "";
            case "work":
                clients.work(order);
                return "";
            case "stop-work":
                clients.stopWork(order.getString("client", ""));
                return "";
            case "take-stock":
                return running.takeStock(order);
            case "hold":
                Pattern point = Pattern.compile(order.getString("point", ""), Pattern.DOTALL);
                Pattern within = Pattern.compile(order.getString("within", ""));
                Holds.arm(order.getLong("fault", 0), point, within, order.getInt("nth", 1));
                return "";
            case "release":
                return Holds.release(order.getLong("fault", 0)) ? "" : "it never came to hold there";
            case "ping":
                line.tell("pong", Line.fields().add("number", order.getLong("number", 0)));
                return "";
            case "stop":
                Runtime.getRuntime().halt(0);
                return "";
            default:
                return "a Hazelcast member does not know the order \"" + does + "\"";
        }
    }
}
