package shaketable.hazelcast;

import com.hazelcast.cluster.Address;
import com.hazelcast.instance.impl.Node;
import com.hazelcast.internal.nio.ConnectionListener;
import com.hazelcast.internal.server.ServerConnection;
import com.hazelcast.internal.server.tcp.TcpServerConnection;

/**
 * Connections to other members, up and down. Between two members there may be several for a while. These calls come a
 * little later, and no more in a member that shuts down: its log tells of each end at once.
 */
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
                    .add("id", ((TcpServerConnection) connection).getConnectionId()));
        }
    }
}
