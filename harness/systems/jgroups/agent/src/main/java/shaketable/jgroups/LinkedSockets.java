package shaketable.jgroups;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jgroups.Address;
import org.jgroups.blocks.cs.NioBaseServer;
import org.jgroups.blocks.cs.NioConnection;
import org.jgroups.blocks.cs.NioServer;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.FD_SOCK2;
import org.jgroups.stack.IpAddress;

/** FD_SOCK2 whose connections go through the links, too. It has the port after that of the transport. */
final class LinkedSockets extends FD_SOCK2 {
    static final int OFFSET = 1;

    private final Links links;

    LinkedSockets(Links links, InetAddress host) {
        this.links = links;
        setId(ClassConfigurator.getProtocolId(FD_SOCK2.class));
        setBindAddress(host).setOffset(OFFSET).setPortRange(0);
    }

    @Override
    protected NioServer createServer(int[] ports) {
        try {
            NioServer server = new Server(ports[0]);
            server.clientBindAddress(bind_addr);
            return server;
        } catch (Exception taken) {
            throw new IllegalStateException("port " + ports[0] + " cannot be listened at", taken);
        }
    }

    private final class Server extends NioServer {
        Server(int port) throws Exception {
            super(getThreadFactory(), getSocketFactory(), bind_addr, port, port, null, 0, 0, "fd_sock");
        }

        @Override
        protected NioConnection createConnection(Address peer) throws Exception {
            return new Connection(peer, this).copyOnPartialWrite(copy_on_partial_write);
        }
    }

    private final class Connection extends NioConnection {
        Connection(Address peer, NioBaseServer server) throws Exception {
            super(peer, server);
        }

        @Override
        public void connect(Address peer) throws Exception {
            InetSocketAddress link = links.to((InetSocketAddress) ((IpAddress) peer).getSocketAddress(), OFFSET);
            super.connect(new IpAddress(link));
        }
    }
}
