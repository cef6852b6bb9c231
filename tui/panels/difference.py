"""What two nodes believe, side by side, and where they differ: the chosen one, and the one that was marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.harness.seen.suspicions import Suspicions
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.family import is_group
from shaketable.tui.model.standing.group_standing import group_standings
from shaketable.tui.model.standing.standing import called, shown_node
from shaketable.tui.natural import naturally
from shaketable.tui.text import Line, Span, cell, fitted, line

LABEL: Final = 14


class Compared(NamedTuple):
    label: str
    mine: str
    theirs: str
    same: bool


def difference_title(session: Session) -> str:
    one, other = two(session)
    return f"{one} and {other}" if other else "Difference"


def two(session: Session) -> tuple[str, str]:
    """The two nodes that are compared. The second is "" if none was marked."""
    one, other = shown_node(session), session.chosen.other
    return one, other if other != one and other in session.picture().observed.nodes else ""


def difference(session: Session, width: int, height: int) -> Sequence[Line]:
    one, other = two(session)
    if not other:
        key = Span(session.keys.get("mark", "m"), "key", "key:mark")
        help_ = line(Span(" mark a node with "), key, Span(", go to another one, and see both here"))
        return [fitted(help_, width)]
    observed = session.picture().observed
    left, right = observed.nodes[one], observed.nodes[other]
    wide = max(8, (width - LABEL - 4) // 2)
    lines = [
        line(
            Span("   "),
            Span(" " * LABEL),
            cell(one, wide, "name", f"node:{one}"),
            Span(" "),
            cell(other, wide, "name", f"node:{other}"),
        )
    ]
    in_a_group = is_group(session.facts)
    doubted = "! in doubt" if in_a_group else "! suspected"
    rows = [*_facts(observed, left, right), *(_of_a_group(session, one, other) if in_a_group else ())]
    rows += _members(observed, left, right, doubted)
    for label, mine, theirs, same in rows:
        role = "dim" if same else "warn"
        lines.append(
            line(
                Span(" = " if same else " ≠ ", role),
                cell(label, LABEL, "dim"),
                cell(mine, wide, "dim" if same else "plain"),
                Span(" "),
                cell(theirs, wide, "dim" if same else "plain"),
            )
        )
    if all(row.same for row in rows):
        lines.append(line(Span(" = they believe the same", "good")))
    return [fitted(each, width) for each in lines]


def _facts(observed: Observed, left: NodeSeen, right: NodeSeen) -> list[Compared]:
    def both(label: str, of: list[str]) -> Compared:
        return Compared(label, of[0] or "–", of[1] or "–", of[0] == of[1])

    nodes = (left, right)
    facts = [
        both("master", [called(observed, n.master) if n.master is not None else "" for n in nodes]),
        both("list version", [f"v{n.version}" if n.joined else "" for n in nodes]),
        both("its author", [observed.node_of.get(n.author, n.author[:4]) if n.joined else "" for n in nodes]),
        both("given up", [_names(observed, n.given_up) for n in nodes]),
    ]
    if left.partitions.version or right.partitions.version:
        facts.append(both("table version", [str(n.partitions.version or "") for n in nodes]))
        if left.partitions.version == right.partitions.version:
            facts.append(both("table stamp", [f"{n.partitions.stamp:x}" for n in nodes]))
    return facts


def _names(observed: Observed, of: Suspicions) -> str:
    return " ".join(sorted((called(observed, each.peer) for each in of.values()), key=naturally))


def _of_a_group(session: Session, one: str, other: str) -> list[Compared]:
    """What each of them has taken, and what it has told its application last. The members that they watch always
    differ."""
    observed, standings = session.picture().observed, group_standings(session)
    members = [standings[name].of for name in (one, other)]
    taken = [
        f"{of.taken[0]} of {observed.node_of.get(of.taken[1], of.taken[1][:4])}" if of.taken else "–" for of in members
    ]
    told = [
        f"{of.notices[-1].event.signal} {called(observed, of.notices[-1].event.peer)}" if of.notices else "–"
        for of in members
    ]
    return [
        Compared("notification", taken[0], taken[1], taken[0] == taken[1]),
        Compared("last told", told[0], told[1], told[0] == told[1]),
    ]


def _members(observed: Observed, left: NodeSeen, right: NodeSeen, doubted: str) -> list[Compared]:
    """Each member of either list: its place, and whether it is suspected. They differ about who is missing in one, or
    stands before another whom the other list has before it; not about a place that only follows from that."""
    mine, theirs = ({m.uuid: place for place, m in enumerate(node.members, 1)} for node in (left, right))
    both = [[uuid for uuid in one if uuid in other] for one, other in ((mine, theirs), (theirs, mine))]
    moved = {uuid: True for a, b in zip(*both, strict=True) if a != b for uuid in (a, b)}
    known = {m.uuid: m for node in (left, right) for m in node.members}
    rows: list[Compared] = []
    for uuid in sorted(known, key=lambda uuid: (mine.get(uuid) or theirs[uuid], uuid not in mine)):
        doubts = [uuid in node.suspected for node in (left, right)]
        places = [
            (f"place {of[uuid]}" if uuid in of else "not on its list") + (f", {doubted}" if doubts_it else "")
            for of, doubts_it in zip((mine, theirs), doubts, strict=True)
        ]
        same = uuid in mine and uuid in theirs and uuid not in moved and doubts[0] == doubts[1]
        rows.append(Compared(called(observed, known[uuid]), places[0], places[1], same))
    return rows
