"""What a node believes of each other: one letter a member, in a row behind the node's own; so the rows are a matrix.

A letter says whether a member is in the list, is its master, is suspected, or is absent, and needs no colour."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.tui.panels.labels import labels
from shaketable.tui.text import Line, Span, line

LISTED: Final = "+"
MASTER: Final = "M"
SUSPECTED: Final = "s"
SUSPECTED_MASTER: Final = "S"
ABSENT: Final = "-"
FORMER: Final = "~"
"""a member that ran under this name before is in the list"""


def legend(suspected: str) -> str:
    """`suspected`: what that is called."""
    letters = f"{LISTED} member, {MASTER} its master, {SUSPECTED} {SUSPECTED_MASTER} {suspected}, {ABSENT} absent"
    return f"in each node's list: {letters}"


def cells_that_fit(names: Sequence[str]) -> list[int]:
    """How wide the column of a member may be, the widest first: with its name above it, with air, or dense."""
    return [max(map(len, names)) + 1, 2, 1]


def width_of(names: Sequence[str], cell: int) -> int:
    """Without the air behind the last."""
    longest = max(map(len, names))
    return len(names) * cell - (cell - 1 if cell <= longest else cell - longest)


def titles(names: Sequence[str], cell: int) -> tuple[str, str]:
    """The upper line, which may be blank, and the lower one."""
    if cell > max(map(len, names)):
        return "", "".join(f"{name:<{cell}}" for name in names).rstrip()
    upper, lower = ("".join(f"{label[row]:<{cell}}" for label in labels(names)).rstrip() for row in (0, 1))
    return upper, lower


def believes(observed: Observed, node: NodeSeen, master: NodeSeen | None, names: Sequence[str], cell: int) -> Line:
    """`names`: of all nodes, in the order of the columns. `master`: its own, if that is still what it was."""
    listed = {member.uuid: True for member in node.members}
    addresses = {member.address: True for member in node.members}
    its = {member.uuid: True for member in master.members} if master is not None else listed
    found: list[tuple[str, str]] = []
    for name in names:
        of = observed.nodes[name]
        known = of.address in addresses
        there = of.incarnation in listed or (known and not of.incarnation)
        same = (of.incarnation in listed) == (of.incarnation in its)
        if not there and known:
            found.append((FORMER, "warn"))
        elif not there:
            found.append((ABSENT, "dim" if same else "bad"))
        else:
            found.append(_of_a_member(node, of, same))
    spans = [
        Span("".join(f"{letter:<{cell}}" for letter, _ in run), role)
        for role, run in ((role, list(run)) for role, run in groupby(found, key=lambda each: each[1]))
    ]
    return line(*spans[:-1], spans[-1]._replace(text=spans[-1].text.rstrip()))


def _of_a_member(node: NodeSeen, of: NodeSeen, same: bool) -> tuple[str, str]:
    suspected = of.incarnation in node.suspected
    if node.master is not None and node.master.uuid == of.incarnation:
        return (SUSPECTED_MASTER, "warn") if suspected else (MASTER, "master")
    if suspected:
        return SUSPECTED, "warn"
    return LISTED, "good" if same else "bad"
