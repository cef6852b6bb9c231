"""Which member of a group sends its heartbeats to which, and who looks for them: as a ring, or as the rule of another
policy has it; and where that is broken.

Members that do the same share a line, so that fifty of them have room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.seen.run import NodeSeen
from shaketable.tui.model.folds.heartbeats import WATCHED
from shaketable.tui.model.folds.picture import Picture
from shaketable.tui.model.history.memo import Itself, Remembered, Slot
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing import watch_troubles as t
from shaketable.tui.model.standing.family import told, watches_in_a_ring
from shaketable.tui.model.standing.links import Links, links
from shaketable.tui.model.standing.standing import is_master, shown_node
from shaketable.tui.model.standing.watch_troubles import Trouble, troubles
from shaketable.tui.natural import naturally
from shaketable.tui.panels.matrix import CASES, DONE
from shaketable.tui.panels.nothing import A_NODE, nothing
from shaketable.tui.panels.watching import ARROWS, RULES, chains_of, in_doubt, member, rings, wrapped_pieces
from shaketable.tui.text import Line, Span, fitted, line, width_of, wrapped

FEW: Final = 4
"""names that are spelled out"""
ALL: Final = ("all others",)
_DRAWN: Final = Slot(Remembered[Sequence[Line]])


class Same(NamedTuple):
    """Members that share a line all do this."""

    leads: bool
    to: tuple[str, ...]
    watches: tuple[str, ...]


def ring(session: Session, width: int, height: int) -> Sequence[Line]:
    picture = session.picture()
    if not picture.observed.nodes:
        return nothing(session, "no member yet", A_NODE, width)
    of_links, here = links(session), shown_node(session)
    made_of = (picture.touched, picture.touched_group, Itself(picture.observed), Itself(of_links), here, session.facts)
    size = width, height
    return session.memo[_DRAWN].get(size, made_of, lambda: _drawn(session, picture, of_links, here, *size))


def ring_title(session: Session) -> str:
    policy = told(session.facts, "gms_detection")
    if not watches_in_a_ring(session.facts):
        return f"Heartbeats: {policy}"
    found = chains_of(session)
    if not found:
        return f"Heartbeats: {policy}"
    closed = sum(chain.is_ring for chain in found)
    state = "closed" if closed == len(found) == 1 else "open" if not closed else f"{len(found)} pieces"
    return f"Heartbeats: {policy}, {state}"


def member_here(session: Session) -> str:
    return f"node:{shown_node(session)}"


def _drawn(session: Session, picture: Picture, of_links: Links, here: str, width: int, height: int) -> Sequence[Line]:
    """Where there is no room for all, what is wrong goes first."""
    doubted = in_doubt(picture)

    def draw(name: str) -> Line:
        """It can be chosen."""
        of = picture.observed.nodes.get(name)
        mark = Span("▸", "key") if name == here else Span("")
        leads = Span("◆", "master") if of is not None and is_master(of) else Span("")
        spans = (mark, leads, *member(picture, name, doubted))
        return tuple(span._replace(target=f"node:{name}") for span in spans if span.text)

    if watches_in_a_ring(session.facts):
        lines = [*rings(chains_of(session), width, draw, _arrow(picture, of_links)), *_outside(picture, draw, width)]
    else:
        rule = RULES.get(told(session.facts, "gms_detection"), "")
        words = [Span(f" {word}", "dim") for word in rule.split()]
        lines = [*wrapped(words, width, indent=1), *_alike(picture, draw, width)]
    found = troubles(picture, of_links)
    wrong = [_trouble(each) for each in found]
    lines = [*wrong, *lines] if len(lines) + len(wrong) > height else [*lines, *wrong]
    if not found and any(node.group.watched for node in picture.observed.running()):
        lines.append(line(Span(" ✓ ", "good"), Span("each member that sends heartbeats is watched", "dim")))
    return [fitted(each, width) if width_of(each) > width else each for each in lines]


def _arrow(picture: Picture, of_links: Links) -> Callable[[str, str, str], Span]:
    """On it stands what is done to the link."""

    def arrow(sender: str, receiver: str, link: str) -> Span:
        done = of_links.of(sender, receiver).done if link == WATCHED else ""
        return Span(f" {DONE[done]}→ ", "fault") if done in DONE else Span(*ARROWS[link])

    return arrow


def _outside(picture: Picture, draw: Callable[[str], Line], width: int) -> Sequence[Line]:
    """Those that run and send no heartbeats."""
    names = [node.name for node in picture.observed.running() if not node.group.to]
    if not names or not any(node.group.to for node in picture.observed.running()):
        return ()
    pieces = [(*draw(name), Span(" ")) for name in sorted(names, key=naturally)]
    return wrapped_pieces(" none", [*pieces, line(Span("sends no heartbeats", "dim"))], width)


# Another policy


def _alike(picture: Picture, draw: Callable[[str], Line], width: int) -> Sequence[Line]:
    """The master first."""
    groups: dict[Same, list[str]] = {}
    for node in picture.observed.running():
        if node.group.to or node.group.watched:
            groups.setdefault(_does(picture, node), []).append(node.name)
    lines: list[Line] = []
    for same, names in sorted(groups.items(), key=lambda each: (not each[0].leads, naturally(min(each[1])))):
        pieces = [(Span(" "), *draw(name)) for name in sorted(names, key=naturally)]
        does = (*_names("  → ", same.to, "good"), *_names("  ← ", same.watches, "good"))
        lines += _in_columns([*pieces, does], width)
    return lines or [line(Span(" nobody sends heartbeats", "dim"))]


def _does(picture: Picture, node: NodeSeen) -> Same:
    def names(addresses: Sequence[str]) -> tuple[str, ...]:
        if len(addresses) > 1 and len(addresses) == len(node.members) - 1:
            return ALL
        return tuple(sorted((picture.observed.names.get(each, each) for each in addresses), key=naturally))

    return Same(is_master(node), names(node.group.to), names(node.group.watched))


def _names(sign: str, names: Sequence[str], role: str) -> Line:
    return line(Span(sign, role), Span(" ".join(names) or "nobody", "plain" if names else "dim"))


def _in_columns(pieces: Sequence[Line], width: int) -> list[Line]:
    rows: list[list[Span]] = [[]]
    for piece in pieces:
        if rows[-1] and width_of(rows[-1]) + width_of(piece) > width:
            rows.append([])
        rows[-1] += piece
    return [tuple(row) for row in rows]


# What is broken


def _trouble(of: Trouble) -> Line:
    sign, role = ("✗", "bad") if of.kind == t.TO_NOBODY else ("!", "warn")
    if of.kind == t.DONE:
        sign, role = DONE.get(of.done, "✗"), "fault"
    several = len(of.members) > 1
    if of.kind == t.TO_NOBODY:
        said = f"does not run, and {_some(of.others)} send{'' if len(of.others) > 1 else 's'} it heartbeats"
    elif of.kind == t.UNWATCHED:
        said = f"{'are' if several else 'is'} watched by nobody"
    elif of.kind == t.WAITS:
        waits = "wait" if len(of.others) > 1 else "waits"
        said = f"send{'' if several else 's'} no heartbeats to {_some(of.others)}, which {waits} for them"
    elif of.kind == t.DONE:
        said = f"→ {_some(of.others)}  {of.done}: {CASES[of.case].words}"
    else:
        since = f" since {rounded(of.since)}" if of.since is not None else ""
        said = f"→ {_some(of.others)}  nothing comes{since}, and nothing was done to the link"
    return line(Span(f" {sign} ", role), *_targets(of.members), Span(f" {said}", role))


def _some(names: Sequence[str]) -> str:
    return " ".join(names) if len(names) <= FEW else f"{len(names)} members"


def _targets(names: Sequence[str]) -> Line:
    if len(names) > FEW:
        return line(Span(f"{len(names)} members", "name", f"node:{names[0]}"))
    spans: list[Span] = []
    for name in names:
        spans += [Span(" ")] * bool(spans)
        spans.append(Span(name, "name", f"node:{name}"))
    return tuple(spans)
