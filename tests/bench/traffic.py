"""How much the members of a sound cluster say to each other, counted where it arrives, beside what the text's rules ask
for: a heartbeat an interval to each other member, a master confirmation an interval and a list a publish interval
between each follower and the master."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import Script
from shaketable.node.cluster.member import ClusterMember
from shaketable.node.config import Settings
from shaketable.node.core.env import SECOND, Env, Micros
from shaketable.node.messages import Address, Message

ROUNDS = 2
"""publish intervals that are counted: of the three intervals it is a multiple of both others"""


def counted(count: int) -> tuple[float, float]:
    """Messages a node and second with the `default` settings: what arrived, and what is to be expected."""
    arrived = 0

    class Counting(ClusterMember):
        def receive(self, message: Message) -> None:
            nonlocal arrived
            arrived += 1
            super().receive(message)

    def make(env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> ClusterMember:
        return Counting(env, address, addresses, settings)

    async def body(cluster: Cluster) -> None:
        nonlocal arrived
        settings = cluster.settings
        await cluster.form_at_once(*(f"n{i}" for i in range(1, count + 1)))
        # Between two publishes, so that each member's number of rounds in that time is exact.
        await cluster.sleep(settings.member_list_publish_interval + settings.heartbeat_interval // 2)
        arrived = 0
        await cluster.sleep(ROUNDS * settings.member_list_publish_interval)
        counts.append(arrived)

    counts: list[int] = []
    script = Script("traffic", "traffic", __file__, body)
    finished = run_simulated(script, Options("sim", preset="default"), make_member=make)
    assert finished.outcome.kind == "done", finished.outcome
    settings = finished.settings
    seconds = ROUNDS * settings.member_list_publish_interval / SECOND
    return counts[0] / count / seconds, _expected(count, settings)


def _expected(count: int, settings: Settings) -> float:
    def a_second(interval: Micros) -> float:
        return SECOND / interval

    followers = (count - 1) / count
    return (
        (count - 1) * a_second(settings.heartbeat_interval)
        + followers * a_second(settings.master_confirmation_interval)
        + followers * a_second(settings.member_list_publish_interval)
    )
