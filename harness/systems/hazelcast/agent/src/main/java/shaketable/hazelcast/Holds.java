package shaketable.hazelcast;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;

/** Crash points: the thread that comes to a named point waits there until it is released. Each fires once. */
final class Holds {
    private static final Map<Long, Hold> ARMED = new ConcurrentHashMap<>();
    private static final Map<Long, Hold> HELD = new ConcurrentHashMap<>();

    private static final class Hold {
        final Pattern point;
        final Pattern within;
        final CountDownLatch released = new CountDownLatch(1);
        int left;

        Hold(Pattern point, Pattern within, int nth) {
            this.point = point;
            this.within = within;
            this.left = nth;
        }

        boolean comesTo(String line) {
            return point.matcher(line).find() && (within.pattern().isEmpty() || isWithin()) && isThis();
        }

        private synchronized boolean isThis() {
            return --left == 0;
        }

        private boolean isWithin() {
            return StackWalker.getInstance().walk(calls -> calls.map(Hold::nameOf).anyMatch(within.asPredicate()));
        }

        private static String nameOf(StackWalker.StackFrame call) {
            return call.getClassName().substring(call.getClassName().lastIndexOf('.') + 1) + "." + call.getMethodName();
        }
    }

    private Holds() {
    }

    /** At the nth line that fits the point, while a method of such a name is being called; an empty one: at any. */
    static void arm(long fault, Pattern point, Pattern within, int nth) {
        ARMED.put(fault, new Hold(point, within, nth));
    }

    /** Whether a thread waited there. */
    static boolean release(long fault) {
        ARMED.remove(fault);
        Hold hold = HELD.remove(fault);
        if (hold != null) {
            hold.released.countDown();
        }
        return hold != null;
    }

    static void pass(String point) {
        if (ARMED.isEmpty()) {
            return;
        }
        ARMED.forEach((fault, hold) -> {
            if (hold.comesTo(point) && ARMED.remove(fault, hold)) {
                await(fault, hold);
            }
        });
    }

    private static void await(long fault, Hold hold) {
        HELD.put(fault, hold);
        Line.theOnly().tell("held", Line.fields().add("fault", fault));
        try {
            hold.released.await();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
        Line.theOnly().tell("released", Line.fields().add("fault", fault));
    }
}
