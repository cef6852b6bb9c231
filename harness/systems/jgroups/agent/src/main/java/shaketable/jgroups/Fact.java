package shaketable.jgroups;

import java.util.List;
import java.util.stream.Collectors;
import org.jgroups.Address;

/** What is told in one line. */
final class Fact {
    private final StringBuilder fields = new StringBuilder();

    Fact(String kind) {
        with("kind", kind);
    }

    Fact with(String name, String value) {
        return put(name, quoted(value));
    }

    Fact with(String name, long value) {
        return put(name, Long.toString(value));
    }

    Fact with(String name, boolean value) {
        return put(name, Boolean.toString(value));
    }

    Fact with(String name, Address member) {
        return put(name, told(member));
    }

    Fact with(String name, List<Address> members) {
        return put(name, members.stream().map(Fact::told).collect(Collectors.joining(",", "[", "]")));
    }

    String at(long micros, String uuid) {
        return "{\"t\":" + micros + ",\"uuid\":" + quoted(uuid) + fields + "}\n";
    }

    private Fact put(String name, String value) {
        fields.append(',').append(quoted(name)).append(':').append(value);
        return this;
    }

    private static String told(Address member) {
        return "[" + quoted(Identity.addressOf(member)) + "," + quoted(Identity.uuidOf(member)) + "]";
    }

    private static String quoted(String text) {
        StringBuilder found = new StringBuilder("\"");
        for (char each : text.toCharArray()) {
            if (each == '"' || each == '\\') {
                found.append('\\').append(each);
            } else if (each < ' ') {
                found.append(String.format("\\u%04x", (int) each));
            } else {
                found.append(each);
            }
        }
        return found.append('"').toString();
    }
}
