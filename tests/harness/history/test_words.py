"""Every event there is has words of its own, with names of nodes in the place of their identities."""

from __future__ import annotations

import types
from enum import StrEnum
from typing import Any, Union, get_args, get_origin

import msgspec
import pytest
from tests.harness.seen.partition_story import Story, info, migration_id, row, uuid
from tests.notation.notation import history_of, member
from tests.notation.other_system import of_system, other
from tests.reasons import reason_in

from shaketable.harness import records as h
from shaketable.harness.history.codec import EVENT_TYPES
from shaketable.harness.history.history import History
from shaketable.harness.history.words import cluster as words
from shaketable.node import events as e
from shaketable.node.events import Event
from shaketable.node.messages import Member, Migration, MigrationInfo
from shaketable.tui.model.history.store import Store

SAMPLES: dict[type, Any] = {
    int: 1, str: "x", bool: True, Member: member("n2"), MigrationInfo: info(1, 5), types.NoneType: None, dict: {},
    h.UnderTest: h.UnderTest(name="x"),
}  # fmt: skip


def sample(type_: Any) -> Any:
    """Some value of this type."""
    origin = get_origin(type_) or type_
    if origin is tuple:
        args = get_args(type_)
        return (sample(args[0]),) if args[1:] == (...,) else tuple(map(sample, args))
    if origin in (Union, types.UnionType):
        return sample(get_args(type_)[0])
    return next(iter(origin)) if issubclass(origin, StrEnum) else SAMPLES[origin]


@pytest.mark.parametrize("kind", EVENT_TYPES, ids=lambda kind: kind.__name__)
def test_every_event_has_words_of_its_own(kind: type[Event], monkeypatch: pytest.MonkeyPatch) -> None:
    def none_found(event: Event) -> str:
        raise AssertionError(f"nobody found words for {type(event).__name__}")

    monkeypatch.setattr(words, "_anything", none_found)
    event = kind(**{field.name: sample(field.type) for field in msgspec.structs.fields(kind)})
    story = Story().tells("n1", event)
    said = words.tell(story.records[-1], History(story.records).names)
    assert said.startswith("n1 ")
    assert "\n" not in said


def told(event: Event) -> str:
    story = Story().tells("n1", event)
    return words.tell(story.records[-1], History(story.records).names)


def test_a_run_of_another_system_begins_with_its_name_and_version() -> None:
    def begun(*system: h.UnderTest) -> str:
        return told(h.RunBegan("kill", "real", "built-in relay", 1, "fast", {}, *system))

    assert begun() == "n1 kill begins, real, links: built-in relay, seed 1, preset fast"
    other = h.UnderTest(name="hazelcast", version="5.7.0", title="Hazelcast")
    assert begun(other) == "n1 kill begins, real, Hazelcast 5.7.0, links: built-in relay, seed 1, preset fast"


def test_what_no_member_tells_itself_is_marked() -> None:
    story = "n1 installs v1 [n1]\nn1 installs v2 [n1 n2]\nn2 installs v2 by n1 [n1 n2]\nn2 claims"
    records = of_system(history_of(story), other(infers=["ClaimStarted"]))
    for names in (History(records).names, Store(records).names):
        said = [words.tell(record, names) for record in records]
        assert [each for each in said if "inferred" in each] == ["n2 claims the mastership of v2 [n1 n2], inferred"]


def moved(kind: Any, source: str | None, at: tuple[int, int], destination: str | None, to: tuple[int, int]) -> Event:
    names = (None if source is None else uuid(source), None if destination is None else uuid(destination))
    migration = Migration(kind, names[0], *at, names[1], *to)
    return e.MigrationRequested(
        5, MigrationInfo(migration_id(3), uuid("n1"), 5, migration, 1, row("n1", "n2", None, None))
    )


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (moved("MOVE", "n1", (0, -1), "n3", (-1, 0)), "MOVE index 0 from n1 to n3"),
        (moved("COPY", None, (-1, -1), "n3", (-1, 2)), "COPY index 2 to n3"),
        (moved("SHIFT UP", None, (-1, -1), "n3", (3, 2)), "SHIFT UP index 2 to n3, from its index 3"),
        (moved("SHIFT UP", "n2", (1, -1), "n3", (3, 1)), "SHIFT UP index 1 to n3, from its index 3, n2 leaves it"),
        (moved("SHIFT DOWN", "n1", (0, 2), "n3", (-1, 0)), "SHIFT DOWN index 0 to n3, n1 to index 2"),
        (
            moved("SHIFT UP+SHIFT DOWN", "n2", (1, 2), "n3", (3, 1)),
            "SHIFT UP+SHIFT DOWN index 1 to n3, from its index 3, n2 to index 2",
        ),
        (moved("CLEAR", "n2", (1, -1), None, (-1, -1)), "CLEAR index 1 of n2"),
    ],
)
def test_a_migration_is_told_with_the_names_of_who_takes_part(event: Event, sentence: str) -> None:
    assert told(event) == f"n1 asks for migration n1-3 of partition 5: {sentence}"


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (
            e.TableChanged(4, 1, "committed", ((5, row("n3", None, "n2")),), *reason_in("MOVE")),
            "has table 4: committed, partition 5 is [n3 - n2] (MOVE)",
        ),
        (
            e.TableChanged(1, 1, "assigned", ((0, row("n1")), (1, row("n2"))), *reason_in("")),
            "has table 1: assigned, 2 rows",
        ),
        (
            e.PartitionsPlanned(4, ((5, row("n1", "n2"), row("n3", "n2"), (migration_id(1),)),), 1),
            "plans 1 migration of partition 5, [n1 n2] to [n3 n2], from table 4",
        ),
        (
            e.MigrationFinished(5, migration_id(3), "source", True, 7, 0, -1),
            "has committed migration n1-3 of partition 5 as source in table 7, index 0 to none",
        ),
        (
            e.OperationReturned("c", 2, "ok", "w7", (uuid("n1"), uuid("n3")), 3, "", None),
            "has client c return 2: ok, w7, held by [n1 n3], 3 attempts",
        ),
        (
            e.TableFetched(member("n2"), 7, (migration_id(1), migration_id(2)), ("elsewhere",)),
            "gets table 7 of n2 (completed: n1-1 n1-2; active: elsewhere)",
        ),
    ],
)
def test_replicas_and_migrations_have_the_names_of_nodes(event: Event, sentence: str) -> None:
    assert told(event) == f"n1 {sentence}"


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (e.SplitBrainSearchBegan(6, 1), "looks for other parts of its cluster at 1 address, holding v6"),
        (
            e.SplitBrainSearchEnded(6, 2, *reason_in("some are silent")),
            "ends its search for other parts: 2 masters of other parts have answered (some are silent)",
        ),
        (e.MergeJudged(member("n2"), "merge", *reason_in("why")), "has to go over to n2 (why)"),
        (e.MergeJudged(member("n2"), "stay", *reason_in("why")), "is to take in n2 (why)"),
        (
            e.MergeJudged(member("n2"), "no", *reason_in("both lists have 127.0.0.1:5701")),
            "does not merge with n2 (both lists have n1)",
        ),
        (e.MergePutOff(member("n2"), *reason_in("somebody joins")), "does not go over to n2 now (somebody joins)"),
        (
            e.MergeBegan(member("n2"), 6, (member("n1"), member("n3"))),
            "begins to merge into n2's cluster, with v6 [n1 n3]",
        ),
        (e.Merging(member("n2")), "ends as this identity, and goes over to n2"),
        (e.Merged(member("n2")), "has come over to the cluster of n2"),
        (
            e.MergeFailed(*reason_in("n2 did not admit me")),
            "is not admitted where it was to merge (n2 did not admit me)",
        ),
        (e.AddressForgotten(member("n3").address), "forgets n3: its member left too long ago"),
    ],
)
def test_a_merge_is_told_with_the_names_of_both_sides(event: Event, sentence: str) -> None:
    assert told(event) == f"n1 {sentence}"
