package shaketable.jgroups;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jgroups.JChannel;
import org.jgroups.PhysicalAddress;
import org.jgroups.protocols.FD_ALL3;
import org.jgroups.protocols.FRAG4;
import org.jgroups.protocols.MERGE3;
import org.jgroups.protocols.TCP;
import org.jgroups.protocols.TCPPING;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.VERIFY_SUSPECT2;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.stack.IpAddress;
import org.jgroups.stack.Protocol;

/** A channel over the usual stack for TCP, with the times of the order to run. It listens on loopback alone. */
final class Stack {
    private Stack() {
    }

    static JChannel by(Order order, Links links, Line line) throws Exception {
        IpAddress own = new IpAddress(order.text("address"));
        InetAddress host = own.getIpAddress();
        TCP tcp = new TCP();
        tcp.setBindAddress(host).setBindPort(own.getPort()).setPortRange(0).setSocketFactory(links.new Sockets());
        tcp.setClientBindAddr(host);
        Suspicions suspicions = new Suspicions(line);
        List<Protocol> stack = new ArrayList<>(List.of(tcp, asking(order)));
        if (order.number("merge-most") > 0) {
            stack.add(new MERGE3().setMaxInterval(order.number("merge-most")).setMinInterval(order.number("merge-least")));
        }
        stack.addAll(List.of(
                new LinkedSockets(links, host),
                suspicions.new OfConnections(),
                new FD_ALL3().setTimeout(order.number("timeout")).setInterval(order.number("interval")),
                new VERIFY_SUSPECT2().setTimeout(order.number("verify")),
                suspicions,
                new NAKACK2().useMcastXmit(false),
                new UNICAST3(),
                new STABLE(),
                new GMS()
                        .setJoinTimeout(order.number("join"))
                        .setMaxJoinAttempts((int) order.number("join-attempts"))
                        .printLocalAddress(false),
                new FRAG4(),
                new Listening(line)));
        JChannel channel = new JChannel(stack);
        tcp.getDiagnosticsHandler().setEnabled(false);
        return channel;
    }

    private static TCPPING asking(Order order) throws Exception {
        List<PhysicalAddress> addresses = new ArrayList<>();
        for (String each : order.all("ask")) {
            addresses.add(new IpAddress(each));
        }
        return new TCPPING().setInitialHosts2(addresses).setPortRange(0);
    }
}
