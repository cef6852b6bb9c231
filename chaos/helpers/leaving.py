"""A member that leaves by a message, while the harness waits for what comes of it."""

from collections.abc import Sequence

from shaketable import Cluster, Micros


async def leave_by_a_message(cluster: Cluster, name: str, others: Sequence[str], *, within: Micros) -> None:
    """It is answered in that time, and then already off the list of each other; nobody has suspected it.

    So nobody can have learned it by the lost connections. Nor does it give up the first of them, which is the one that
    answers. Another one may have complained of a late heartbeat of it, and be given up for that."""
    for other in others:
        cluster.always(cluster.that.trusts(other, name))
    cluster.always(cluster.that.trusts(name, others[0]))
    await cluster.together(cluster.leave(name), cluster.until(cluster.that.ended(name), within=within))
    await cluster.until(cluster.that.agree(*others), within=cluster.settings.connection_monitor_interval)
