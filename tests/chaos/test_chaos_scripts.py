"""Every chaos script that we ship passes in virtual time, on many seeds and with both presets, and could fail."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from tests.chaos.played import EACH, SCRIPTS, played
from tests.chaos.shipped import ALL, MATRIX, SHIPPED
from tests.lengths import LONG, mostly_by_night, one_in
from tests.planted import broken_rules as broken
from tests.planted.broken_collecting import WHOSE as WRONG_COLLECTING
from tests.planted.broken_decisions import WHOSE as WRONG_DECISIONS

from shaketable.harness.checks.registry import CHECK_NAMES
from shaketable.harness.faults.actions import Action, Command, Http, Receipt, Start
from shaketable.harness.history.history import History
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Finished, Options, run_simulated
from shaketable.harness.worlds.sim.world import Done, SimWorld
from shaketable.node.cluster.member import ClusterMember
from shaketable.node.config import CLUSTER, PRESETS
from shaketable.node.events import ClaimAsked, ClaimConsented, ClaimFinished, Failed

LARGE = {
    "mastership-fight": 1,
    "twenty-start-under-load": 3,
    "too-much-to-search": 3,
    "a-hundred-dead-remembered-addresses": 1,
    "six-pairs-of-twenty-cut": 3,
    "six-pairs-of-twenty-black-hole": 3,
    "six-pairs-of-twenty-one-way": 3,
    "six-pairs-of-twenty-one-way-black-hole": 3,
    "storm-of-broken-pairs": 3,
    "storm-of-pairs-among-forty": 2,
    **{each.name: 2 for each in SHIPPED if each in MATRIX},
}
"""of which fewer seeds must do"""
USUAL, WITH_DATA = 2, 1
"""seeds of a script, and of one whose members hold data: its runs are ten times as long, and there are many that are
alike. A campaign finds what thousands of seeds find."""
BORNE = {
    "bad-but-not-broken": "links that are bad but not broken",
    "the-master-naps": "a pause that is shorter than the timeout",
    "clock-jump": "no clock makes anybody suspected",
    "clock-drift": "no clock makes anybody suspected",
    "form": "nothing is broken in it",
    "a-small-join": "nothing is broken in it",
    "a-small-migration": "nothing is broken in it",
    "a-small-claim": "its end holds whatever breaks",
    "a-small-claim-during-a-join": "its end holds whatever breaks",
    "a-small-removal": "its end holds whatever breaks",
    "a-small-leave": "nothing is broken in it",
    "a-small-restart": "its end holds whatever breaks",
    "form-at-once": "nothing is broken in it",
    "late-joiners": "nothing is broken in it",
    "ten-joins-at-once": "nothing is broken in it",
    "ten-joins-in-a-batch": "nothing is broken in it",
    "another-cluster-s-name": "nothing is broken in it",
    "a-wrong-configuration": "nothing is broken in it",
    "a-bad-list-changes-nothing": "nothing is broken in it",
    "a-lost-finalize-join": "a joiner asks again",
    "jitter-under-the-deadline": "links that are bad but not broken",
    "jitter-under-phi-accrual": "links that are bad but not broken",
    "a-small-write-behind-a-large-one": "a thin link is no broken one",
    "a-slow-link-between-followers": "links that are bad but not broken",
    "a-slow-link-to-the-master": "links that are bad but not broken",
    "all-links-of-a-follower-are-slow": "links that are bad but not broken",
    "all-links-of-the-master-are-slow": "links that are bad but not broken",
    "twenty-start-under-load": "one cluster comes of it, as without the load",
    "issue-18661-the-other-way": "two that found their clusters alone find each other, one restarted or not",
    "storm": "calm settles whatever there was",
    "data-storm": "all return, and nothing was lost in between",
    "storm-with-data": "calm settles whatever there was, and each part holds what it can",
    "storm-between-followers-with-data": "calm settles whatever there was, and each part holds what it can",
    "storm-that-ends-in-one-cluster": "all that came apart is one again",
    "storm-with-decisions-that-ends-in-one-cluster": "all that came apart is one again",
    "storm-that-merges-data": "calm settles whatever there was, and what came apart has merged",
    "storm-between-followers": "calm settles whatever there was, and the master the rest",
    **{each.name: "all is well in the end, whatever was drawn" for each in SHIPPED if "nemesis" in each.name},
    **{each.name: "nothing is broken in it" for each in SHIPPED if each.name.startswith(("group-add", "group-start"))},
}
"""Scripts that end as if their faults had not been, and why."""


BROKEN: list[tuple[str, type[ClusterMember]]] = [
    ("told-too-late", broken.ObeysWhateverItWas),
    ("graceful-leave", broken.RemovesNoLeaver),
    ("graceful-leave", broken.HearsNoLeaveAnswer),
    ("leave-while-the-master-dies", broken.RemovesNoLeaver),
    ("leave-while-the-master-dies", broken.HearsNoLeaveAnswer),
    ("clock-jump", broken.NeverLearnsTheTime),
    ("clock-drift", broken.NeverLearnsTheTime),
    ("heartbeats-that-are-too-old", broken.TakesAnyHeartbeat),
    ("a-link-hangs-from-its-first-handshake-on", broken.FirstConnectionHasTheGrace),
    ("pause-a-node", broken.TellsThoseItGaveUp),
    ("the-master-oversleeps", broken.TellsThoseItGaveUp),
    ("a-joiner-dies-before-its-request", broken.PublishesForStrangers),
    ("late-list", broken.HearsNoLateList),
    ("ordered-updates", broken.HearsNoLateList),
    ("the-master-s-list-alone-is-heard", broken.BelievesNoList),
    ("a-third-party-lags-behind", broken.ObeysAnyTrigger),
    ("told-for-its-heartbeat", broken.TellsNoneForAHeartbeat),
    ("told-for-its-confirmation", broken.TellsNoneForAConfirmation),
    ("told-for-its-list", broken.TellsNoneForAList),
    ("no-confirmation-for-a-suspected-master", broken.ConfirmsASuspectedMaster),
    ("no-vote-for-a-second-cluster", broken.CountsARefusal),
    ("no-vote-for-a-second-cluster", broken.GrantsAnyVote),
    ("the-old-master-is-heard-during-a-claim", broken.TrustsAnOldMaster),
    ("the-master-s-list-alone-is-heard", broken.SuspectsAtOnceAgain),
    ("a-lost-finalize-join", broken.AnswersNoRepeatedRequest),
    ("a-complaint-of-one-stranger-about-another", broken.TellsTheComplainerAlone),
    ("fast-restart", broken.SeesNoNewIdentity),
    ("fast-restart-of-the-master", broken.SeesNoNewIdentity),
    *((name, member) for member, names in WRONG_DECISIONS.items() for name in names),
    *((name, member) for member, names in WRONG_COLLECTING.items() for name in names),
]
"""Scripts, and a member that breaks the rule that each is about."""


def seeds_of(name: str) -> int:
    return min(LARGE.get(name, USUAL), WITH_DATA if "no lost data" in SCRIPTS[name].about else USUAL)


def first_and_others(place: int, seeds: int) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """The first seed with one of the presets, in turn; and all the others with each, for a long test."""
    first = (list(PRESETS)[place % len(PRESETS)], 0)
    return [first], [each for each in product(PRESETS, range(seeds)) if each != first]


def each_with_seeds() -> Iterator[ParameterSet]:
    for place, name in enumerate(SCRIPTS):
        group = pytest.mark.xdist_group(name)
        first, others = first_and_others(place, seeds_of(name))
        yield pytest.param(name, first, id=name, marks=group)
        yield pytest.param(name, others, id=f"{name}-more-seeds", marks=[group, LONG])


@pytest.mark.parametrize(("name", "runs"), mostly_by_night(4, each_with_seeds()))
def test_it_passes(name: str, runs: list[tuple[str, int]]) -> None:
    for preset, seed in runs:
        finished = played(name, seed, preset)
        verdict = judged(finished, story=seed == 0)
        assert (verdict.outcome, verdict.reasons) == ("passed", ()), f"{preset}, seed {seed}"
        times = [record.time for record in finished.records]
        assert times == sorted(times)


def test_each_script_is_played_in_a_test_that_is_not_long() -> None:
    assert {case.values[0] for case in each_with_seeds() if LONG.mark not in case.marks} == set(SCRIPTS)


@pytest.mark.parametrize("name", mostly_by_night(4, one_in(16, EACH)))
def test_it_is_not_done_where_its_faults_do_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An expectation that holds before anything happens, or whatever happens, shows nothing."""
    act = SimWorld.act

    def pretend(world: SimWorld, action: Action, done: Done) -> None:
        if isinstance(action, (Start, Command, Http)):  # to write, to read and to ask is no fault
            act(world, action, done)
        else:
            world.call_later(0, lambda: done(Receipt(world.now(), "nothing was done")))

    monkeypatch.setattr(SimWorld, "act", pretend)
    finished = run_simulated(SCRIPTS[name], Options(seed=1, preset="default"))
    assert (finished.outcome.kind == "done") == (name in BORNE)


def each_with_broken_rules() -> Iterator[ParameterSet]:
    for place, (name, member) in enumerate(BROKEN):
        first, others = first_and_others(place, 3)
        yield pytest.param(name, member, first, id=f"{name}-{member.__name__}")
        yield pytest.param(name, member, others, id=f"{name}-{member.__name__}-more-seeds", marks=LONG)


@pytest.mark.parametrize(("name", "member", "runs"), mostly_by_night(4, each_with_broken_rules()))
def test_it_fails_by_itself_where_its_rule_is_broken(
    name: str, member: type[ClusterMember], runs: list[tuple[str, int]]
) -> None:
    """Not by a check, nor where nothing could be run or a broken member fell over: by what the script asks for."""
    for preset, seed in runs:
        finished = run_simulated(SCRIPTS[name], Options(seed=seed, preset=preset), make_member=member)
        assert finished.outcome.kind == "failed", (preset, seed, finished.outcome)
        assert [record for record in finished.records if isinstance(record.event, Failed)] == []


def test_every_script_says_what_it_is_about() -> None:
    for script in SCRIPTS.values():
        assert script.about, script.name
        assert not set(script.about) - set(CHECK_NAMES), script.name
        assert script.title.endswith("."), script.name


def test_the_stories_of_split_brain_recovery_alone_have_merging_on() -> None:
    settings = {script.name: Options("sim").settings(script) for script in ALL}
    merging = {
        Path(script.file).stem
        for script in ALL
        if settings[script.name].family == CLUSTER and settings[script.name].merging
    }
    assert "split_brain" in merging
    of_recovery = ("split_brain", "legacy_split_brain", "merging", "rest", "nemesis", "first_ones_lost", "small_worlds")
    assert [name for name in merging if not name.startswith(of_recovery)] == []


def test_the_names_that_the_documents_use_are_there() -> None:
    assert {"demo", "form", "kill-the-master", "pause-a-node", "storm", "six-members"} <= set(SCRIPTS)


def test_only_what_is_too_large_or_too_exact_for_one_machine_is_for_virtual_time_alone() -> None:
    large = {
        "mastership-fight",
        "too-much-to-search",
        "two-cubes-with-one-between",
        "a-hundred-dead-remembered-addresses",
        "storm-of-pairs-among-forty",
    }
    exact = {"group-legacy-serial-sender", "a-backup-is-mended-over-a-thin-link"}
    assert {script.name for script in ALL if script.why_not_in("real")} == large | exact
    assert not [script.name for script in ALL if script.why_not_in("sim")]


# What the claims of some scripts are about, beyond their ends


def told(finished: Finished, who: str) -> list[str]:
    """What this node did for its claim, in its order."""
    history, said = History(finished.records), []
    for record in history.records:
        if record.node != who:
            continue
        match record.event:
            case ClaimAsked(peer=peer):
                said.append(f"asks {history.names.member(peer)}")
            case ClaimConsented(peer=peer):
                said.append(f"agrees to {history.names.member(peer)}")
            case ClaimFinished(version=version, members=members):
                said.append(f"finishes v{version} {history.names.members(members)}")
    return said


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("seed", range(5))
def test_in_the_text_s_example_b_asks_d_then_e_then_f_and_never_c(seed: int, preset: str) -> None:
    asked = ["asks n4", "asks n5", "asks n6", "finishes v7 [n2 n4 n5]"]
    assert told(played("six-members", seed, preset), "n2") == asked
    assert told(played("six-members-by-default", seed, preset), "n2") == asked


@pytest.mark.parametrize("preset", PRESETS)
def test_with_the_default_claim_timeout_e_agrees_to_both_in_turn(preset: str) -> None:
    assert told(played("six-members-by-default", 1, preset), "n5") == ["agrees to n2", "agrees to n3"]


@pytest.mark.parametrize("preset", PRESETS)
def test_in_the_chain_each_answer_brings_the_next_question(preset: str) -> None:
    asked = ["asks n3", "asks n4", "asks n5", "asks n6", "finishes v7 [n2 n3 n4 n5 n6]"]
    assert told(played("a-chain-of-four-claims", 1, preset), "n2") == asked


def test_who_died_in_mid_claim_had_one_consent_and_in_mid_publish_all() -> None:
    for name, agreed in (
        ("the-candidate-dies-in-mid-claim", ["n3"]),
        ("the-candidate-dies-before-its-list-is-out", ["n3", "n4", "n5"]),
        ("the-candidate-dies-in-mid-publish", ["n3", "n4", "n5"]),
    ):
        finished = played(name, 1, "default")
        assert [who for who in ("n3", "n4", "n5") if "agrees to n2" in told(finished, who)] == agreed, name
