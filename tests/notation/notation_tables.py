"""What members do with the partition table and with migrations, in the lines of notation.py.

n1 changes the table to v2 (committed): 0 [n3 n2], 5 [n1 - n3]    the rows that differ, nobody holds index 1 of 5
n1 publishes the table v2 [m1]            with these completed migrations, or none; to one other member;
                                          `once more`: no new one
n2 installs the table v2 of n1 [m1]       `(another)`: with another content than n1's has
n1 plans v2: 0 [n1 n2] > [n3 n2] by m1 m2, 1 ...      rows before and after, migrations
n1 requests m1 of 0: MOVE n1 0>-, n3 ->0  source and destination, each with its index before and after; `-` is none:
                                          COPY - ->-, n3 ->1
n1 sends n3 the commit of m1 as v3
n3 finishes m1 of 0 as destination in v3 · n3 fails m1 of 0 as destination in v4
n1 deletes 0 at 0 by m1 · n1 deletes 0 at 0          index 0 of partition 0; the table does not list it there
n1 deletes 0 at 1>3 by m1                 what index 3 does not hold
n1 drops m1 m2                            from the completed migrations
n2 fetches the table v3 of n3 [m1] active [m2]
n2 ends its search with v3 of n3, commits [m1], rolls back [m2]

The content of a master's table is known from its changes, or from those that a commit was to make."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast
from zlib import crc32

from tests.notation.notation_names import member, row, rows
from tests.reasons import reason_in

from shaketable.node import events as e
from shaketable.node.messages import NOWHERE, Migration, MigrationInfo, MigrationType, Row

Content = dict[int, Row]


class Tables:
    """The contents of each master's tables, so that a story need not repeat them."""

    def __init__(self) -> None:
        self._newest: dict[str, Content] = {}
        self._of: dict[tuple[str, int], Content] = {}
        self._infos: dict[str, MigrationInfo] = {}

    def change(self, who: str, version: int, changed: Content) -> int:
        self._newest[who] = self._of[who, version] = {**self._newest.get(who, {}), **changed}
        return self.stamp(who, version)

    def request(self, who: str, name: str, partition: int, migration: Migration) -> MigrationInfo:
        held = self._newest.get(who, {}).get(partition, ())
        info = self._infos[name] = MigrationInfo(name, member(who).uuid, partition, migration, 1, held)
        return info

    def prepare(self, who: str, version: int, name: str) -> int:
        """For the commit of that migration; of which partition."""
        info, content = self._infos[name], self._newest.get(who, {})
        self._of[who, version] = {**content, info.partition: info.migration.applied_to(content[info.partition])}
        return info.partition

    def take(self, who: str, master: str, version: int) -> int:
        self._newest[who] = self._of.get((master, version), {})
        return self.stamp(master, version)

    def stamp(self, who: str, version: int) -> int:
        content = self._of.get((who, version), self._newest.get(who, {}))
        return crc32(repr(sorted(content.items())).encode())


def _names(text: str | None) -> tuple[str, ...]:
    return tuple((text or "").split())


def _index(text: str) -> int:
    return NOWHERE if text == "-" else int(text)


def _changes(w: Any, who: str, version: str, change: str, told: str | None) -> None:
    changed = rows(told or "")
    stamp = w.tables.change(who, int(version), dict(changed))
    w.tell(who, e.TableChanged(int(version), stamp, change, changed, *reason_in("")))


def _publishes(w: Any, who: str, version: str, completed: str | None, again: str | None) -> None:
    stamp = w.tables.stamp(who, int(version))
    w.tell(who, e.TablePublished(int(version), stamp, 1, _names(completed), not again))


def _installs(w: Any, who: str, version: str, master: str, completed: str | None, another: str | None) -> None:
    stamp = w.tables.take(who, master, int(version)) ^ bool(another)
    w.tell(who, e.TableInstalled(int(version), stamp, member(master), _names(completed), *reason_in("")))


def _plans(w: Any, who: str, version: str, told: str) -> None:
    plans = []
    for part in told.split(", "):
        found = re.fullmatch(r"(\d+) \[(.*?)\] > \[(.*?)\] by (.*)", part)
        assert found is not None, f"no plan: {part!r}"
        plans.append((int(found[1]), row(found[2]), row(found[3]), _names(found[4])))
    w.tell(who, e.PartitionsPlanned(int(version), tuple(plans), sum(len(plan[3]) for plan in plans)))


def _requests(
    w: Any, who: str, name: str, partition: str, kind: str, source: str, was: str, is_: str, to: str, old: str, new: str
) -> None:
    (giver,), (taker,) = row(source), row(to)
    ends = giver, _index(was), _index(is_), taker, _index(old), _index(new)
    migration = Migration(cast("MigrationType", kind), *ends)
    w.tell(who, e.MigrationRequested(int(partition), w.tables.request(who, name, int(partition), migration)))


def _sends_commit(w: Any, who: str, whom: str, name: str, version: str) -> None:
    partition = w.tables.prepare(who, int(version), name)
    w.tell(who, e.CommitSent(partition, name, member(whom), int(version)))


def _deletes(w: Any, who: str, partition: str, replica: str, new: str | None, name: str | None) -> None:
    w.tell(who, e.ReplicaDropped(int(partition), int(replica), _index(new or "-"), name or "", 0, *reason_in("")))


def _ends_search(w: Any, who: str, version: str, whom: str, committed: str | None, rolled_back: str | None) -> None:
    w.tell(who, e.TableSearchEnded(int(version), member(whom), _names(committed), _names(rolled_back)))


def _fetches(w: Any, who: str, version: str, whom: str, completed: str | None, active: str | None) -> None:
    w.tell(who, e.TableFetched(member(whom), int(version), _names(completed), _names(active)))


_LIST = r"(?: \[(.*?)\])?"
SENTENCES: dict[str, Callable[..., None]] = {
    r"(\S+) changes the table to v(\d+) \(([a-z ]+)\)(?:: (.+))?": _changes,
    rf"(\S+) publishes the table v(\d+){_LIST}( once more)?": _publishes,
    rf"(\S+) installs the table v(\d+) of (\S+){_LIST}( \(another\))?": _installs,
    r"(\S+) plans v(\d+): (.+)": _plans,
    r"(\S+) requests (m\d+) of (\d+): ([A-Z+ ]+) (\S+) (.)>(.), (\S+) (.)>(.)": _requests,
    r"(\S+) sends (\S+) the commit of (m\d+) as v(\d+)": _sends_commit,
    r"(\S+) deletes (\d+) at (\d)(?:>(\d))?(?: by (m\d+))?": _deletes,
    r"(\S+) drops ((?:m\d+ ?)+)": lambda w, who, names: w.tell(who, e.CompletedDropped(_names(names))),
    rf"(\S+) fetches the table v(\d+) of (\S+){_LIST}(?: active \[(.*)\])?": _fetches,
    r"(\S+) ends its search with v(\d+) of (\S+?)(?:, commits \[(.*)\], rolls back \[(.*)\])?": _ends_search,
}
