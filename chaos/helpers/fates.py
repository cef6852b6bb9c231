"""What may become of a message: it is lost, comes late, or comes twice."""

from __future__ import annotations

from shaketable import Cluster, Injected


async def three_fates(cluster: Cluster, kind: str, sender: str, *to: str) -> list[Injected]:
    """The one that is held back comes last: it is to be released by the story."""
    late = 2 * cluster.settings.heartbeat_interval
    return [
        await cluster.drop(kind, sender=sender, to=to, count=1),
        await cluster.delay(kind, late, sender=sender, to=to, count=3),
        await cluster.hold_back(kind, sender=sender, to=to, count=2),
    ]


async def until_caught(cluster: Cluster, fates: list[Injected]) -> None:
    for each in fates:
        await cluster.until(cluster.that.caught(each), within=cluster.bounds.safe())
