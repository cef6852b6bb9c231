"""What the table of a cluster shows of a group's members: how the others take them to be, and who watches whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.config import CORE
from shaketable.tui.model.folds import membership as m
from shaketable.tui.model.standing import standing as s
from shaketable.tui.model.standing.group_standing import GroupStanding
from shaketable.tui.model.standing.standing import Standing, called
from shaketable.tui.natural import naturally
from shaketable.tui.text import Line, Span, line

SIGNS: Final[Mapping[str, tuple[str, str]]] = {
    "JOIN": ("●", "good"),
    "JOINED_AND_READY": ("●", "good"),
    "FAILURE_SUSPECTED": ("!", "warn"),
    "NO_LONGER_SUSPECTED": ("✓", "good"),
    "FAILURE": ("✗", "warn"),
    "PLANNED_SHUTDOWN": ("–", "dim"),
    "GROUP_LEADERSHIP": ("◆", "master"),
}
"""of what an application is told"""
FEW: Final = 2
"""names that are spelled out where they are all others"""


def state_words(of: Standing, group: GroupStanding, plain: Line, roomy: bool) -> Line:
    """`plain`: its state, if it is no member. Behind it how the others take it to be, where that is not the same."""
    if of.state == s.JOINED:
        own = line(Span(m.STOPPING, "moving")) if group.of.stopping else line(Span(group.state))
    else:
        own = plain
    return (*own, *_by_the_others(of, group, roomy))


def _by_the_others(of: Standing, group: GroupStanding, roomy: bool) -> Line:
    for state, sign, role in ((m.IN_DOUBT, "!", "warn"), (m.FAILED, "✗", "bad" if of.node.running else "dim")):
        by = len(group.believed_by(state))
        if by:
            many = "" if by == group.many and state == m.FAILED else f" ({by})"
            return line(Span(f", {state}{many}" if roomy else f", {sign}{by}", role))
    return ()


def doubts(observed: Observed, node: NodeSeen, group: GroupStanding) -> Line:
    """Those in doubt; with a question mark who is silent to it alone, so far."""
    if not node.running:
        return ()
    names = sorted((called(observed, each.peer) for each in node.suspected.values()), key=naturally)
    silent = [each.member for each in group.silent if each.member.uuid not in node.suspected]
    asked = sorted((f"{called(observed, member)}?" for member in silent), key=naturally)
    return line(Span(" ".join((*names, *asked)), "warn"))


def kind(group: GroupStanding) -> Line:
    return line(Span(group.kind, "dim" if group.kind == CORE else "name"))


def names_of(names: Sequence[str], group: GroupStanding) -> Line:
    if len(names) > FEW:
        return line(Span(f"all {len(names)}" if len(names) == group.many else f"{len(names)} of them", "name"))
    return line(Span(" ".join(names), "name"))


def last_told(observed: Observed, node: NodeSeen, group: GroupStanding) -> Line:
    """The last thing that its application was told."""
    if not group.of.notices or not node.running:
        return ()
    event = group.of.notices[-1].event
    sign, role = SIGNS.get(event.signal, ("·", "plain"))
    return line(Span(f"{sign} ", role), Span(f"{event.signal} {called(observed, event.peer)}", "dim"))
