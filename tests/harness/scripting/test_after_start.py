"""What is done for each node that a verb has started: by the verb, in the order of the names, when it is through."""

from __future__ import annotations

from tests.harness.scripting.staging import play

from shaketable.harness.scripting.cluster import Cluster


def test_it_is_done_for_each_node_after_each_verb_that_starts_some() -> None:
    told: list[tuple[str, bool]] = []

    async def script(cluster: Cluster) -> None:
        async def tell(name: str) -> None:
            told.append((name, cluster.seen.view(name).joined))
            await cluster.sleep(1)

        cluster.after_start(tell)
        await cluster.form("n1", "n2")
        await cluster.join("n3")
        await cluster.start("n4")
        await cluster.kill("n4")
        await cluster.restart("n4")

    assert play(script).outcome.kind == "done"
    assert told == [("n1", True), ("n2", True), ("n3", True), ("n4", False), ("n4", False)]


def test_what_goes_wrong_there_is_told_at_the_line_of_the_script_that_does_it() -> None:
    async def script(cluster: Cluster) -> None:
        async def cut(name: str) -> None:
            await cluster.cut(name, name)

        cluster.after_start(cut)
        await cluster.form_at_once("n1", "n2")

    outcome = play(script).outcome
    assert (outcome.kind, outcome.reason.split(": ")[1]) == ("unknown", "there is no link from n1 to itself")
