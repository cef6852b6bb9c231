"""The picture at any place is the fold from the beginning, wherever the cursor has been before."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from tests.notation.notation import history_of

from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.harness.runs.run import Finished
from shaketable.tui.model.folds import beliefs
from shaketable.tui.model.folds.beliefs import Beliefs
from shaketable.tui.model.folds.picture import Picture
from shaketable.tui.model.history.store import Store


@pytest.mark.parametrize("seed", range(3))
def test_a_picture_is_the_fold_from_the_beginning_wherever_one_comes_from(
    finished: Finished, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    # Checkpoints as often as chance wills, not as often as this machine is slow.
    monkeypatch.setattr(beliefs, "BETWEEN", 0.0)
    monkeypatch.setattr(beliefs, "COPIES", 0)
    monkeypatch.setattr(beliefs, "BATCH", chance.choice((50, 333, 2000)))
    records = History(finished.records).records
    walked, size = Beliefs(Store(records)), len(records)
    places = _walk(chance, size)
    expected = _folded(records, places)
    for place in places:
        picture = walked.at(place)
        assert picture.count == place
        assert picture == expected[place], f"at {place}, on the way {places[: places.index(place) + 1]}"


def _walk(chance: random.Random, size: int) -> list[int]:
    """Leaps, and from where they end some steps on and back."""
    places: list[int] = []
    for _ in range(12):
        at = chance.randint(0, size)
        for _ in range(chance.randint(1, 8)):
            places.append(at)
            at = min(size, max(0, at + chance.choice((-1, -1, -1, -70, -600, 1, 1, 40, 500))))
    return places


def _folded(records: Sequence[Record], places: list[int]) -> dict[int, Picture]:
    picture, wanted = Picture(), dict.fromkeys(places, True)
    found = {0: picture.copy()} if 0 in wanted else {}
    for count, record in enumerate(records, 1):
        picture.apply(record)
        if count in wanted:
            found[count] = picture.copy()
    return found


def test_a_copy_and_what_it_was_made_of_do_not_change_each_other(finished: Finished) -> None:
    """At every tenth of the run a copy is left behind; in the end each is what a fresh fold makes."""
    records = History(finished.records).records
    picture, kept = Picture(), []
    for count, record in enumerate(records, 1):
        picture.apply(record)
        if count % (len(records) // 10) == 0:
            kept.append(picture.copy())
    for copied in kept:
        fresh = Picture()
        for record in records[: copied.count]:
            fresh.apply(record)
        assert copied == fresh


def test_the_front_goes_on_while_the_screen_stands_elsewhere() -> None:
    store = Store(history_of("n1 installs v1 [n1]\nn1 installs v2 [n1 n2]\n"))
    believed = Beliefs(store)
    believed.at(1)
    assert believed.work(float("inf")) is False
    assert believed.known == len(store)
    assert believed.at(1).count == 1
    assert believed.at(len(store)).count == len(store)
