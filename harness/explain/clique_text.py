"""A decision about who stays, in words for somebody who has never seen one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import RenderableType
from rich.text import Text

from shaketable.harness.console.screen import indented
from shaketable.harness.explain.clique_ways import Group, Lists, groups_of, lists_of
from shaketable.harness.explain.names import listed, shown, some
from shaketable.node.cluster.cliques import Decision, Question

MOST_GROUPS: Final = 12
SMALL: Final = 20
"""up to so many members, equally large lists are written out whole"""
COUNTED: Final = 10**12
"""who wants to know more exactly how many there are?"""
RULE: Final = (
    "Of equally large lists the one with the most data members is taken; of several, the one with the most replicas; "
    "of several, the one with the oldest member in which they differ."
)
BOTH_WAYS: Final = (
    "A pair counts as broken in both directions, even if only one of its two cannot hear the other: that is not told "
    "apart here."
)


def explanation(
    question: Question, decision: Decision | None, seconds: float, number: int = 0
) -> Iterator[RenderableType]:
    """`number` is that of the line it was asked in, `seconds` what the decision was given."""
    pairs = sum(near.bit_count() for near in question.rivals) // 2
    head = f"{f'Line {number}: ' if number else ''}{_many(len(question.members), 'member')}, "
    head += f"{_many(pairs, 'broken pair')}: {_outcome(decision)}"
    yield indented(Text(head, style="bold"), 0)
    if decision is None:
        yield from _undecided(question, seconds)
        return
    yield from _paragraph("Stay:", [_with_master(decision.stay)])
    if not decision.leave:
        yield from _paragraph("Why:", ["No pair is broken: all can talk to each other."])
        return
    yield from _paragraph("Leave:", [listed(decision.leave)])
    yield from _paragraph("Why:", list(_reasons(question, decision)))
    groups = groups_of(question, decision)
    if groups:
        yield from _groups(question, groups)
        lists = lists_of(question, decision, groups)
        if lists.count > 1:
            yield from _lists(question, lists)
    yield from _paragraph(BOTH_WAYS, [])


def _outcome(decision: Decision | None) -> str:
    if decision is None:
        return "no decision in time, so nobody leaves."
    if not decision.leave:
        return "nobody leaves."
    return f"{some(decision.leave)} {'leaves' if len(decision.leave) == 1 else 'leave'}."


def _paragraph(title: str, lines: Sequence[str]) -> Iterator[RenderableType]:
    yield Text()
    yield indented(Text(title), 0)
    for line in lines:
        yield indented(Text(line), 4)


def _with_master(stay: Sequence[str]) -> str:
    return ", ".join([f"{shown(stay[0])} (the master)", *map(shown, stay[1:])])


def _undecided(question: Question, seconds: float) -> Iterator[RenderableType]:
    largest = max(map(len, question.groups()))
    yield from _paragraph("Stay:", ["all"])
    yield from _paragraph(
        "Why:",
        [
            f"To find the fewest who have to leave takes more work than is counted as {seconds:g} s.",
            "A master removes nobody then, and collects the reports anew. --timeout gives it more.",
            f"What makes it hard: {largest:,} members hang together by broken pairs.",
        ],
    )


def _reasons(question: Question, decision: Decision) -> Iterator[str]:
    """Those who leave for the same reason in one line."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for name in decision.leave:
        alike.setdefault(question.cut_off(name, decision.stay), []).append(name)
    for others, names in alike.items():
        if others[0] == question.members[0]:
            yield f"{listed(names)} cannot talk to the master, {shown(others[0])}, which always stays{_nor(others[1:])}"
        else:
            yield f"{listed(names)} cannot talk to {some(others)}"


def _nor(others: Sequence[str]) -> str:
    return f"; nor to {some(others)}" if others else ""


def _groups(question: Question, groups: Sequence[Group]) -> Iterator[RenderableType]:
    pairs = "The other broken pairs" if question.rivals[0] else "The broken pairs"
    if len(groups) == 1:
        title = f"{pairs} make one group. As few of it leave as can be:"
    else:
        title = f"{pairs} make {len(groups):,} groups that share no member. As few of each leave as can be:"
    lines = [_group(group) for group in groups[:MOST_GROUPS]]
    if len(groups) > MOST_GROUPS:
        lines.append(f"and {_many(len(groups) - MOST_GROUPS, 'more group')}")
    yield from _paragraph(title, lines)


def _group(group: Group) -> str:
    stay, size, ways = len(group.ways[0]), len(group.members), len(group.ways)
    line = f"{some(group.members)}: at most {stay} of {size} can stay"
    if group.complete:
        return f"{line}, in one way only" if ways == 1 else f"{line}, in {ways} ways. The one taken: {group.rule}"
    if ways == 1:
        return f"{line}; whether in other ways too would take long to find out. If so, the one taken: {group.rule}"
    return f"{line}, in {ways} ways or more. The one taken: {group.rule}"


def _lists(question: Question, lists: Lists) -> Iterator[RenderableType]:
    count = f"{lists.count:,}" if lists.count < COUNTED else f"more than {COUNTED:,}"
    title = f"So there are {count} equally large member lists{'' if lists.complete else ', or more'}"
    all_there = lists.complete and lists.count == len(lists.shown)
    if len(question.members) <= SMALL:
        lines = [listed(names) for names in lists.shown] + ([] if all_there else ["..."])
        yield from _paragraph(f"{title}, here the one taken first:", lines)
    elif all_there:
        common = set.intersection(*map(set, lists.shown))
        lines = [some([name for name in names if name not in common]) for names in lists.shown]
        yield from _paragraph(f"{title}, here the one taken first, without the {len(common)} who are in all:", lines)
    else:
        yield from _paragraph(f"{title}.", [])
    yield from _paragraph(RULE, [])


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
