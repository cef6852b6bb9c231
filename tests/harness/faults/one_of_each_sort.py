"""A new kind of fault for each thing that one can be done to: called, filled in, drawn, played, written, shrunk.

Part of a_new_fault.py, which runs in a process of its own and adds them first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest
from tests.harness.faults import fault_tables
from tests.harness.faults.new_kinds import DUMB, FOG, JERK, MARSH, MUD, MUTE, NAP, NEW, RIFT, SPILL

from shaketable.harness.coverage import marks_of
from shaketable.harness.errors import UserError
from shaketable.harness.faults.kinds import KINDS
from shaketable.harness.faults.verb import FaultKind
from shaketable.harness.history.history import History
from shaketable.harness.nemesis import simpler
from shaketable.harness.nemesis.drawing import Climate, draw
from shaketable.harness.nemesis.plan import Deed, Plan
from shaketable.harness.nemesis.playing import perform, play
from shaketable.harness.nemesis.weight import weight_of
from shaketable.harness.nemesis.writing import Why, script_text
from shaketable.harness.records import FaultAsked, FaultEnded, FaultTook, FaultWithoutEffect, Record
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import Script, load_scripts
from shaketable.node.config import CLUSTER, FAST
from shaketable.node.core.env import MILLISECOND, SECOND
from shaketable.node.events import LinkDown
from shaketable.tui.model.hands.calls import BY_VERB, Call
from shaketable.tui.model.hands.filling_in import filled_in

CALLS: Mapping[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    MUD.verb: (("n1", "n2", 200 * MILLISECOND), {"one_way": True}),
    JERK.verb: (("n1", "n2"), {}),
    MARSH.verb: (("n1", ["n2", "n3"], 200 * MILLISECOND), {"jitter": MILLISECOND}),
    SPILL.verb: (("n1", "n2"), {"percent": 50, "perhaps": True}),
    MUTE.verb: (("heartbeat",), {"sender": "n2", "to": ["n1"], "count": 1, "perhaps": True}),
    DUMB.verb: ((), {"sender": "n2", "perhaps": True}),
    RIFT.verb: ((["n1", "n2"], "n3"), {}),
    FOG.verb: ((2,), {}),
    NAP.verb: (("n2",), {}),
}
"""a new kind of each thing that a fault can be done to, with what it is called with"""
TYPED: Mapping[str, tuple[list[str], dict[str, str]]] = {
    MUD.verb: (["n1", "n2"], {}),
    JERK.verb: (["n1", "n2"], {}),
    MARSH.verb: (["n1", "n2"], {}),
    SPILL.verb: (["n1", "n2"], {}),
    MUTE.verb: (["n2"], {"kind": "heartbeat", "count": "1"}),
    DUMB.verb: (["n2"], {}),
    RIFT.verb: ([], {"groups": "n1 n2 | n3"}),
    FOG.verb: ([], {}),
    NAP.verb: (["n2"], {}),
}
NOT_OF_A_GROUP: dict[str, object] = {"merging": False}
OF_A_GROUP: dict[str, object] = {"family": "gms", "gms_udp": "both"}


def settings_for(kind: FaultKind) -> dict[str, object]:
    return NOT_OF_A_GROUP if CLUSTER in kind.families else OF_A_GROUP


def verbs_asked(records: list[Record]) -> list[str]:
    """The first of each is its kind: what is made of others says so."""
    return [record.event.kinds[0] for record in records if isinstance(record.event, FaultAsked)]


def all_took_effect(records: list[Record]) -> bool:
    return not [record for record in records if isinstance(record.event, FaultWithoutEffect)]


def played(body: Callable[[Any], Any], **settings: object) -> list[Record]:
    finished = run_simulated(Script("stunned", "", "", body, settings=settings), Options(preset="fast", limit=1e6))
    assert finished.outcome.kind == "done", finished.outcome
    return list(finished.records)


def a_script_calls_one_of_each_sort() -> None:
    assert {KINDS[verb].of for verb in CALLS} == {kind.of for kind in KINDS.values()}
    for verb, (whom, values) in CALLS.items():

        async def body(
            cluster: Any, verb: str = verb, whom: tuple[Any, ...] = whom, values: dict[str, Any] = values
        ) -> None:
            await cluster.form("n1", "n2", "n3")
            begun = await cluster.inject(verb, *whom, **values)
            if KINDS[verb].lasts:
                await cluster.heal(begun)
            await getattr(cluster, verb)(*whom, **values)
            await cluster.heal_all()
            await cluster.expect(cluster.that.settled(), within=2 * cluster.bounds.settle())

        records = played(body, **settings_for(KINDS[verb]))
        assert verbs_asked(records) == [verb, verb]
        assert all_took_effect(records), verb
        assert marks_of(History(records))[f"fault: {verb}"] == 2, verb


def each_sort_tells_its_limits() -> None:
    async def wrong(cluster: Cluster) -> None:
        await cluster.form("n1", "n2")
        for verb, whom, values, said in (
            ("mute", ("membersupdate",), {}, "mute is done to what a node sends: name it, sender=..."),
            ("mute", ("n2",), {"sender": "n1"}, "there is no message n2; there are "),
            ("mute", ("membersupdate",), {"sender": "n9"}, "n9 is not a node of this run"),
            ("mute", ("membersupdate",), {"sender": "n1", "to": ["n1"]}, "n1 sends nothing to itself"),
            (
                "mute",
                ("membersupdate", 1, 2),
                {"sender": "n1"},
                "mute is done to what a node sends, and was given 3 of",
            ),
            ("mute", ("membersupdate",), {"sender": "n1", "kind": "membersupdate"}, "mute was given its kind twice"),
            ("mud", ("n1",), {}, "mud is done to a link, and was given 1 of 2 names"),
            ("mud", ("n1", "n2"), {"sender": "n1", "latency": 1000}, "mud takes no sender; it takes latency"),
            ("mud", ("n1", "n2"), {"to": "n1", "latency": 1000}, "mud takes no to; it takes latency"),
            ("mud", ("n1", "n2", 0), {}, "the latency is at least 1, not 0"),
            ("marsh", ("n1", "n1", 1000), {}, "there is no link from n1 to itself"),
            ("spill", ("n1", "n2"), {"percent": 1}, "spill: n1 sends none; it takes settings="),
            ("fog", (1, 2), {}, "fog is done to all, and was given 2 of 0 names and 1 value"),
        ):
            with pytest.raises(UserError, match=f"^{said}"):
                await cluster.inject(verb, *whom, **values)

    played(wrong)


def the_menu_fills_in_one_of_each_sort() -> None:
    assert {KINDS[verb].of for verb in TYPED} == {kind.of for kind in KINDS.values()}
    for verb, (nodes, typed) in TYPED.items():
        assert BY_VERB[verb].lasts is (verb != JERK.verb)
        call = filled_in(BY_VERB[verb], nodes, typed)

        async def body(cluster: Any, call: Call = call) -> None:
            await cluster.form("n1", "n2", "n3")
            await perform(cluster, call)

        assert verbs_asked(played(body, **settings_for(KINDS[verb]))) == [verb]


def random_plans_draw_play_and_write_one_of_each_sort() -> None:
    with TemporaryDirectory() as folder:
        for verb in CALLS:
            drawn_played_and_written(verb, Path(folder) / f"{verb}.py")


def drawn_played_and_written(verb: str, file: Path) -> None:
    values = settings_for(KINDS[verb])
    ending = "each part settles" if CLUSTER in KINDS[verb].families else "one group"
    settings = FAST.with_values(values)
    climate = Climate(weights={verb: 1}, ending=ending, nodes=(4, 4), deeds=(3, 3))
    plan = draw(climate, settings, 1)
    assert plan.kinds == (verb,)

    async def body(cluster: Any, plan: Plan = plan) -> None:
        await play(cluster, plan)

    assert set(verbs_asked(played(body, **values))) == {verb}
    why = Why("It is written.", (), ())
    file.write_text(script_text(plan, why, name=verb, about=(), settings=values, of=settings), encoding="utf-8")  # type: ignore[arg-type]
    (again,) = load_scripts([file])
    assert set(verbs_asked(played(again.body, **values))) == {verb}


def shrinking_makes_one_of_each_sort_plainer() -> None:
    for kind in (MUD, JERK, SPILL, MUTE, RIFT, NAP, FOG):
        settings = FAST.with_values(settings_for(kind))
        plan = draw(Climate(weights={kind.verb: 1}, ending="", nodes=(4, 4), deeds=(1, 1)), settings, 1)
        plainer = [each for each in simpler.simpler_deeds(plan) if each.deeds[0].verb != kind.verb]
        assert kind.plainer is not None
        assert [each.deeds[0].verb for each in plainer] == [kind.plainer.verb]
        assert weight_of(plainer[0], (SECOND,)) <= weight_of(plan, (SECOND,))
    to_one = Plan(family=CLUSTER, nodes=("n1", "n2"), deeds=(Deed(0, "dumb", ("n1",), ("n2",)),), storm=1, ending="")
    assert [each.deeds[0].to for each in simpler.simpler_deeds(to_one)] == [()]


def what_is_over_by_itself_is_undone() -> None:
    async def jerked(cluster: Any) -> None:
        await cluster.form("n1", "n2")
        fault = await cluster.jerk("n1", "n2")
        assert cluster._world.table.active == {}
        assert cluster._faults.table.active == {}
        await cluster.until(cluster.that.link_is_up("n1", "n2"), within=SECOND)
        with pytest.raises(UserError, match="is healed already"):
            await cluster.heal(fault)
        await cluster.heal_all()

    records = played(jerked)
    (asked,) = [record.event for record in records if isinstance(record.event, FaultAsked)]
    assert not asked.lasts
    told = [type(r.event) for r in records if isinstance(r.event, FaultTook | FaultEnded | FaultWithoutEffect)]
    assert told == [FaultTook, FaultEnded]
    assert [record for record in records if isinstance(record.event, LinkDown)]


def pages_list_one_of_each_sort() -> None:
    for kind in NEW:
        for rows in (fault_tables.meanings, fault_tables.deeds):
            assert any(f"`{kind.verb}`" in row for row in rows()), (kind.verb, rows)
    said = "\n".join(fault_tables.values())
    for kind in (MUD, MARSH, SPILL, MUTE, FOG):
        assert f'`inject("{kind.verb}", ...)`' in said


OF_EACH_SORT: Final[tuple[Callable[[], None], ...]] = (
    *(a_script_calls_one_of_each_sort, each_sort_tells_its_limits, the_menu_fills_in_one_of_each_sort),
    *(random_plans_draw_play_and_write_one_of_each_sort, shrinking_makes_one_of_each_sort_plainer),
    *(what_is_over_by_itself_is_undone, pages_list_one_of_each_sort),
)
