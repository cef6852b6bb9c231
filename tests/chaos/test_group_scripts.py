"""Every chaos script of groups passes in virtual time with both presets, under each pair of policies that it is about,
and would not if its faults did nothing."""

from __future__ import annotations

import pytest
from tests.chaos.shipped import GROUPS
from tests.lengths import mostly_by_night, one_in

from shaketable.chaos.helpers.groups import named, scripts_under
from shaketable.harness.faults.actions import Action, Command, Receipt, Start
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.worlds.sim.world import Done, SimWorld
from shaketable.node.config import BY_ORDER, BY_SENIORITY, DETECTIONS, ELECTIONS, PRESETS, RING

BORNE = (
    "group-start-",
    "group-starts-and",
    "group-starts-when",
    "group-starts-again",
    "group-add",
    "nemesis",
    "a-small",
    "group-master-asks-its-list",
)
"""Nothing is broken in these; or all is well in the end, whatever was drawn."""
PARTS = 8


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("part", mostly_by_night(2, one_in(4, range(PARTS))))
def test_they_pass(part: int, preset: str) -> None:
    verdicts = [judged(run_simulated(script, Options(seed=3, preset=preset))) for script in GROUPS[part::PARTS]]
    assert {verdict.script: verdict.reasons for verdict in verdicts if verdict.outcome != "passed"} == {}


@pytest.mark.parametrize("part", mostly_by_night(2, one_in(4, range(PARTS))))
def test_they_are_not_done_where_their_faults_do_nothing(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    act = SimWorld.act

    def pretend(world: SimWorld, action: Action, done: Done) -> None:
        if isinstance(action, (Start, Command)):
            act(world, action, done)
        else:
            world.call_later(0, lambda: done(Receipt(world.now(), "nothing was done")))

    monkeypatch.setattr(SimWorld, "act", pretend)
    for script in [script for script in GROUPS if script.expects_violation is None][part::PARTS]:
        done = run_simulated(script, Options(seed=1, preset="fast")).outcome.kind == "done"
        assert done == script.name.startswith(BORNE), script.name


def test_each_pair_of_policies_that_makes_sense_has_its_scripts() -> None:
    told: dict[tuple[object, object], int] = {}
    for script in GROUPS:
        settings = Options("sim").settings(script)
        assert settings.family == "gms", script.name
        pair = settings.gms_detection, settings.gms_election
        told[pair] = told.get(pair, 0) + 1
    assert set(told) == {(detection, election) for detection in DETECTIONS for election in ELECTIONS}
    assert min(told.values()) >= 10


def test_every_script_says_what_it_is_about() -> None:
    for script in GROUPS:
        assert script.about, script.name
        assert script.title.endswith("."), script.name
        assert not script.title.endswith(".."), script.name


async def a_story(cluster: Cluster) -> None:
    """Nothing happens."""


def test_names_and_titles_say_which_policies_there_are_several_of() -> None:
    one = named("by-seniority", scripts_under([RING], [BY_ORDER, BY_SENIORITY])(a_story))
    assert (one.name, one.title) == ("a-story-by-seniority", "Nothing happens (by seniority).")
    assert one.settings == {"family": "gms", "gms_detection": RING, "gms_election": BY_SENIORITY}
    (alone,) = scripts_under([RING], [BY_ORDER])(a_story)
    assert (alone.name, alone.title) == ("a-story", "Nothing happens.")


@pytest.mark.parametrize(
    ("name", "seed", "preset", "schedule"),
    [
        # A probe of a doubt that had ended declared its member dead under the next doubt.
        ("nemesis-of-a-group-ring-with-inferred-by-order", 8402390, "default", "usual"),
        # A member that two masters had added was told as ready by the first one alone.
        ("nemesis-of-a-group-by-datagram-ring-with-inferred-by-order", 8500126, "default", "varying"),
        # One that missed a rejoin, and the end of that rejoiner, heard under the next master of that end alone.
        ("nemesis-of-a-group-master-and-likely-by-order", 8500226, "default", "ranked"),
        # A probe before had been answered, in a moment between two faults: the check held its silence for too long.
        ("nemesis-of-a-group-ring-by-order", 8900028, "default", "varying"),
        # A question to a witness was lost: its sender took over from a master whose notifications it took again.
        ("nemesis-of-a-group-ring-with-inferred-by-seniority", 9100175, "default", "varying"),
        # A member was cut off just when it had been added, and took its view late: the check began with that moment.
        ("nemesis-of-a-group-by-datagram-swim-by-order", 9205020, "default", "usual"),
        # A suspect whose place another incarnation had taken got time for a probe when its own time was almost over.
        ("nemesis-of-a-group-swim-by-order", 9206232, "fast", "usual"),
        # The same of a master, whose place another incarnation had taken.
        ("nemesis-of-a-group-swim-by-seniority", 9206353, "default", "ranked"),
        # Another master said that a suspect lives: followers believed it, and their own master then told its failure.
        ("nemesis-of-a-group-master-and-likely-by-seniority", 9700003, "default", "usual"),
        # A master's last words came over a slow link after its death: the check gave no time for one more probe of it.
        ("nemesis-of-a-group-by-datagram-swim-by-order", 9900188, "default", "varying"),
        # The one that has run longest took over, and had joined late: the check held the first that joined for older.
        ("nemesis-of-a-group-by-datagram-lifeguard-by-seniority", 9800191, "default", "varying"),
        # A probe had been answered between a fault and its suspect's end: the check held its silence for too long.
        ("nemesis-of-a-group-master-and-likely-by-order", 9940290, "default", "usual"),
        # A member that was to leave before it had its master's first view founded a group of its own.
        ("nemesis-of-a-group-by-datagram-all-to-all-by-seniority", 9910373, "fast", "usual"),
        # No plan: the story began before a member had its master's last word, and that one made it ask again at once.
        ("group-watchdog-tells-of-a-shutdown", 9302, "default", "usual"),
        # A doubt had ended, and another member was suspected: the check took that for the old doubt.
        ("nemesis-of-a-group-by-datagram-swim-by-order", 9995020, "default", "usual"),
    ],
)
def test_plans_that_showed_a_fault_of_ours_pass(name: str, seed: int, preset: str, schedule: str) -> None:
    (script,) = (each for each in GROUPS if each.name == name)
    verdict = judged(run_simulated(script, Options(seed=seed, preset=preset, values={"schedule": schedule})))
    assert verdict.outcome == "passed", verdict.reasons
