package shaketable.jgroups;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.stack.Protocol;

/**
 * Tells suspicions as they come out of VERIFY_SUSPECT2: those that nobody has refuted, and on which GMS acts. Only a
 * member that leads, or is next in line after those suspected, has any.
 */
final class Suspicions extends Protocol {
    private final Line line;
    private final Set<Address> byConnection = ConcurrentHashMap.newKeySet();

    Suspicions(Line line) {
        this.line = line;
    }

    @Override
    public Object up(Event event) {
        if (event.getType() == Event.SUSPECT) {
            for (Address each : members(event)) {
                String why = byConnection.contains(each) ? "connection" : "silence";
                line.tell(new Fact("suspected").with("peer", each).with("why", why));
            }
        } else if (event.getType() == Event.UNSUSPECT) {
            members(event).forEach(each -> line.tell(new Fact("trusted").with("peer", each)));
        }
        return up_prot.up(event);
    }

    private static Collection<Address> members(Event event) {
        Object named = event.getArg();
        return named instanceof Address ? List.of((Address) named) : event.getArg();
    }

    /** Stands just above FD_SOCK2, and below all else that suspects: what passes it is a connection that is lost. */
    final class OfConnections extends Protocol {
        @Override
        public Object up(Event event) {
            if (event.getType() == Event.SUSPECT) {
                byConnection.addAll(members(event));
            }
            return up_prot.up(event);
        }

        @Override
        public Object down(Event event) {
            if (event.getType() == Event.UNSUSPECT) {
                byConnection.removeAll(members(event));
            }
            return down_prot.down(event);
        }
    }
}
