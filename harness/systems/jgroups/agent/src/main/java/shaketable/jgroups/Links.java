package shaketable.jgroups;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jgroups.util.DefaultSocketFactory;

/** The loopback address at which this member reaches each other one. No connection goes another way. */
final class Links {
    private final Map<String, String> hosts = new ConcurrentHashMap<>();

    void lead(String address, String host) {
        hosts.put(address, host);
    }

    /** Where to connect to, to reach a port of the member that listens at the one `offset` ports before it. */
    InetSocketAddress to(InetSocketAddress wanted, int offset) throws ConnectException {
        String member = wanted.getAddress().getHostAddress() + ":" + (wanted.getPort() - offset);
        String host = hosts.get(member);
        if (host == null) {
            throw new ConnectException("no link leads to " + member);
        }
        return new InetSocketAddress(host, wanted.getPort());
    }

    /** Of the transport. */
    final class Sockets extends DefaultSocketFactory {
        @Override
        public Socket createSocket(String service) {
            return new Socket() {
                @Override
                public void connect(SocketAddress wanted) throws IOException {
                    connect(wanted, 0);
                }

                @Override
                public void connect(SocketAddress wanted, int timeout) throws IOException {
                    super.connect(to((InetSocketAddress) wanted, 0), timeout);
                }
            };
        }
    }
}
