"""The lines of real members of several versions become these events, and nothing in them is unknown."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.conftest import AsWritten
from tests.harness.systems.hazelcast.kept import FOLDER, VERSIONS, Story

from shaketable.harness.systems.hazelcast.holds import HOLDS
from shaketable.harness.systems.hazelcast.lines import read
from shaketable.harness.systems.hazelcast.tells import INFERS, TELLS
from shaketable.harness.systems.hazelcast.words import without_prefix
from shaketable.node import events as e
from shaketable.node.process import control
from shaketable.node.why import Why

FILES = sorted(FOLDER.glob("*/*.jsonl"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_a_story_as_it_was_told(file: Path, as_written: AsWritten) -> None:
    story = Story(file)
    as_written(file.with_suffix(".txt"), story.in_words())
    assert not story.troubles
    assert {type(heard.event) for heard in story.events} <= TELLS


OWN: Mapping[type[e.Event], set[str]] = {
    e.ClaimAnswered: {"claim learns", "set members"},
    e.ClaimAsked: {"claim asks", "claim asks another"},
    e.ClaimConsented: {"claim accepted"},
    e.ClaimDeclined: {"claim declined"},
    e.ClaimFinished: {"set members"},
    e.ClaimStarted: {"claim begins"},
    e.CommitSent: {"commits"},
    e.DisconnectionResolved: {"removal decided"},
    e.ExplicitSuspicionReceived: {"explicit suspicion", "explicit suspicion ignored"},
    e.Joined: {"founds", "set members"},
    e.LinkDown: {"closed"},
    e.MasterFollowed: {"founds", "set members", "sets master", "claim accepted"},
    e.MemberRemoved: {"removes"},
    e.MergeBegan: {"changes state", "told to merge"},
    e.MergeJudged: {"would merge", "stays"},
    e.Merged: {"set members"},
    e.Merging: {"new uuid"},
    e.PartitionLost: {"partition lost"},
    e.PlanDone: {"all migrated"},
    e.SplitBrainSearchBegan: {"asks a part"},
    e.SplitBrainSearchEnded: {"compares", ""},
    e.Started: {"new uuid", ""},
    e.Suspected: {"suspected", "removes", "heartbeats stay out"},
    e.SuspicionsReported: {"suspicions reported"},
    e.TablePublished: {"sends table", "sends completed"},
    e.ViewInstalled: {"founds", "set members"},
    e.ViewPublished: {"sends list", "set members"},
}
"""by the names of the lines; "": none. Of each other kind there is none"""
NAMES_ITS_PEER = (e.Suspected, e.MemberRemoved, e.ClaimAsked, e.ClaimConsented, e.ExplicitSuspicionReceived)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_the_line_behind_an_event_is_its_own(file: Path) -> None:
    for heard in Story(file).events:
        _, _, told = heard.line.partition(" ")
        source, _, text = told.partition(": ")
        said = read(source, without_prefix(text))
        assert (said.name if said is not None else "") in OWN.get(type(heard.event), {""}), heard
        if isinstance(heard.event, NAMES_ITS_PEER):
            host, port = heard.event.peer.address.split(":")
            assert f"[{host}]:{port}" in heard.line


def test_there_is_a_story_of_each_version() -> None:
    assert {file.parent.name for file in FILES} == set(VERSIONS)


def test_what_is_inferred_is_told() -> None:
    assert INFERS < TELLS


def test_what_can_be_held_is_told() -> None:
    assert set(HOLDS) < {kind.__name__ for kind in TELLS}


@pytest.mark.parametrize("version", VERSIONS)
class TestEachVersion:
    def test_a_claim_from_its_start_to_the_list_that_all_install(self, version: str) -> None:
        story = Story(FOLDER / version / "form.jsonl")
        (claim,) = story.of(e.ClaimStarted)
        (consent,) = story.of(e.ClaimConsented, "n3")
        (answer,) = story.of(e.ClaimAnswered, "n2")
        assert (consent.version, consent.members) == (claim.version, claim.members)
        assert (answer.answer, answer.version, answer.members) == ("accepted", None, None), "it brought no newer list"
        (final,) = story.of(e.ClaimFinished)
        assert [reason for _, reason in final.left_out] == ["suspected"]
        assert any(view.members == final.members for view in story.of(e.ViewInstalled, "n3"))

    def test_a_restart_has_a_new_identity(self, version: str) -> None:
        story = Story(FOLDER / version / "form.jsonl")
        first, second = story.of(e.Started, "n1")
        assert first.member.uuid != second.member.uuid
        assert first.member.address == second.member.address

    def test_a_leaver_is_removed_by_its_lost_connection(self, version: str) -> None:
        story = Story(FOLDER / version / "form.jsonl")
        assert story.of(e.Stopped, "n3")[0].why is Why.LEFT
        (removed,) = story.of(e.MemberRemoved, "n2")
        assert removed.why is Why.CONNECTION_LOST

    def test_one_of_a_cut_pair_is_told_to_leave(self, version: str) -> None:
        story = Story(FOLDER / version / "figure5.jsonl")
        (decision,) = story.of(e.DisconnectionResolved)
        (gone,) = decision.leave
        assert gone.address[:2] in ("n2", "n3")
        assert [removed.why for removed in story.of(e.MemberRemoved, "n1")] == [Why.DISCONNECTED]
        told = story.of(e.ExplicitSuspicionReceived, gone.address[:2])
        assert any(each.obeyed for each in told)

    def test_two_who_have_to_leave_are_of_one_decision(self, version: str) -> None:
        story = Story(FOLDER / version / "racks.jsonl")
        (decision,) = story.of(e.DisconnectionResolved)
        removed = [(each.peer, each.version) for each in story.of(e.MemberRemoved)]
        assert removed == list(zip(decision.leave, (6, 7), strict=True))

    def test_a_follower_goes_over_because_its_master_says_so(self, version: str) -> None:
        story = Story(FOLDER / version / "split4.jsonl")
        (began,) = story.of(e.MergeBegan)
        assert len(began.members) == 2
        assert [merging.peer for merging in story.of(e.Merging)] == [began.peer] * 2
        assert len(story.of(e.Merged)) == 2

    def test_who_merges_has_a_new_identity_and_says_into_which_cluster(self, version: str) -> None:
        story = Story(FOLDER / version / "split.jsonl")
        (merging,) = story.of(e.Merging)
        (merged,) = story.of(e.Merged)
        assert merging.peer == merged.peer == story.of(e.Started, "n1")[0].member
        assert len(story.of(e.Started, "n3")) == 2

    def test_each_call_of_a_client_returns(self, version: str) -> None:
        story = Story(FOLDER / version / "data.jsonl")
        called = [(each.client, each.number) for each in story.of(e.OperationCalled)]
        returned = [(each.client, each.number) for each in story.of(e.OperationReturned)]
        lost = [each for each in called if each not in returned]
        assert all(client.startswith("n2") for client, _ in lost)  # the killed member's last one
        assert len(returned) == len(set(returned)) > 20
        for name in {client for client, _ in called}:
            assert [number for client, number in called if client == name] == sorted(
                number for client, number in called if client == name
            )

    def test_an_acknowledged_write_has_holders(self, version: str) -> None:
        story = Story(FOLDER / version / "data.jsonl")
        written = {(each.client, each.number) for each in story.of(e.OperationCalled) if each.does == "put"}
        returned = [each for each in story.of(e.OperationReturned) if (each.client, each.number) in written]
        assert all(1 <= len(each.holders) <= 2 for each in returned if each.outcome == "ok")

    def test_a_migration_is_told_by_all_who_take_part(self, version: str) -> None:
        story = Story(FOLDER / version / "joiner.jsonl")
        requested = [each.info.id for each in story.of(e.MigrationRequested, "n1")]
        ends = story.of(e.MigrationFinished)
        assert requested
        assert [each.migration for each in ends if each.role == "master"] == requested
        assert [each.migration for each in ends if each.role == "destination"] == requested
        assert [each.migration for each in story.of(e.MigrationBegan) if each.role == "owner"] == requested

    def test_the_master_s_last_table_is_its_followers(self, version: str) -> None:
        story = Story(FOLDER / version / "joiner.jsonl")
        last = story.of(e.TableChanged, "n1")[-1]
        for node in ("n2", "n3"):
            installed = story.of(e.TableInstalled, node)[-1]
            assert (installed.version, installed.stamp) == (last.version, last.stamp)

    def test_a_held_claim_ends_when_it_is_released(self, version: str) -> None:
        story = Story(FOLDER / version / "hold.jsonl")
        kinds = [type(heard.event) for heard in story.events if heard.node == "n2"]
        held = kinds.index(e.Held)
        assert kinds.index(e.ClaimFinished) < held < kinds.index(e.Released)
        assert [(each.event, each.handed_over) for each in story.of(e.Held, "n2")] == [("ClaimFinished", 0)]
        (view,) = [heard for heard in story.events if heard.node == "n3" and _has(heard.event, 4)]
        released = next(heard for heard in story.events if isinstance(heard.event, e.Released))
        assert view.time > released.time
        done = [said for node, said in story.answers if node == "n2" and isinstance(said, control.Done)]
        assert [said.refusal for said in done] == ["", ""], "armed and released"


def _has(event: e.Event, version: int) -> bool:
    return isinstance(event, e.ViewInstalled) and event.version == version
