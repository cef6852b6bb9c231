"""A script says whose addresses its nodes are configured with."""

from __future__ import annotations

from tests.harness.scripting.staging import here, play

from shaketable.harness.scripting.cluster import Cluster


def test_a_node_knows_whom_the_script_says() -> None:
    """n3 is told of n2 alone, who leads nobody, and of a dead address, and joins through it; n4 is told of nobody."""

    async def script(cluster: Cluster) -> None:
        await cluster.form("n1", "n2", knowing="dead")
        await cluster.join("n3", knowing=["n2", "dead"])
        await cluster.start("n4", knowing=[])
        await cluster.until(
            cluster.that.agree("n1", "n2", "n3") & cluster.that.agree("n4"), within=cluster.bounds.forming
        )

    played = play(script)
    assert played.outcome.kind == "done", played.outcome
    told = {name: node.member.addresses.configured for name, node in played.world.nodes.items()}
    n1, n2, dead, n3, n4 = [f"127.0.0.1:{port}" for port in range(5701, 5706)]
    assert told == {"n1": (n1, n2, dead), "n2": (n1, n2, dead), "n3": (n3, n2, dead), "n4": (n4,)}


def test_an_address_that_is_no_name_is_one_sentence() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form("n1", knowing=["n 2"])  # here

    outcome = play(script).outcome
    assert outcome.kind == "unknown"
    assert outcome.reason.startswith(f"{here(script)}: 'n 2' is no name for a node: ")
