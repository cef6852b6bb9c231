package shaketable.hazelcast;

import com.hazelcast.internal.json.JsonObject;
import com.hazelcast.logging.AbstractLogger;
import com.hazelcast.logging.ILogger;
import com.hazelcast.logging.LogEvent;
import com.hazelcast.logging.LoggerFactory;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;

/** Hazelcast's logging, by its own SPI: the facts come from here, and the threads that log can be held here. */
public final class Log implements LoggerFactory {
    private static volatile Map<String, Level> levels = Map.of();
    private static volatile List<String> unheard = List.of();
    private static volatile Runnable lookAtTable = () -> { };

    /** By the beginnings of loggers' names how much is told of them, and beginnings of lines that nobody needs. */
    static void listen(Map<String, Level> by, List<String> not) {
        levels = Map.copyOf(by);
        unheard = List.copyOf(not);
    }

    /** To be called before each line of the partition service: the table may have changed. */
    static void beforePartitionLines(Runnable look) {
        lookAtTable = look;
    }

    @Override
    public ILogger getLogger(String name) {
        return new Told(name);
    }

    private static Level levelOf(String name) {
        return levels.entrySet().stream()
                .filter(each -> name.startsWith(each.getKey()))
                .max((one, other) -> Integer.compare(one.getKey().length(), other.getKey().length()))
                .map(Map.Entry::getValue)
                .orElse(Level.WARNING);
    }

    private static final class Told extends AbstractLogger {
        private final String from;
        private final Level level;
        private final boolean ofPartitions;

        Told(String name) {
            from = name.substring(name.lastIndexOf('.') + 1);
            level = levelOf(name);
            ofPartitions = name.startsWith("com.hazelcast.internal.partition.");
        }

        @Override
        public void log(Level at, String text) {
            log(at, text, null);
        }

        @Override
        public void log(LogEvent event) {
            log(event.getLogRecord().getLevel(), event.getLogRecord().getMessage(), event.getLogRecord().getThrown());
        }

        @Override
        public void log(Level at, String message, Throwable thrown) {
            if (!isLoggable(at) || (message == null && thrown == null)) {
                return;
            }
            String text = message == null ? "" : message;
            if (unheard.stream().anyMatch(text::contains)) {
                return;
            }
            if (ofPartitions) {
                lookAtTable.run();
            }
            JsonObject fields = Line.fields().add("from", from).add("level", at.getName()).add("text", text);
            if (thrown != null) {
                fields.add("thrown", thrown.getClass().getName() + ": " + thrown.getMessage());
            }
            Line.theOnly().tell("log", fields);
            if (at.intValue() >= Level.INFO.intValue()) {
                System.err.println(at + " " + from + " " + text);
                if (thrown != null) {
                    thrown.printStackTrace();
                }
            }
            Holds.pass(from + ": " + text);
        }

        @Override
        public Level getLevel() {
            return level;
        }

        @Override
        public boolean isLoggable(Level at) {
            return at != Level.OFF && at.intValue() >= level.intValue();
        }
    }
}
