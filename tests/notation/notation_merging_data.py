"""What members do with the data of a part that merges, in the lines of notation.py.

n4 sets aside 0 1 of v2: k = x1, j of map precious = x2      the partitions that it owns, and all that is in them
n4 sets aside 0 of v2: k = x1; still to bring: j = x2
n4' brings k = x1 to n1                one entry, which is one batch; `n4' brings 65 entries to n1`
n4' learns that k = x1 is kept by n1 n2 · ... is lost (by discard) · ... is there · ... is changed to x3 by n1
n4' gives up k = x1 (none of them has found its owner in time)
n4' has brought all
... of map precious in partition 3 ... after the key, else of map data in partition 0"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from tests.notation.notation_names import member, row
from tests.reasons import reason_in

from shaketable.node import events as e

_WHERE: Final = r"((?: of map \S+| in partition \d+)*)"


def _place(where: str) -> tuple[str, int]:
    map_ = found[1] if (found := re.search(r"of map (\S+)", where)) else "data"
    return map_, int(found[1]) if (found := re.search(r"in partition (\d+)", where)) else 0


def _entries(told: str | None) -> tuple[tuple[str, str, str], ...]:
    entries = []
    for part in filter(None, map(str.strip, (told or "").split(","))):
        found = re.fullmatch(rf"(\S+?){_WHERE} = (\S+)", part)
        assert found is not None, f"no entry: {part!r}"
        entries.append((_place(found[2])[0], found[1], found[3]))
    return tuple(entries)


def _sets_aside(w: Any, who: str, partitions: str, version: str, told: str, rest: str | None) -> None:
    numbers = tuple(map(int, partitions.split()))
    w.tell(who, e.EntriesSetAside(int(version), numbers, _entries(told), _entries(rest)))


def _number(who: str, key: str, value: str) -> int:
    """The same for the same entry of the same bringer."""
    return sum(map(ord, f"{who} {key} {value}"))


def _brings(w: Any, who: str, key: str, where: str, value: str, owner: str) -> None:
    name, partition = _place(where)
    w.tell(who, e.EntriesBrought(member(owner), name, partition, _number(who, key, value), ((key, value),)))


def _learns(w: Any, who: str, key: str, where: str, value: str, end: str, now: str, holders: str, why: str) -> None:
    name, partition = _place(where)
    after = {"kept": value, "there": value, "changed": now}.get(end)
    uuids = tuple(uuid for uuid in row(holders or "n1") if uuid is not None)
    entry, kind = (key, value, end, after, why or "so it is"), reason_in(why or "so it is").why
    number = _number(who, key, value)
    owner = (holders or "n1").split()[0]
    w.tell(who, e.EntriesMerged(member(owner), name, partition, number, (entry,), uuids, 1, (kind,)))


SENTENCES: dict[str, Callable[..., None]] = {
    r"(\S+) sets aside ([\d ]+) of v(\d+):(.*?)(?:; still to bring: (.+))?": _sets_aside,
    rf"(\S+) brings (\S+?){_WHERE} = (\S+) to (\S+)": _brings,
    r"(\S+) brings (\d+) entries to (\S+)": lambda w, who, many, owner: w.tell(
        who, e.EntriesBrought(member(owner), "data", 0, 1, (("k", "x1"),) * int(many))
    ),
    rf"(\S+) learns that (\S+?){_WHERE} = (\S+) is (kept|lost|there|changed)(?: to (\S+))?(?: by ([n\d' ]+))?"
    r"(?: \((.+)\))?": _learns,
    rf"(\S+) gives up (\S+?{_WHERE} = \S+) \((.+)\)": lambda w, who, told, _, why: w.tell(
        who, e.EntriesGivenUp(_entries(told), *reason_in(why))
    ),
    r"(\S+) has brought all": lambda w, who: w.tell(who, e.MergeDataDone(1, 0, 0, 0, 0)),
}
