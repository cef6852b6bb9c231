"""Whatever words a node may use: with every reason of a history worded anew, at random, its verdict, what each check
found and the marks that were reached are as they were."""

from __future__ import annotations

import random
import string
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from tests.where import ROOT

from shaketable.harness.coverage import marks_of
from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Finished, Options, run_simulated
from shaketable.harness.scripting.scripts import Script, load_scripts
from shaketable.node.events import ClaimFinished, EntriesMerged, Event, Suspected
from shaketable.node.why import Why

FILES = (
    *("cluster/crashes", "cluster/one_way", "cluster/claims", "cluster/joins", "cluster/complaints", "cluster/leaves"),
    *("disconnection/broken_pairs", "disconnection/racks", "migration/late_requests", "migration/missed_backups"),
    *("migration/owner_crashes", "migration/failing_services", "split_brain/split_brain_put_off"),
    *("split_brain/merging_data", "groups/group_originals", "groups/group_coming_and_going"),
    *("legacy/legacy_faults", "legacy/legacy_migrations", "legacy/legacy_split_brain", "legacy/group_legacy"),
)
"""of each family, and those that are red because old faults are planted"""
ONE_WAY = "a-follower-hears-all-but-the-master"
MOST = 3
"""scripts of a file"""


def scripts() -> Iterator[Script]:
    for file in FILES:
        own = [script for script in load_scripts([ROOT / "chaos" / f"{file}.py"]) if not script.why_not_in("sim")]
        yield from own[:: max(1, len(own) // MOST)][:MOST]


class Rewording:
    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)
        self.reworded = 0

    def words(self, before: str) -> str:
        """None stay none."""
        if not before:
            return before
        self.reworded += 1
        return "".join(self._draw.choices(string.ascii_letters + " :,.#", k=self._draw.randrange(1, 40)))

    def event(self, event: Event) -> Event:
        changed: dict[str, Any] = {}
        if isinstance(getattr(event, "reason", None), str):
            changed["reason"] = self.words(event.reason)  # type: ignore[attr-defined]
        if isinstance(event, ClaimFinished):
            changed["left_out"] = tuple((member, self.words(said)) for member, said in event.left_out)
        if isinstance(event, EntriesMerged):
            changed["entries"] = tuple((*entry[:-1], self.words(entry[-1])) for entry in event.entries)
        return msgspec.structs.replace(event, **changed) if changed else event

    def records(self, records: list[Record]) -> list[Record]:
        return [record._replace(event=self.event(record.event)) for record in records]


def found(finished: Finished) -> tuple[object, ...]:
    verdict = judged(finished, story=False)
    checks = [(each.name, each.status, each.count, each.pending, len(each.violations)) for each in verdict.checks]
    reasons = [(each.outcome, each.about) for each in verdict.reasons]
    return verdict.outcome, reasons, checks, marks_of(History(finished.records))


@pytest.mark.parametrize("script", list(scripts()), ids=lambda script: script.name)
def test_the_verdict_and_the_marks_do_not_depend_on_them(script: Script) -> None:
    finished = run_simulated(script, Options(seed=1, preset="fast"))
    anew = Rewording(seed=7)
    assert found(replace(finished, records=anew.records(list(finished.records)))) == found(finished)
    assert anew.reworded > 0


def test_the_kinds_do_decide() -> None:
    (script,) = [each for each in scripts() if each.name == ONE_WAY]
    finished = run_simulated(script, Options(seed=1, preset="fast"))
    records = [
        record._replace(event=msgspec.structs.replace(record.event, why=Why.FOREIGN))
        if isinstance(record.event, Suspected)
        else record
        for record in finished.records
    ]
    told = found(replace(finished, records=records))
    assert (found(finished)[0], told[0]) == ("passed", "failed")
    assert told[3] != found(finished)[3]
