"""A flap that goes on beside the script until it is healed: one fault to whoever heals, and made of many cuts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from tests.harness.scripting.staging import Played, play

from shaketable.harness.errors import ScriptError
from shaketable.harness.faults.actions import NoEffect
from shaketable.harness.faults.links import SOUND
from shaketable.harness.records import FaultAsked, FaultEnded, FaultTook, FaultWithoutEffect
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.fault_book import Injected
from shaketable.node.core.env import MILLISECOND, SECOND

Heal = Callable[[Cluster, Injected], Awaitable[object]]
HEALED: dict[str, Heal] = {
    "by itself": lambda cluster, flap: cluster.heal(flap),
    "with its link": lambda cluster, flap: cluster.heal_link("n2", "n1"),
    "with all": lambda cluster, flap: cluster.heal_all(),
}


def flapped(heal: Heal, after: int, *, one_way: bool = False) -> Played:
    """So long after it began, it is healed; and a minute passes."""

    async def script(cluster: Cluster) -> None:
        await cluster.form("n1", "n2", "n3")
        flap = await cluster.flap("n1", "n2", down=100 * MILLISECOND, up=300 * MILLISECOND, one_way=one_way)
        await cluster.sleep(after)
        await heal(cluster, flap)
        await cluster.sleep(60 * SECOND)

    played = play(script)
    assert played.outcome.kind == "done", played.outcome
    return played


@pytest.mark.parametrize(("after", "made"), [(50, 1), (250, 1), (1700, 4)], ids=["cut", "whole", "late"])
@pytest.mark.parametrize("how", HEALED)
def test_it_goes_on_until_it_is_healed_and_leaves_the_link_whole(how: str, after: int, made: int) -> None:
    played = flapped(HEALED[how], after * MILLISECOND)
    flap, *cuts = played.told(FaultAsked)
    links = ("n1->n2", "n2->n1")
    rhythm = "n1->n2, n2->n1: 100 ms cut, 300 ms whole"
    assert flap == FaultAsked(1, "flap", (), (), rhythm, lasts=True, silences=False, kinds=("flap",))
    assert [(cut.verb, cut.links, cut.silences) for cut in cuts] == [("flap by cut", links, True)] * len(cuts)
    assert {(cut.detail, cut.kinds) for cut in cuts} == {("of fault 1", ("flap", "cut"))}
    assert len(cuts) == made  # a cut and its end take some milliseconds themselves
    assert [took.fault for took in played.told(FaultTook)][:2] == [2, 1]
    assert sorted(ended.fault for ended in played.told(FaultEnded)) == list(range(1, len(cuts) + 2))
    assert not any(fault.active for fault in played.world.observed.faults.values())
    assert played.cluster._faults.table.link(("n1", "n2")) == SOUND


def test_one_way_alone() -> None:
    played = flapped(HEALED["by itself"], SECOND, one_way=True)
    assert {cut.links for cut in played.told(FaultAsked)[1:]} == {("n1->n2",)}


def test_a_link_of_others_is_none_of_its_own() -> None:
    async def heal(cluster: Cluster, flap: Injected) -> None:
        await cluster.heal_link("n1", "n3")
        await cluster.sleep(2 * SECOND)
        await cluster.heal(flap)

    assert len(flapped(heal, SECOND).told(FaultAsked)) > 5


def test_where_its_first_cut_has_no_effect_it_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form("n1", "n2")
        monkeypatch.setattr(cluster._world, "act", lambda action, done: done(NoEffect("the proxy is gone")))
        await cluster.flap("n1", "n2", down=SECOND, up=SECOND)
        await cluster.sleep(10 * SECOND)

    played = play(script)
    assert [(event.fault, event.reason) for event in played.told(FaultWithoutEffect)] == [
        (2, "the proxy is gone"), (1, "the proxy is gone"),
    ]  # fmt: skip
    assert len(played.told(FaultAsked)) == 2


def test_without_an_end_and_without_a_pause_it_is_refused() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form("n1", "n2")
        with pytest.raises(ScriptError, match="is down and up for at least a millisecond each"):
            await cluster.flap("n1", "n2", down=0, up=SECOND)

    assert play(script).outcome.kind == "done"
