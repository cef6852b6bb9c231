"""Many records that are folded at once leave the same picture as one after the other."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.reasons import reason_in
from tests.tui.model.conftest import written
from tests.tui.model.test_recorded import handmade, opened

from shaketable.harness.history.history import History
from shaketable.harness.records import HARNESS, NodeNamed, NodeSpawned, Record
from shaketable.harness.runs.run import Finished
from shaketable.node import events as e
from shaketable.node.messages import Member
from shaketable.tui.model.folds.operations import fold
from shaketable.tui.model.folds.picture import Picture
from shaketable.tui.model.history.store import Store


class Counting(Store):
    """Counts the records that are folded one by one."""

    one_by_one = 0

    def between(self, start: int, stop: int) -> Iterator[Record]:
        self.one_by_one += stop - start
        return super().between(start, stop)


@pytest.mark.parametrize("most", [3, 300, 10_000])
def test_of_a_recorded_run(finished: Finished, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shaketable.tui.source.Store", Counting)
    records = History(finished.records).records
    store = opened(written(finished, tmp_path / "run")).store
    assert isinstance(store, Counting)
    store.one_by_one = 0
    chance, picture, expected = random.Random(most), Picture(), Picture()
    while picture.count < len(store):
        stop = min(len(store), picture.count + chance.randint(1, most))
        for record in records[picture.count : stop]:
            expected.apply(record)
        fold(picture, store, stop)
        assert picture == expected, f"at {stop}"
    if most == 3:
        assert store.one_by_one < len(store) / 5, "only those of nodes that nothing was known of"


A, B = "uuid-a", "uuid-b"
M = Member("10.0.0.2", "uuid-m")
STORY = [
    (HARNESS, NodeNamed("n1", "10.0.0.1")),
    (HARNESS, NodeSpawned("n1")),
    (A, e.Started(Member("10.0.0.1", A))),
    (A, e.TableInstalled(3, 33, M, ("m1",), *reason_in("published"))),
    (A, e.OperationCalled("c", 1, "put", "data", "k", "v", 5)),
]
"""what comes later is folded at once, upon this"""
LATER = [
    (A, e.OperationReturned("c", 1, "ok", None, (), 1, "", None)),
    (A, e.OperationCalled("c", 2, "put", "data", "k", "v", 5)),
    (A, e.OperationReturned("c", 2, "failed", None, (), 9, *reason_in("too late"))),
    (A, e.OperationCalled("c", 3, "put", "data", "k", "v", 5)),
    (A, e.OperationReturned("c", 3, "ok", None, (), 1, "", None)),
    (A, e.OperationCalled("d", 1, "get", "data", "k", "", 5)),
    (A, e.TableInstalled(4, 44, M, (), *reason_in("published"))),
    (A, e.TableInstalled(5, 55, M, ("m2",), *reason_in("published"))),
    (A, e.CompletedDropped(("m2",))),
]
SUCCESSOR = [
    (HARNESS, NodeSpawned("n1")),
    (A, e.OperationReturned("d", 1, "unknown", None, (), 2, "", None)),
    (B, e.OperationCalled("early", 1, "put", "data", "k", "v", 5)),
    (B, e.Started(Member("10.0.0.1", B))),
    (B, e.OperationCalled("c", 1, "put", "data", "k", "v", 5)),
    (B, e.TableInstalled(8, 88, M, (), *reason_in("published"))),
    (A, e.TableInstalled(6, 66, M, (), *reason_in("published"))),
    (A, e.OperationReturned("c", 4, "ok", None, (), 1, "", None)),
    (B, e.OperationReturned("c", 1, "ok", None, (), 1, "", None)),
]


def told(story: list[tuple[str, e.Event]]) -> list[Record]:
    return [
        Record(10 * place, "n1" if incarnation else HARNESS, incarnation, place, event)
        for place, (incarnation, event) in enumerate(story)
    ]


def folded(folder: Path, records: list[Record]) -> Picture:
    """Takes the records after the story at once; they come to the same as one by one."""
    store = opened(folder).store
    picture, expected = Picture(), Picture()
    fold(picture, store, len(STORY))
    fold(picture, store, len(store))
    for record in records:
        expected.apply(record)
    assert picture == expected
    return picture


@pytest.mark.parametrize("story", [LATER, [*LATER, *SUCCESSOR]], ids=["one life", "two lives"])
def test_of_last_words_and_of_a_successor(story: list[tuple[str, e.Event]], tmp_path: Path) -> None:
    records = told([*STORY, *story])
    picture = folded(handmade(tmp_path / "run", records), records)
    assert picture.count == len(records)
    seen = picture.observed.nodes["n1"].partitions
    if story is LATER:
        assert (seen.version, seen.completed, seen.operations_open) == (5, {}, 1)
        assert seen.client("c").outcomes == {"ok": 2, "failed": 1}
    else:
        assert (seen.version, seen.operations_open, seen.client("c").outcomes) == (8, 0, {"ok": 1})


def test_where_a_line_is_none_all_around_it_is_folded_one_by_one(tmp_path: Path) -> None:
    records = told([*STORY, *LATER])
    folder = handmade(tmp_path / "run", records)
    file = folder / "events" / "n1.jsonl"
    file.write_bytes(file.read_bytes() + b"no line\n")
    folded(folder, records)
