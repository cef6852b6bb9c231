"""Fully connected: nobody stays in one list with somebody whom it cannot reach.

From the text on partial member disconnection, "Deciding on a New Optimal Cluster Member List". Every time in which
nothing changed for longer than the settle bound is looked at, with the lists that running processes hold then. It is
asked whatever the settings are: with the resolution switched off, figure 5 of the text stays broken for ever, and this
check says so. Where no link is silent in such a time, it sees nothing to judge."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from shaketable.harness.checks.bounds import Bounds
from shaketable.harness.checks.circumstances import STOPS, span_of
from shaketable.harness.checks.result import CheckResult, Findings, counted
from shaketable.harness.checks.true_links import Link, TrueLinks
from shaketable.harness.recording.history import History, Install, Process
from shaketable.harness.recording.words import rounded
from shaketable.harness.records import (
    FabricRestored,
    FabricTrouble,
    FaultAsked,
    FaultEndAsked,
    FaultEnded,
    FaultTook,
    NodeEnded,
    NodeSpawned,
    Record,
)
from shaketable.node.env import Micros
from shaketable.node.events import Event, Failed, Held, Released, Stopped

NAME: Final = "fully connected"
RULE: Final = (
    "After the settle bound since the last disturbance no two members of one list have a link between them, in either "
    "direction, that is broken in the true link graph."
)
_DISTURB: Final[tuple[type[Event], ...]] = (
    *(FaultAsked, FaultTook, FaultEndAsked, FaultEnded, NodeSpawned, NodeEnded, FabricTrouble, FabricRestored),
    *(Failed, Stopped, Held, Released),
)


class Calm(NamedTuple):
    """Nothing was begun or ended between these."""

    begin: Micros
    end: Micros


def check(history: History, bounds: Bounds) -> CheckResult:
    findings, links = Findings(history), TrueLinks(history)
    judged = lists = pending = 0
    said: set[tuple[str, Link]] = set()
    for calm in _calms(history):
        silent = links.surely_silent(calm.begin, calm.end)
        due = calm.begin + bounds.settle()
        if not silent:
            continue
        for process, install in _held(history, min(due, calm.end), calm.end):
            apart = _inside(history, install, silent)
            if calm.end < due:
                pending += len(apart) if calm.end == history.end else 0
                continue
            many = len(install.view.members)
            lists, judged = lists + 1, judged + many * (many - 1) // 2
            for link in apart:
                if (process.uuid, link) not in said:
                    said.add((process.uuid, link))
                    _accuse(history, findings, process, install, link, calm, bounds)
    looked_at = f"{counted(judged, 'pair')} of members in {counted(lists, 'list')}"
    if not judged:
        looked_at = f"no link was silent in a calm of more than {rounded(bounds.settle())}"
    if pending:
        looked_at += f", {counted(pending, 'broken pair')} still pending when the run ended"
    return findings.result(NAME, RULE, looked_at, judged, pending=pending)


def _calms(history: History) -> Iterator[Calm]:
    """Also between two disturbances of one run: a break that is held for long and healed at last was there."""
    records: list[Record] = []
    for kind in _DISTURB:
        records += history.of(kind)
    begin: Micros = 0
    for time in sorted(record.time for record in records if record.time <= history.end):
        if time > begin:
            yield Calm(begin, time)
        begin = time
    yield Calm(begin, history.end)


def _held(history: History, begin: Micros, end: Micros) -> Iterator[tuple[Process, Install]]:
    """The lists that members who ran all this time held in it."""
    stops = [span for facts in history.faults.values() if (span := span_of(facts)).verb in STOPS]
    stopped = {node for span in stops if span.begin <= end and span.end > begin for node in span.nodes}
    for process in history.processes.values():
        if process.ended is not None and process.ended.time < end:
            continue
        if process.node in stopped:
            continue  # it cannot know better
        until = [install for install in process.installs if install.record.time <= begin][-1:]
        for install in until + [install for install in process.installs if begin < install.record.time <= end]:
            yield process, install


def _inside(history: History, install: Install, silent: list[Link]) -> list[Link]:
    """Of these links those between two members of that list."""
    nodes = {history.names.place(member.address) for member in install.view.members}
    return [link for link in silent if nodes.issuperset(link)]


def _accuse(
    history: History, findings: Findings, process: Process, install: Install, link: Link, calm: Calm, bounds: Bounds
) -> None:
    source, target = link
    view, took = install.view, rounded(bounds.settle())
    said = (
        f"{history.name(process)} holds v{view.version} {history.names.members(view.members)}, and the link "
        f"{source}->{target} has been silent for more than {took} of calm."
    )
    findings.add(said, [install.record, *_cause(history, link, calm)])


def _cause(history: History, link: Link, calm: Calm) -> list[Record]:
    """The last fault that made it so."""
    for facts in reversed(history.faults.values()):
        asked, took, over = facts.asked.event, facts.took, facts.end_asked or facts.ended
        assert isinstance(asked, FaultAsked)
        if not asked.silences or "->".join(link) not in asked.links or took is None:
            continue
        if took.time <= calm.begin and (over is None or over.time >= calm.end):
            return [took]
    return []
