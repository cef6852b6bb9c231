package shaketable.jgroups;

import org.jgroups.Address;
import org.jgroups.JChannel;
import org.jgroups.MergeView;
import org.jgroups.Receiver;
import org.jgroups.View;

/** The member's life: from the order to run to its last word. */
final class Running {
    private final Line line;
    private final Links links = new Links();
    private JChannel channel;
    private boolean leaving;

    Running(Line line) {
        this.line = line;
    }

    String run(Order order) throws Exception {
        if (channel != null) {
            return "it runs already";
        }
        order.all("link").forEach(this::link);
        String address = order.text("address");
        channel = Stack.by(order, links, line);
        channel.setName(address);
        channel.addAddressGenerator(() -> begin(address));
        channel.setReceiver(new Receiver() {
            @Override
            public void viewAccepted(View view) {
                installed(view);
            }
        });
        daemon("starter", () -> join(order.text("cluster")));
        return "";
    }

    /** ADDRESS=HOST */
    void link(String link) {
        String[] both = link.split("=", 2);
        links.lead(both[0], both[1]);
    }

    private Address begin(String address) {
        Address me = Identity.at(address);
        line.isOf(Identity.uuidOf(me));
        line.tell(new Fact("started"));
        return me;
    }

    private void installed(View view) {
        line.tell(new Fact("view")
                .with("version", view.getViewId().getId())
                .with("author", Identity.uuidOf(view.getViewId().getCreator()))
                .with("merged", view instanceof MergeView)
                .with("members", view.getMembers()));
    }

    private void join(String cluster) {
        try {
            channel.connect(cluster);
        } catch (Exception | Error failed) {
            failed.printStackTrace();
            line.tell(new Fact("failed").with("reason", failed.getClass().getSimpleName() + ": " + failed.getMessage()));
            end(1);
        }
    }

    void leave() {
        if (leaving) {
            return;
        }
        leaving = true;
        daemon("leaving", () -> {
            line.tell(new Fact("leaving"));
            if (channel != null) {
                channel.close();
            }
            line.tell(new Fact("left"));
            end(0);
        });
    }

    private void end(int code) {
        line.drain();
        Runtime.getRuntime().halt(code);
    }

    private static void daemon(String name, Runnable does) {
        Thread thread = new Thread(does, "shaketable." + name);
        thread.setDaemon(true);
        thread.start();
    }
}
