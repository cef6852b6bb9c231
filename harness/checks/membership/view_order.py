"""M1, view order (text 1.4).

The orders of all processes are joined over the keys of the views. A cycle is a conflict, also over three or more
processes. Views may be skipped. If no two processes share two views, the check is vacuous."""

from __future__ import annotations

from collections import deque
from itertools import combinations, pairwise
from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.result import CheckResult, Findings, counted
from shaketable.harness.history.history import History, Key, Process
from shaketable.harness.records import Record
from shaketable.node.events import ViewInstalled

NAME: Final = "view order"
RULE: Final = "If one process installs two views in some order, no other process installs them in a conflicting order."
NEEDS: Final = (ViewInstalled,)


def check(history: History, bounds: Bounds) -> CheckResult:
    installers = [process for process in history.processes.values() if process.installs]
    orders = {process.uuid: _order(process) for process in installers}
    findings = Findings(history)
    cycle = _cycle(orders)
    if cycle:
        findings.add(_sentence(history, cycle), _proof(history, cycle))
    keys = {key for order in orders.values() for key in order}
    shared = _somebody_shares_two(orders)
    count = sum(len(process.installs) for process in installers)
    looked_at = (
        f"{counted(count, 'install')} of {counted(len(installers), 'process', 'processes')} "
        f"over {counted(len(keys), 'view')}"
    )
    if not shared and not cycle:
        return findings.result(NAME, RULE, f"{looked_at}, of which no two processes share two", 0)
    return findings.result(NAME, RULE, looked_at, count)


def _order(process: Process) -> list[Key]:
    """Its views in order; the same view twice in a row is one."""
    order: list[Key] = []
    for install in process.installs:
        if not order or order[-1] != install.key:
            order.append(install.key)
    return order


def _somebody_shares_two(orders: dict[str, list[Key]]) -> bool:
    """No more pairs are looked at than there are: one that comes twice shares two."""
    holders: dict[Key, list[str]] = {}
    for uuid, order in orders.items():
        for key in dict.fromkeys(order):
            holders.setdefault(key, []).append(uuid)
    pairs: set[tuple[str, str]] = set()
    for of_one_key in holders.values():
        for pair in combinations(of_one_key, 2):
            if pair in pairs:
                return True
            pairs.add(pair)
    return False


Step = tuple[str, Key, Key]
"""This process installed the first view before the second."""


def _cycle(orders: dict[str, list[Key]]) -> list[Step]:
    """The shortest cycle there is, or nothing. Events in no cycle are peeled off first: mostly these are all."""
    if all(earlier < later for order in orders.values() for earlier, later in pairwise(order)):
        return []  # so does the order of keys itself: by version, and then by author
    following: dict[Key, dict[Key, bool]] = {}
    leading: dict[Key, dict[Key, bool]] = {}
    for order in orders.values():
        for key in order:
            following.setdefault(key, {})
            leading.setdefault(key, {})
        for earlier, later in pairwise(order):
            following[earlier][later] = leading[later][earlier] = True
    left = _peeled(following, leading, dict.fromkeys(following, True))
    left = _peeled(leading, following, left)
    places = {uuid: _first_places(order) for uuid, order in orders.items()}
    best: list[Step] = []
    for start in left:
        found = _shortest_back_to(start, orders, places, left)
        if found and (not best or len(found) < len(best)):
            best = found
            if len(best) == _SHORTEST:
                break
    return best


_SHORTEST: Final = 2
"""steps of a cycle"""


def _peeled(
    onwards: dict[Key, dict[Key, bool]], back: dict[Key, dict[Key, bool]], among: dict[Key, bool]
) -> dict[Key, bool]:
    """Without those that nothing of the rest leads to."""
    before = {key: sum(other in among for other in back[key]) for key in among}
    free = deque(key for key, number in before.items() if number == 0)
    while free:
        key = free.popleft()
        del before[key]
        for later in onwards[key]:
            if later in before:
                before[later] -= 1
                if before[later] == 0:
                    free.append(later)
    return dict.fromkeys(before, True)


def _first_places(order: list[Key]) -> dict[Key, int]:
    places: dict[Key, int] = {}
    for place, key in enumerate(order):
        places.setdefault(key, place)
    return places


def _shortest_back_to(
    start: Key, orders: dict[str, list[Key]], places: dict[str, dict[Key, int]], within: dict[Key, bool]
) -> list[Step]:
    """By whole stretches of one process's order, so that two processes in conflict make a cycle of two steps."""
    came: dict[Key, Step] = {}
    waiting = deque([start])
    while waiting:
        key = waiting.popleft()
        for uuid, order in orders.items():
            place = places[uuid].get(key)
            if place is None:
                continue
            for later in order[place + 1 :]:
                if later in within and later not in came and later != key:
                    came[later] = (uuid, key, later)
                    waiting.append(later)
        if start in came:
            break
    steps: list[Step] = []
    key = start
    while key in came and (not steps or key != start):
        steps.append(came[key])
        key = came[key][1]
    return steps[::-1]


def _sentence(history: History, cycle: list[Step]) -> str:
    def view(key: Key) -> str:
        return f"v{key[0]} by {history.names.author(key[1])}"

    said = [f"{history.name(history.by_uuid[uuid])} installs {view(a)} before {view(b)}" for uuid, a, b in cycle]
    return f"{', '.join(said[:-1])}{' and ' if len(said) > 1 else ''}{said[-1]}."


def _proof(history: History, cycle: list[Step]) -> list[Record]:
    records: list[Record] = []
    for uuid, earlier, later in cycle:
        installs = history.by_uuid[uuid].installs
        first = next(i for i, install in enumerate(installs) if install.key == earlier)
        second = next(i for i, install in enumerate(installs) if install.key == later and i > first)
        both = installs[first].record, installs[second].record
        records += [record for record in both if record not in records]
    return records
