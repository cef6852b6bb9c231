package shaketable.hazelcast;

import com.hazelcast.cluster.Address;
import com.hazelcast.instance.impl.Node;
import com.hazelcast.internal.nio.ConnectionListener;
import com.hazelcast.internal.server.ServerConnection;

/** Connections to other members, up and down. Between two members there may be several for a while. */
final class Connections implements ConnectionListener<ServerConnection> {
    private final Line line;

    private Connections(Line line) {
        this.line = line;
    }

    static void watch(Line line, Node node) {
        node.getServer().addConnectionListener(new Connections(line));
    }

    @Override
    public void connectionAdded(ServerConnection connection) {
        tell(connection, true);
    }

    @Override
    public void connectionRemoved(ServerConnection connection) {
        tell(connection, false);
    }

    private void tell(ServerConnection connection, boolean up) {
        Address address = connection.getRemoteAddress();
        if (address != null && !connection.isClient()) {
            line.tell("connection", Line.fields()
                    .add("up", up)
                    .add("address", address.getHost() + ":" + address.getPort())
                    .add("id", System.identityHashCode(connection)));
        }
    }
}
