package shaketable.jgroups;

import java.nio.charset.StandardCharsets;
import org.jgroups.Address;
import org.jgroups.util.ExtendedUUID;

/**
 * Who a member is, to JGroups: a uuid, which carries the address where it listens. So whoever knows of it knows its
 * address, also if nothing has come from there.
 */
final class Identity {
    private static final String LISTENS_AT = "at";

    private Identity() {
    }

    static Address at(String address) {
        return ExtendedUUID.randomUUID(address).put(LISTENS_AT, address.getBytes(StandardCharsets.UTF_8));
    }

    static String addressOf(Address member) {
        return new String(((ExtendedUUID) member).get(LISTENS_AT), StandardCharsets.UTF_8);
    }

    static String uuidOf(Address member) {
        ExtendedUUID uuid = (ExtendedUUID) member;
        return new java.util.UUID(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits()).toString();
    }
}
