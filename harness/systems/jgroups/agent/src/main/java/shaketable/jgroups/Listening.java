package shaketable.jgroups;

import org.jgroups.Event;
import org.jgroups.stack.Protocol;

/** On top of the stack: when it is asked to connect all protocols below have started, and listen. */
final class Listening extends Protocol {
    private final Line line;

    Listening(Line line) {
        this.line = line;
    }

    @Override
    public Object down(Event event) {
        if (event.getType() == Event.CONNECT) {
            line.tell(new Fact("running"));
        }
        return down_prot.down(event);
    }
}
