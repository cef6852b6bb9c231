package shaketable.jgroups;

import java.util.ArrayList;
import java.util.List;

/** One line of the harness: words between tabs. The first is what to do; each other one is NAME=VALUE. */
final class Order {
    final String does;
    private final String[] words;

    Order(String text) {
        words = text.split("\t");
        does = words[0];
    }

    String text(String name) {
        List<String> found = all(name);
        if (found.size() != 1) {
            throw new IllegalArgumentException("it says " + name + " " + found.size() + " times");
        }
        return found.get(0);
    }

    long number(String name) {
        return Long.parseLong(text(name));
    }

    List<String> all(String name) {
        List<String> found = new ArrayList<>();
        for (String word : words) {
            if (word.startsWith(name + "=")) {
                found.add(word.substring(name.length() + 1));
            }
        }
        return found;
    }
}
