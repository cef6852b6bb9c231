"""Which runs a search goes on from: few for each mark, the smallest, and mostly those of the rarest marks."""

from __future__ import annotations

import random
from collections import Counter

import msgspec

from shaketable.harness.nemesis.corpus import A_MARK, Corpus, Found


def run(number: int, size: int = 100, script: str = "nemesis") -> Found:
    return Found(size, f"run {number}", script, seed=number)


def corpus(*runs: tuple[Found, list[str]]) -> Corpus:
    found = Corpus()
    for each, marks in runs:
        found.add(each, marks)
    return found


MANY = [(run(n, 100 - n), ["usual", *["half"] * (n % 2), *["rare"] * (n in (30, 44))]) for n in range(60)]


def test_of_each_mark_the_smallest_runs_are_kept() -> None:
    found = corpus(*MANY)
    assert found.reached == {"usual": 60, "half": 30, "rare": 2}
    assert [each.seed for each in found.found["half"]] == [59, 57, 55]
    assert [each.seed for each in found.found["rare"]] == [44, 30]
    assert all(len(runs) <= A_MARK for runs in found.found.values())


def test_however_the_runs_are_cut_the_corpus_is_the_same() -> None:
    whole = corpus(*MANY)
    for size in (1, 7, 59):
        merged = Corpus()
        for first in range(0, len(MANY), size):
            merged.merge(corpus(*MANY[first : first + size]))
        assert merged == whole
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(whole), type=Corpus) == whole


def test_the_rarer_a_mark_the_more_often_one_of_its_runs_is_chosen() -> None:
    found = corpus(*[(run(n), ["rare"] * (n < 2) + ["not so rare"] * (2 <= n < 6)) for n in range(60)])
    chosen = Counter(found.chosen(random.Random(seed)) for seed in range(300))
    rare = sum(chosen[each] for each in found.found["rare"])
    assert 200 < rare < 280
    assert found.chosen(random.Random(7)) == found.chosen(random.Random(7))


def test_what_all_runs_reach_leads_nowhere() -> None:
    assert Corpus().chosen(random.Random(1)) is None
    assert corpus(*[(run(n), ["usual"]) for n in range(5)]).chosen(random.Random(1)) is None


def test_it_names_the_runs_that_are_near_one_those_of_the_rarest_marks_first() -> None:
    fast = Found(1, "fast", "nemesis", "fast")
    found = corpus(*MANY, (run(70, script="other"), ["rare", "other alone"]), (fast, ["fast alone"]))
    one = run(44, 56)
    assert one in found.found["rare"]
    assert [each.seed for each in found.near(one, 9)] == [30, 59, 57, 55, 58]
    assert [each.seed for each in found.near(one, 3)] == [30, 59]
    assert found.near(run(70, script="other"), 9) == found.near(fast, 9) == []
