"""The versions of the partition table (text 3.1.1 and 3.2.1).

A line is a chain of masters, each of which went on from the table of the one before, with its rows. Nobody in a new
master's list has a newer table than that. All in this list are on its line. A rollback and a new master raise the
version by two, all other changes by one.

A member that claims alone, cut off from the others, begins a line of its own. Lines that come from one table may have
one version with different contents: this is noted, and no violation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, NamedTuple

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.result import CheckResult, Findings, counted
from shaketable.harness.checks.shared.tables import STANDING, Standings, in_order
from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.node.events import (
    Event,
    MasterFollowed,
    TableChanged,
    TableInstalled,
    TablePublished,
    TableSearchBegan,
    TableSearchEnded,
)
from shaketable.node.messages import Member, Uuid

NAME: Final = "table order"
RULE: Final = (
    "Only a master changes the partition table, others install it only from the master that they follow, and at each "
    "process its versions only grow. On one line of masters a version has one content."
)
NEEDS: Final = (MasterFollowed, TableChanged, TableSearchEnded)
MOST_NOTES: Final = 5
STEPS: Final = {"found": 2, "rolled back": 2}
"""A lost destination may hold one version more than the master; all other changes raise the version by one."""


def check(history: History, bounds: Bounds) -> CheckResult:
    judge = _Judge(history)
    if history.has(TableChanged, TableInstalled, TablePublished):
        for record in in_order(history, (*STANDING, *_HANDLERS)):
            judge.see(record)
        judge.compare_with_who_came()
    masters = counted(len(judge.masters), "master")
    looked_at = f"{counted(judge.changes, 'change')} of the partition table by {masters}, "
    looked_at += f"and {counted(judge.installs, 'install')} of it"
    return judge.findings.result(NAME, RULE, looked_at, judge.changes + judge.installs, notes=judge.notes())


class Came(NamedTuple):
    """With this table, if it had one, somebody came to follow somebody."""

    version: int
    record: Record | None


@dataclass(slots=True)
class _Holder:
    version: int = 0
    record: Record | None = None
    """by which it has its table"""
    searching: Record | None = None
    found: TableSearchEnded | None = None
    """how its search ended"""
    stamps: dict[int, int] = field(default_factory=dict)
    """by version, of what it had"""
    came: dict[Uuid, Came] = field(default_factory=dict)
    """to each master, the first time"""


class Found(NamedTuple):
    record: Record
    version: int
    """of the table from which this master goes on"""
    members: tuple[Member, ...]


class _Judge:
    def __init__(self, history: History) -> None:
        self.findings = Findings(history)
        self.changes = self.installs = 0
        self.masters: dict[Uuid, bool] = {}
        self._history = history
        self._names = history.names
        self._standings = Standings()
        self._holders: dict[Uuid, _Holder] = {}
        self._founds: list[Found] = []
        self._contents: dict[int, dict[Uuid, tuple[int, Record]]] = {}
        """by version and master: the stamp, and where it was seen first"""

    def see(self, record: Record) -> None:
        holder = self._holders.get(record.incarnation)
        if holder is None:
            holder = self._holders[record.incarnation] = _Holder()
        if self._standings.see(record):
            following = self._standings.of(record.incarnation).following
            holder.came.setdefault(following, Came(holder.version, holder.record))
        else:
            _HANDLERS[type(record.event)](self, record, record.event, holder)

    def _search_began(self, record: Record, event: TableSearchBegan, holder: _Holder) -> None:
        holder.searching, holder.found = record, None

    def _search_ended(self, record: Record, event: TableSearchEnded, holder: _Holder) -> None:
        holder.searching, holder.found = None, event

    def _changed(self, record: Record, event: TableChanged, holder: _Holder) -> None:
        self.changes += 1
        self.masters[record.incarnation] = True
        does = f"changes the partition table to v{event.version} ({event.change})"
        self._leads(record, holder, does)
        before = holder.version
        if event.change == "found":
            before = before if holder.found is None else holder.found.version
            self._goes_on_from_what_it_found(record, event, holder, does)
            self._founds.append(Found(record, before, self._standings.of(record.incarnation).members))
        if self._grows(record, event.version, holder, does):
            step = STEPS.get(event.change, 1)
            if event.version != before + step:
                self._accuse(f"{does} from v{before}: that is not a step of {step}", holder.record, record)
        self._content(record, record.incarnation, event.version, event.stamp)
        holder.version, holder.record = event.version, record
        holder.stamps[event.version] = event.stamp

    def _goes_on_from_what_it_found(self, record: Record, event: TableChanged, holder: _Holder, does: str) -> None:
        """Of what is active it knows how it is to end, and no row changes by that."""
        found = holder.found
        if found is None or (whose := self._holders.get(found.peer.uuid)) is None:
            return
        if whose.stamps.get(found.version, event.stamp) != event.stamp:
            name = self._names.member(found.peer)
            self._accuse(f"{does}, and its rows are not those of the v{found.version} that {name} had", record)

    def _published(self, record: Record, event: TablePublished, holder: _Holder) -> None:
        does = f"publishes the partition table v{event.version}"
        self._leads(record, holder, does)
        if event.version != holder.version:
            self._accuse(f"{does} and has v{holder.version}", holder.record, record)
        self._content(record, record.incarnation, event.version, event.stamp)

    def _installed(self, record: Record, event: TableInstalled, holder: _Holder) -> None:
        self.installs += 1
        does = f"installs the partition table v{event.version} of {self._names.member(event.master)}"
        following = self._standings.of(record.incarnation).following
        if event.master.uuid != following:
            self._accuse(f"{does} while it follows {self._whom(following)}", record)
        self._grows(record, event.version, holder, does)
        self._content(record, event.master.uuid, event.version, event.stamp)
        holder.version, holder.record = event.version, record
        holder.stamps[event.version] = event.stamp

    def _leads(self, record: Record, holder: _Holder, does: str) -> None:
        following = self._standings.of(record.incarnation).following
        if following != record.incarnation:
            self._accuse(f"{does} while it follows {self._whom(following)}", record)
        elif holder.searching is not None:
            self._accuse(f"{does} while it still looks for the newest one", holder.searching, record)

    def _grows(self, record: Record, version: int, holder: _Holder, does: str) -> bool:
        if version > holder.version:
            return True
        self._accuse(f"{does} after v{holder.version}", holder.record, record)
        return False

    def _content(self, record: Record, master: Uuid, version: int, stamp: int) -> None:
        seen = self._contents.setdefault(version, {}).setdefault(master, (stamp, record))
        if seen[0] != stamp:
            one, other = (self._history.names.process(r.node, r.incarnation) for r in (seen[1], record))
            said = f"The partition table v{version} of {self._names.author(master)} has one content at {one}"
            self.findings.add(f"{said} and another at {other}.", [seen[1], record])

    def compare_with_who_came(self) -> None:
        """Each member in the list of a new master came to it with what it had: that is on the line as well."""
        for record, version, members in self._founds:
            me = record.incarnation
            for member in members:
                holder = self._holders.get(member.uuid)
                came = holder.came.get(me) if holder is not None and member.uuid != me else None
                if came is not None and came.version > version:
                    name = self._names.member(member)
                    said = f"goes on from the partition table v{version}, and {name}, in its list, came to it with"
                    self._accuse(f"{said} v{came.version}", came.record, record)

    def notes(self) -> list[str]:
        """Of lines that parted."""
        parted = (
            (
                version,
                [master for master, (stamp, _) in of.items() if stamp != next(iter(of.values()))[0]],
                next(iter(of)),
            )
            for version, of in self._contents.items()
            if len(of) > 1
        )
        told = [
            f"the partition tables v{version} of {self._names.author(one)} and {self._names.author(other)} differ: "
            "two lines of masters"
            for version, others, one in parted
            for other in others
        ]
        more = len(told) - MOST_NOTES
        return told if more <= 0 else [*islice(told, MOST_NOTES), f"{counted(more, 'more version')} of two contents"]

    def _whom(self, uuid: Uuid) -> str:
        return self._names.author(uuid) if uuid else "nobody"

    def _accuse(self, said: str, *records: Record | None) -> None:
        last = records[-1]
        assert last is not None
        who = self._history.names.process(last.node, last.incarnation)
        self.findings.add(f"{who} {said}.", [record for record in records if record is not None])


_HANDLERS: Final[dict[type[Event], Callable[[_Judge, Record, Any, _Holder], None]]] = {
    TableSearchBegan: _Judge._search_began,
    TableSearchEnded: _Judge._search_ended,
    TableChanged: _Judge._changed,
    TablePublished: _Judge._published,
    TableInstalled: _Judge._installed,
}
