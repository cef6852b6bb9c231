"""Faults that were to be over before anybody acts on them, and were not: since the machine took so long to make them or
to end them, or since nothing showed for so long that they were there.

Where members of another system say nothing for a while nothing shows, however idle the machine is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from shaketable.harness.history.history import FaultFacts, History
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.config import Settings
from shaketable.node.core.env import Micros


class Stretched(NamedTuple):
    begin: Micros
    end: Micros
    took: Record
    ended: Record
    by_machine: bool
    said: str


def stretched(history: History, settings: Settings) -> Iterator[Stretched]:
    noticed = settings.connection_grace, settings.heartbeat_timeout - settings.heartbeat_interval
    for number, facts in history.faults.items():
        took, end_asked, ended = facts.took, facts.end_asked, facts.ended
        if took is None or end_asked is None or ended is None or not _is_noticed(facts):
            continue
        made, undone = took.event.made or took.time, ended.event.made or ended.time
        meant, unseen = end_asked.time - took.time, took.time - made
        lasted = undone - facts.asked.time
        making = lasted - meant - unseen
        by_machine = any(meant < limit <= meant + making and making > limit // 2 for limit in noticed)
        too_long = by_machine or any(meant < limit <= lasted and lasted - meant > limit // 2 for limit in noticed)
        if too_long and not _goes_over(facts, ended.time, history):
            shown = f"; for {rounded(unseen)} of that nothing showed it" if unseen else ""
            said = f"fault {number} was to last {rounded(meant)}, and lasted {rounded(lasted)}{shown}"
            yield Stretched(facts.asked.time, undone, took, ended, by_machine, said)


def _goes_over(facts: FaultFacts, end: Micros, history: History) -> bool:
    """Whether others keep all its links silent when it ends: nothing is over then."""
    still = {
        link
        for other in history.faults.values()
        if other is not facts and other.asked.event.silences
        if other.took is not None and other.took.time < end and (other.ended is None or other.ended.time > end)
        for link in other.asked.event.links
    }
    links = facts.asked.event.links
    return bool(links) and still.issuperset(links)


def _is_noticed(facts: FaultFacts) -> bool:
    return facts.asked.event.silences or facts.kind.sleeps_at_once
