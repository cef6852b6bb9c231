"""A kind of fault that is none of ours, added as one is: a row, a class, its act in each world. Then where it is found.

Run by itself, in a process of its own: what it adds is there before anything else is made of the table."""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from tests.harness.faults.new_kinds import NEW

from shaketable.harness.faults.kinds import KINDS
from shaketable.harness.faults.node_kinds import PAUSE
from shaketable.harness.faults.parameters import Parameter
from shaketable.harness.faults.table import NodeFault
from shaketable.harness.faults.verb import NODE, RUNNING, Effect, FaultKind, Sign
from shaketable.node.config import CLUSTER, DEFAULT, FAST

STUN = FaultKind(
    verb="stun",
    sentence="the node is stunned",
    of=NODE,
    effect=Effect.STOPS,
    parameters=(
        Parameter("depth", "times", "3", said="the depth", most=9, draw=lambda d: d.chance.randint(2, 9), plainer=(1,)),
    ),
    families=(CLUSTER,),
    whose=RUNNING,
    sign=Sign(10, "stunned", "*"),
    hardness=3,
    plainer=PAUSE,
    marks={"": "a node was stunned"},
    real="a dummy",
    simulated="it executes nothing",
    make=lambda node, depth=1: Stun(node, depth),
)
KINDS.update({kind.verb: kind for kind in (STUN, *NEW)})


@dataclass(frozen=True, slots=True)
class Stun(NodeFault):
    node: str
    depth: int
    kind: FaultKind = STUN


@dataclass(frozen=True, slots=True)
class Daze(NodeFault):
    """No world has an act for it."""

    node: str
    late: int
    kind: FaultKind = STUN


DAZE = replace(STUN, verb="daze", parameters=(Parameter("late", "ms"),), make=Daze)
OF_OTHER_UNITS = (Parameter("how", "how"), Parameter("one_way", "yes or no"), Parameter("beside", "nodes"))

# From here on the rest of shaketable knows it.

from tests.harness.faults import fault_tables  # noqa: E402
from tests.harness.faults.one_of_each_sort import OF_EACH_SORT, played  # noqa: E402

from shaketable.harness.bounds.cluster import Bounds  # noqa: E402
from shaketable.harness.checks.shared.circumstances import Circumstances  # noqa: E402
from shaketable.harness.coverage import ALL_MARKS, marks_of  # noqa: E402
from shaketable.harness.errors import UserError  # noqa: E402
from shaketable.harness.history.history import History  # noqa: E402
from shaketable.harness.nemesis import simpler  # noqa: E402
from shaketable.harness.nemesis.drawing import Climate, draw  # noqa: E402
from shaketable.harness.nemesis.plan import Plan, from_json, to_json  # noqa: E402
from shaketable.harness.nemesis.playing import play  # noqa: E402
from shaketable.harness.nemesis.weight import weight_of  # noqa: E402
from shaketable.harness.records import FaultAsked, FaultEnded, FaultTook  # noqa: E402
from shaketable.harness.scripting.cluster import Cluster  # noqa: E402
from shaketable.harness.worlds.real import acts as real  # noqa: E402
from shaketable.harness.worlds.sim import acts as simulated  # noqa: E402
from shaketable.node.core.env import SECOND  # noqa: E402
from shaketable.tui.model.hands.calls import BY_VERB, Call  # noqa: E402
from shaketable.tui.model.hands.fields import complaint  # noqa: E402
from shaketable.tui.model.hands.filling_in import filled_in  # noqa: E402
from shaketable.tui.model.standing import links  # noqa: E402
from shaketable.tui.panels.matrix import DONE  # noqa: E402


def _stun(stage: simulated.Stage, number: int, fault: Stun, changed: simulated.Changed) -> simulated.Known:
    stage.nodes[fault.node].pause()
    return simulated.DOES


def _wake(stage: simulated.Stage, number: int, fault: Stun, changed: simulated.Changed) -> simulated.Known:
    stage.nodes[fault.node].resume()
    return simulated.DOES_NO_LONGER


async def _dummy(stage: real.Stage, number: int, fault: Stun, changed: real.Changed) -> str:
    return f"{fault.node} says so"


simulated.ACTS[Stun] = simulated.Act(_stun, _wake)
real.ACTS[Stun] = real.Act(_dummy, _dummy)

CLIMATE = Climate(weights={"stun": 3, "cut": 1}, ending="each part settles", nodes=(4, 4))


async def stunned(cluster: Any) -> None:
    await cluster.form("n1", "n2", "n3")
    fault = await cluster.inject("stun", "n2", depth=4)
    assert "n2" not in [node.name for node in cluster._world.observed.awake()]
    await cluster.sleep(SECOND)
    await cluster.heal(fault)
    await cluster.stun("n3")
    await cluster.heal_all()
    await cluster.expect(cluster.agree("n1", "n2", "n3"), within=cluster.bounds.settle())


def plan_of(seed: int) -> Plan:
    return draw(CLIMATE, FAST.with_values({"merging": False}), seed)


def a_script_calls_it() -> None:
    records = played(stunned)
    asked = [record.event for record in records if isinstance(record.event, FaultAsked)]
    assert asked[0] == FaultAsked(1, "stun", ("n2",), (), "depth 4 times", True, False, ("stun",))
    assert len(asked) == 2
    for kind in (FaultTook, FaultEnded):
        assert [r.event.fault for r in records if isinstance(r.event, kind)] == [1, 2]


def a_script_is_told_its_limits() -> None:
    async def too_deep(cluster: Cluster) -> None:
        await cluster.form("n1")
        for verb, values, said in (
            ("stun", {"depth": 10}, "the depth is at most 9, not 10"),
            ("stun", {"deep": 1}, "stun takes no deep; it takes depth"),
            ("stan", {}, "there is no fault stan without a method of its own; there are cut, "),
            ("cut", {}, "there is no fault cut without a method of its own: call cluster.cut"),
            (["stun"], {}, r"there is no fault \['stun'\] without a method of its own; there are cut, "),
            ("stun", {"depth": "x"}, r"the depth is a whole number \(a time has microseconds: .*\), not 'x'"),
            ("stun", {"depth": [4]}, r"the depth is a whole number \(a time has microseconds: .*\), not \[4\]"),
            ("stun", {"depth": 4.0}, r"the depth is a whole number \(a time has microseconds: .*\), not 4.0"),
            ("stun", {"how": 1}, "how of stun is a text, not 1"),
            ("stun", {"one_way": "no"}, "one_way of stun is True or False, not 'no'"),
            ("stun", {"beside": 1}, "beside of stun is names of nodes, not 1"),
            ("stun", {"perhaps": "no"}, "perhaps is True or False, not 'no'"),
            ("daze", {}, "daze: missing a required argument: 'late'"),
            ("daze", {"late": 2}, "stun cannot be done in the sim world: it has no act for Daze"),
        ):
            with pytest.raises(UserError, match=f"^{said}"):
                await cluster.inject(verb, "n1", **values)  # type: ignore[arg-type]
        with pytest.raises(UserError, match=r"^\['n1'\] is not a node of this run \(n1\)"):
            await cluster.inject("stun", ["n1"])
        with pytest.raises(UserError, match=r"^stun is done to a node, and was given 2 of 1 names"):
            await cluster.inject("stun", "n1", "n1")

    added = {"daze": DAZE, "stun": replace(STUN, parameters=(*STUN.parameters, *OF_OTHER_UNITS))}
    with pytest.MonkeyPatch.context() as patched:
        for verb, kind in added.items():
            patched.setitem(KINDS, verb, kind)
        played(too_deep)


def the_menu_offers_it() -> None:
    deed = BY_VERB["stun"]
    assert (deed.title, deed.of, deed.lasts, deed.family) == ("the node is stunned", "node", True, CLUSTER)
    assert filled_in(deed, ["n2"], {"depth": "4"}) == Call("stun", ("n2",), {"depth": 4})
    assert complaint(deed, deed.parameters[0], {"depth": "10"}) == "at most 9"


def random_plans_draw_and_play_it() -> None:
    drawn = [deed for seed in range(20) for deed in plan_of(seed).deeds if deed.verb == "stun"]
    assert drawn
    assert all(2 <= int(deed.options["depth"]) <= 9 for deed in drawn)
    group = draw(CLIMATE, DEFAULT.with_values({"family": "gms"}), 1)
    assert {deed.verb for deed in group.deeds} <= {"cut"}
    seed = next(seed for seed in range(20) if "stun" in plan_of(seed).kinds)
    assert from_json(to_json(plan_of(seed))) == plan_of(seed)

    async def body(cluster: Any) -> None:
        await play(cluster, plan_of(seed))

    asked = [r.event.verb for r in played(body) if isinstance(r.event, FaultAsked)]
    assert "stun" in asked


def shrinking_makes_it_simpler() -> None:
    plan = next(plan_of(seed) for seed in range(20) if "stun" in plan_of(seed).kinds)
    alone = simpler.with_deeds(plan, [next(deed for deed in plan.deeds if deed.verb == "stun")])
    tried = [(each.deeds[0].verb, each.deeds[0].options) for each in simpler.simpler_deeds(alone)]
    assert ("pause", {}) in tried
    assert ("stun", {"depth": 1}) in tried
    paused = next(each for each in simpler.simpler_deeds(alone) if each.deeds[0].verb == "pause")
    assert weight_of(paused, (SECOND,)) < weight_of(alone, (SECOND,))


def coverage_has_its_mark() -> None:
    assert ALL_MARKS["fault: stun"].means == "a node was stunned"
    assert ALL_MARKS["fault: stun"].family == CLUSTER
    assert marks_of(History(played(stunned)))["fault: stun"] == 2


def checks_allow_for_it() -> None:
    history = History(played(stunned))
    circumstances = Circumstances(history, Bounds(FAST))
    (first, second) = circumstances.spans
    assert circumstances.stopped("n2", first.begin, first.end)
    assert circumstances.touched(first.begin, first.end, nodes=["n2"])
    assert not circumstances.stopped("n1", first.begin, second.end)
    assert circumstances.shifted_from > history.end  # it shifts nothing


def screens_show_it() -> None:
    assert DONE["stunned"] == "*"
    assert links.WORST[-1] == "stunned"


def pages_list_it() -> None:
    for rows in (fault_tables.meanings, fault_tables.values, fault_tables.deeds):
        assert any("stun" in row for row in rows()), rows
    assert '| `inject("stun", ...)` | `depth`: a number, at least 1, at most 9 |' in fault_tables.values()


PLACES: Mapping[str, Callable[[], None]] = {
    place.__name__.replace("_", " "): place
    for place in (
        *(a_script_calls_it, a_script_is_told_its_limits, the_menu_offers_it, random_plans_draw_and_play_it),
        *(shrinking_makes_it_simpler, coverage_has_its_mark, checks_allow_for_it, screens_show_it, pages_list_it),
        *OF_EACH_SORT,
    )
}


def found() -> dict[str, str]:
    """By place, what went wrong there, or ""."""
    wrong = dict.fromkeys(PLACES, "")
    for name, place in PLACES.items():
        try:
            place()
        except Exception:
            wrong[name] = traceback.format_exc()
    return wrong


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(found()), encoding="utf-8")
