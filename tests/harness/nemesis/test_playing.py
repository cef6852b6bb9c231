"""A plan is played deed by deed at its times; what cannot be done is left out in words, and makes no run unknown.

The script that is written of a plan does the same: every node lives through the very same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.harness.nemesis.climates import OFF, STORIES

from shaketable.harness.faults.actions import Action, End, NoEffect
from shaketable.harness.nemesis.drawing import draw
from shaketable.harness.nemesis.failing import plan_in
from shaketable.harness.nemesis.plan import Deed, Plan
from shaketable.harness.nemesis.playing import left_out_in, play, rest_left_out_in
from shaketable.harness.nemesis.simpler import with_deeds
from shaketable.harness.nemesis.writing import Why, script_text
from shaketable.harness.records import FaultAsked, FaultEndAsked, NodeEnded, Record
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Finished, Options, run_simulated
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import Script, load_scripts, script
from shaketable.harness.worlds.sim.world import Done, SimWorld
from shaketable.node.config import DEFAULT, Settings
from shaketable.node.core.env import SECOND
from shaketable.node.events import Held

WHY = Why('A "story".', ["Because of\\it."], ["shaketable run it.py"])


def played(plan: Plan, settings: Settings = OFF, seed: int = 1) -> Finished:
    usual = DEFAULT.outside()
    own = {name: value for name, value in settings.outside().items() if value != usual[name]}

    @script(about=["settled"], settings=own)
    async def story(cluster: Cluster) -> None:
        await play(cluster, plan)

    return run_simulated(story, Options(seed=seed))


def a_plan(*deeds: Deed, storm: int = 100) -> Plan:
    return Plan(
        family="cluster", nodes=("n1", "n2", "n3"), deeds=deeds, storm=storm * SECOND, ending="each part settles"
    )


def by_nodes(records: Sequence[Record]) -> list[Record]:
    return [record for record in records if record.node]


def test_deeds_overlap_and_end_at_their_times_or_with_the_storm() -> None:
    first = Deed(10 * SECOND, "cut", ("n1",), ("n2",))
    second = Deed(20 * SECOND, "blackhole", ("n2",), ("n3",), 5 * SECOND, {"one_way": True})
    finished = played(a_plan(first, second, storm=40))
    assert finished.outcome.kind == "done"
    told = [r for r in finished.records if isinstance(r.event, FaultAsked | FaultEndAsked)]
    begin = told[0].time - 10 * SECOND
    assert [(r.event.fault, (r.time - begin) // SECOND) for r in told if isinstance(r.event, FaultAsked)] == [
        (1, 10), (2, 20)
    ]  # fmt: skip
    assert [(r.event.fault, (r.time - begin) // SECOND) for r in told if isinstance(r.event, FaultEndAsked)] == [
        (2, 25), (1, 40)
    ]  # fmt: skip
    assert plan_in(finished.records) == a_plan(first, second, storm=40)


def test_what_begins_when_the_storm_ends_ends_then_as_well() -> None:
    last = Deed(20 * SECOND, "clock", ("n1",), (), None, {"rate_ppm": 1000})
    point = Deed(20 * SECOND, "crash_at", ("n2",), (), None, {"event": "ViewPublished", "held": SECOND})
    finished = played(a_plan(Deed(SECOND, "cut", ("n1",), ("n2",)), last, point, storm=20))
    asked = {r.event.fault: r.event.verb for r in finished.records if isinstance(r.event, FaultAsked)}
    ended = [asked[r.event.fault] for r in finished.records if isinstance(r.event, FaultEndAsked)]
    assert list(asked.values()) == ["cut", "clock", "hold", "kill"]
    assert ended == ["cut", "clock"], "the kill takes the hold along"


@pytest.mark.parametrize(
    "impossible",
    [
        Deed(2 * SECOND, "kill", ("n3",)),
        Deed(2 * SECOND, "pause", ("n3",), lasts=SECOND),
        Deed(2 * SECOND, "leave", ("n3",), lasts=SECOND),
        Deed(2 * SECOND, "cut", ("n3",), ("n1",), SECOND),
        Deed(2 * SECOND, "drop", ("n3",), (), SECOND, {"kind": "heartbeat"}),
        Deed(2 * SECOND, "crash_at", ("n3",), (), 4 * SECOND, {"event": "ViewInstalled", "held": SECOND}),
        Deed(2 * SECOND, "join", ("n2",)),
        Deed(2 * SECOND, "isolate", ("n9",), lasts=SECOND),
        Deed(2 * SECOND, "reset", ("n1",), ("n3",)),
    ],
    ids=lambda deed: deed.verb,
)
def test_what_cannot_be_done_is_left_out_with_all_that_follows_it(impossible: Deed) -> None:
    finished = played(a_plan(Deed(SECOND, "kill", ("n3",)), impossible, storm=20))
    assert judged(finished).outcome == "passed", judged(finished).reasons
    assert left_out_in(finished.records) == [1]


@pytest.mark.parametrize(("soon", "left_out"), [(SECOND // 3, [1]), (2 * SECOND, [])])
def test_old_links_of_a_node_that_was_started_again_are_not_reset(soon: int, left_out: list[int]) -> None:
    """Others may take them for whole until they hear of their end."""
    kill = Deed(SECOND, "kill", ("n3",), (), SECOND)
    finished = played(a_plan(kill, Deed(2 * SECOND + soon, "reset", ("n1",), ("n3",)), storm=20))
    assert judged(finished).outcome == "passed", judged(finished).reasons
    assert left_out_in(finished.records) == left_out


def test_who_was_started_again_meanwhile_is_not_started_twice() -> None:
    """The second deed is to start it again at 6 s; the first one has done so at 5 s, and it has crashed once more."""
    first = Deed(SECOND, "kill", ("n3",), (), 4 * SECOND)
    crash = Deed(0, "crash_at", ("n3",), (), 6 * SECOND, {"event": "ViewPublished", "held": SECOND // 2})
    finished = played(a_plan(crash, first, storm=20))
    assert judged(finished).outcome == "passed", judged(finished).reasons
    assert left_out_in(finished.records) == [1], "it is down by then"
    assert rest_left_out_in(finished.records) == []


def test_a_crash_point_is_come_to_or_not_and_a_filter_need_not_catch_anything() -> None:
    point = Deed(0, "crash_at", ("n1",), (), 30 * SECOND, {"event": "MemberRemoved", "held": 20 * SECOND})
    vain = Deed(0, "drop", ("n2",), (), None, {"kind": "mastershipclaim", "count": 1})
    quiet = played(a_plan(point, vain))
    assert judged(quiet).outcome == "passed", judged(quiet).reasons
    assert not any(isinstance(r.event, Held) for r in quiet.records)
    held = played(a_plan(point, vain, Deed(SECOND, "kill", ("n3",))))
    assert judged(held).outcome == "passed", judged(held).reasons
    assert [r.node for r in held.records if isinstance(r.event, Held)] == ["n1"]


def test_a_leave_goes_on_beside_what_comes_next() -> None:
    leave, cut = Deed(SECOND, "leave", ("n3",)), Deed(SECOND, "cut", ("n1",), ("n2",), SECOND)
    finished = played(a_plan(leave, cut, storm=20))
    asked = [r for r in finished.records if isinstance(r.event, FaultAsked)]
    assert [r.event.verb for r in asked if isinstance(r.event, FaultAsked)] in (["leave", "cut"], ["cut", "leave"])
    assert asked[0].time == asked[1].time
    assert judged(finished).outcome == "passed", judged(finished).reasons


def test_who_shuts_down_when_the_calm_begins_is_not_expected_to_live() -> None:
    """None of its links is whole, so nobody takes it off the view: it runs on until its patience is over."""
    alone, leave = Deed(SECOND, "isolate", ("n2",)), Deed(9 * SECOND, "leave", ("n2",))
    names, storm = ("n1", "n2", "n3"), 10 * SECOND
    plan = Plan(family="gms", nodes=names, deeds=(alone, leave), storm=storm, ending="one group")
    finished = played(plan, DEFAULT.with_values({"family": "gms"}))
    assert [r.event.peer for r in finished.records if isinstance(r.event, NodeEnded)] == ["n2"]
    assert judged(finished).outcome == "passed", judged(finished).reasons


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("story", STORIES)
def test_the_script_that_is_written_of_it_does_the_same(story: str, seed: int, tmp_path: Path) -> None:
    climate, settings = STORIES[story]
    drawn = draw(climate, settings, seed)
    out = left_out_in(played(drawn, settings).records)
    plan = with_deeds(drawn, [deed for number, deed in enumerate(drawn.deeds) if number not in out])
    finished = played(plan, settings)
    assert not left_out_in(finished.records)
    again = run_simulated(written(plan, finished, tmp_path), Options(seed=1))
    assert again.outcome == finished.outcome
    assert by_nodes(again.records) == by_nodes(finished.records)


def written(plan: Plan, finished: Finished, folder: Path) -> Script:
    usual = DEFAULT.outside()
    own = {name: value for name, value in finished.settings.outside().items() if value != usual[name]}
    rest = rest_left_out_in(finished.records)
    text = script_text(
        plan, WHY, name="story", about=["settled"], settings=own, of=finished.settings, without_the_rest=rest
    )
    file = folder / "story.py"
    file.write_text(text)
    (found,) = load_scripts([file])
    assert found.title == 'A "story".'
    return found


@pytest.mark.parametrize("perhaps", [True, False])
def test_a_hold_that_a_real_node_never_came_to_may_end_so_if_it_was_only_perhaps(
    perhaps: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real process says that it never came to hold there, when it is to go on; a simulated one says nothing."""
    act = SimWorld.act

    def real(world: SimWorld, action: Action, done: Done) -> None:
        if isinstance(action, End):
            world.call_later(0, lambda: done(NoEffect("it never came to hold there")))
        else:
            act(world, action, done)

    monkeypatch.setattr(SimWorld, "act", real)

    @script(about=["settled"], settings={"merging": False})
    async def story(cluster: Cluster) -> None:
        await cluster.form("n1", "n2", "n3")
        await cluster.heal(await cluster.hold("n2", "ClaimStarted", perhaps=perhaps))
        await cluster.calm()

    verdict = judged(run_simulated(story, Options()))
    assert verdict.outcome == ("passed" if perhaps else "unknown"), verdict.reasons
