"""What the scripts about joining show on the way, beyond how they end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.lengths import seeds
from tests.reasons import gone
from tests.where import story

from shaketable.harness.history.codec import from_line, to_line
from shaketable.harness.history.history import History
from shaketable.harness.history.story import story_of
from shaketable.harness.records import NodeEnded, Record
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Finished, Options, run_simulated
from shaketable.harness.scripting.scripts import load_scripts
from shaketable.node import events as e
from shaketable.node.config import PRESETS

SCRIPTS = {s.name: s for s in load_scripts([story("joins"), story("joins_and_crashes")])}


def run(name: str, seed: int = 1, preset: str = "default") -> Finished:
    return run_simulated(SCRIPTS[name], Options(seed=seed, preset=preset))


def of(finished: Finished, node: str, kind: type[e.Event]) -> Iterator[Record]:
    return (r for r in finished.records if r.node == node and isinstance(r.event, kind))


def versions(finished: Finished, node: str) -> list[int]:
    return [r.event.version for r in of(finished, node, e.ViewInstalled) if isinstance(r.event, e.ViewInstalled)]


def reasons(finished: Finished, node: str, kind: type[e.Event]) -> set[str]:
    return {getattr(r.event, "reason", "") for r in of(finished, node, kind)}


@pytest.mark.parametrize("preset", PRESETS)
def test_one_by_one_each_joiner_has_a_list_and_a_batch_has_one(preset: str) -> None:
    one_by_one, batch = run("ten-joins-at-once", preset=preset), run("ten-joins-in-a-batch", preset=preset)
    assert versions(one_by_one, "n1") == list(range(1, 12))
    assert versions(batch, "n1") == [1, 11]

    def changes(finished: Finished) -> int:
        published = (r.event for r in of(finished, "n1", e.ViewPublished))
        return sum(isinstance(event, e.ViewPublished) and event.change for event in published)

    assert changes(one_by_one) == 9, "the first joiner gets its list as the end of its join, and there is nobody else"
    assert changes(batch) == 0
    assert len(list(of(batch, "n1", e.JoinBatched))) == 10


@seeds(3, 20)
@pytest.mark.parametrize("preset", PRESETS)
def test_a_fast_restart_is_known_by_the_new_identity_alone(preset: str, seeds: range) -> None:
    for seed in seeds:
        assert reasons(run("fast-restart", seed, preset), "n1", e.MemberRemoved) == {
            "its address asks to join with a new identity"
        }
        run_of_master = run("fast-restart-of-the-master", seed, preset)
        for name in ("n2", "n3", "n4"):
            assert reasons(run_of_master, name, e.Suspected) == {"its address asks to join with a new identity"}


@pytest.mark.parametrize("preset", PRESETS)
@seeds(3, 20)
def test_who_is_unknown_to_the_restarted_master_learns_of_it_from_its_answer_to_a_heartbeat(
    preset: str, seeds: range
) -> None:
    for seed in seeds:
        finished = run("fast-restart-of-a-master-that-does-not-know-all", seed, preset)
        assert reasons(finished, "n4", e.Suspected) == {"explicit suspicion"}
        (suspected,) = of(finished, "n4", e.Suspected)
        (restarted,) = list(of(finished, "n1", e.Started))[1:]
        assert suspected.time - restarted.time < 2 * finished.settings.heartbeat_interval


@seeds(30, 200)
def test_whoever_the_master_dies_for_no_joiner_founds_a_cluster_of_its_own(seeds: range) -> None:
    """It is alone only if it alone was told that it is a member."""
    ways = set()
    for seed in seeds:
        finished = run("join-and-crash-of-the-master", seed)
        assert [getattr(r.event, "founded", None) for r in of(finished, "n5", e.Joined)] == [False]
        lists = versions(finished, "n5")
        ways.add(lists[0])
        assert lists[-1] in (6, 7), f"seed {seed}: {lists}"
    assert ways == {5, 6}, "some were admitted by the old master, some by the new one"


def test_a_joiner_that_was_removed_half_way_is_held_for_stale_and_then_admitted() -> None:
    finished = run("a-joiner-is-removed-half-way")
    ignored = list(of(finished, "n1", e.JoinRequestIgnored))
    assert ignored
    assert all("may be a stale one" in getattr(r.event, "reason", "") for r in ignored)
    admitted, again = (
        r.time for r in of(finished, "n1", e.ViewInstalled) if "5704 joined" in getattr(r.event, "reason", "")
    )
    guard = finished.settings.stale_join_prevention
    assert guard <= again - admitted <= guard + 2 * finished.settings.join_retry


def test_who_alone_was_told_learns_it_by_explicit_suspicion() -> None:
    finished = run("the-joiner-alone-was-told")
    assert "explicit suspicion" in reasons(finished, "n5", e.Suspected)


def test_a_node_with_a_wrong_configuration_ends_with_the_reason() -> None:
    finished = run("a-wrong-configuration")
    history = History(finished.records)
    told = [moment.told for moment in story_of(history)]
    assert any(
        said.startswith("n4 ended: refused by n")
        and said.endswith(": the partition count of this cluster is 271, not 7")
        for said in told
    )
    (ended,) = (r.event for r in finished.records if isinstance(r.event, NodeEnded))
    assert ended == NodeEnded("n4", *gone("refused"))
    assert judged(finished).outcome == "passed"


def test_a_node_of_another_cluster_is_refused_by_each_member_once() -> None:
    finished = run("another-cluster-s-name")
    for name in ("n4", "n5"):
        refused = list(of(finished, name, e.JoinRefusedBy))
        assert len(refused) == 3
        assert reasons(finished, name, e.JoinRefusedBy) == {"this is cluster dev, not another"}


def test_a_history_keeps_who_is_a_lite_member() -> None:
    finished = run("lite-members")
    last = list(of(finished, "n3", e.ViewInstalled))[-1]
    again = from_line(to_line(last)).event
    assert isinstance(again, e.ViewInstalled)
    assert [member.lite for member in again.members] == [False, False, True]
    assert again == last.event
