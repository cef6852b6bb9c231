"""Where of several equally large lists any may stay: stories take each of them, and none that is smaller.

A master of ours that draws one stands for such a system. Those who leave leave one by one, and links may stay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import msgspec
import pytest
from _pytest.mark import ParameterSet
from tests.chaos.shipped import ALL
from tests.lengths import LONG, mostly_by_night
from tests.planted.broken_decisions import Asks
from tests.planted.instead import instead
from tests.planted.planted_decisions import RemovesOneTooMany

from shaketable.harness.records import OURS
from shaketable.harness.runs import run
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Finished, Options, run_simulated
from shaketable.harness.scripting.scripts import Script
from shaketable.harness.systems.ours import SHAKETABLE
from shaketable.harness.systems.registry import Chosen
from shaketable.node.cluster.cliques import Question
from shaketable.node.cluster.disconnection import Search
from shaketable.node.cluster.member import ClusterMember
from shaketable.node.events import DisconnectionResolved
from shaketable.node.messages import Member
from shaketable.node.why import Because

TIES = {
    "a-black-hole-heals-while-the-master-collects", "a-cut-heals-while-the-master-collects",
    "a-flapping-link-of-others", "a-link-too-slow-between-followers",
    "a-link-too-slow-one-way", "a-second-black-hole-after-the-decision", "a-second-cut-after-the-decision",
    "more-black-holes-while-the-master-collects", "more-cuts-while-the-master-collects",
    "more-one-way-black-holes-while-the-master-collects", "one-way-breaks-only", "racks-black-hole", "racks-cut",
    "random-breaks-black-hole", "random-breaks-cut",
    "random-breaks-of-the-master-black-hole", "random-breaks-of-the-master-cut",
    "random-breaks-of-the-master-one-way-black-hole",
    "six-pairs-of-twenty-black-hole", "six-pairs-of-twenty-cut", "the-master-crashes-while-it-collects-cuts",
    "the-master-crashes-while-it-collects-one-way-silences", "the-master-crashes-while-it-collects-silences",
}  # fmt: skip
ENDS_EARLY = {
    "racks-one-way-black-hole", "random-breaks-one-way", "random-breaks-one-way-black-hole", "the-larger-rack-one-way",
}  # fmt: skip
"""before those have settled who leave one by one"""
SEARCHES = {"too-much-to-search"}
"""and the master that draws has a search of its own"""


class DrawsOne(Asks):
    def break_it(self) -> None:
        super().break_it()

        def one_by_one(members: Sequence[Member], reason: Because) -> None:
            for member in members:
                self.updates.remove([member], reason)

        self.disconnection._updates = instead(self.updates, remove=one_by_one)

    def question(self, search: Search) -> Question:
        master, *others = self.members(search)
        Random(master).shuffle(others)
        return Question([master, *others], search.pairs)


@pytest.fixture(autouse=True)
def _such_a_system(monkeypatch: pytest.MonkeyPatch) -> None:
    under_test = msgspec.structs.replace(OURS, any_best=True, one_by_one=True, keeps_links=True)
    monkeypatch.setattr(run, "chosen", lambda asked: Chosen(SHAKETABLE, under_test))


def played(script: Script, seed: int, make_member: type[ClusterMember] = DrawsOne) -> Finished:
    return run_simulated(script, Options("sim", seed=seed), make_member=make_member)


def cases() -> Iterator[ParameterSet]:
    for script in ALL:
        if (
            script.unless
            or script.name in ENDS_EARLY | SEARCHES
            or Path(script.file).parent.name not in ("cluster", "disconnection")
        ):
            continue
        if script.name in TIES:
            marks = [LONG] if "twenty" in script.name else []
            yield pytest.param(script, range(1, 3), id=script.name, marks=marks)
        if Options("sim").settings(script).partial_disconnection_wait:
            yield pytest.param(script, range(3, 8), id=f"{script.name}-more-seeds", marks=LONG)


@pytest.mark.parametrize(("script", "seeds"), mostly_by_night(4, cases()))
def test_a_story_passes_whoever_of_them_leaves(script: Script, seeds: range) -> None:
    for seed in seeds:
        verdict = judged(played(script, seed), story=seed == seeds[0])
        assert verdict.outcome == "passed", (seed, verdict.reasons)


@pytest.mark.parametrize("name", sorted(TIES))
def test_it_fails_where_one_more_leaves_than_has_to(name: str) -> None:
    (script,) = (script for script in ALL if script.name == name)
    assert played(script, 1, RemovesOneTooMany).outcome.kind == "failed"


def test_not_always_the_same_leave() -> None:
    (script,) = (script for script in ALL if script.name == "racks-cut")
    finished = [played(script, seed) for seed in range(1, 7)]
    left = {
        tuple(member.address for member in record.event.leave)
        for each in finished
        for record in each.records
        if isinstance(record.event, DisconnectionResolved)
    }
    assert len(left) == 2
