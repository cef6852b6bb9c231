"""Which member watches which in a group, in a line or two: the ring as its members make it, or the rule of another
policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from shaketable.node.config import ALL_TO_ALL, LIFEGUARD, MASTER_AND_LIKELY, SWIM
from shaketable.node.messages import Uuid
from shaketable.tui.model.folds.heartbeats import GONE, UNWATCHED, WATCHED, Chain, chains
from shaketable.tui.model.folds.picture import Picture
from shaketable.tui.model.history.memo import Itself, Remembered, Slot
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.family import told, watches_in_a_ring
from shaketable.tui.text import Line, Span, fitted, line, width_of

RULES: Final[Mapping[str, str]] = {
    ALL_TO_ALL: "each sends to all others; the master watches all, all watch the master",
    SWIM: "each pings one other member a period; others try what was not answered",
    LIFEGUARD: "the same; a slow member pings more slowly, and a suspect is told so",
    MASTER_AND_LIKELY: "each sends to the master, which watches all, and it to its likely successors",
}
ARROWS: Final[Mapping[str, tuple[str, str]]] = {
    WATCHED: (" → ", "good"),
    UNWATCHED: (" →? ", "warn"),
    GONE: (" → ", "warn"),
}
_RINGS: Final = Slot(Remembered[Sequence[Line]])
_CHAINS: Final = Slot(Remembered[Sequence[Chain]])


def watching_lines(session: Session, width: int) -> Sequence[Line]:
    if not watches_in_a_ring(session.facts):
        policy = told(session.facts, "gms_detection")
        return [fitted(line(Span(f" {policy}", "title"), Span(f"  {RULES.get(policy, '')}", "dim")), width)]
    picture = session.picture()
    made_of = (picture.count, Itself(picture.observed))
    return session.memo[_RINGS].get(width, made_of, lambda: _rings(session, picture, width))


def chains_of(session: Session) -> Sequence[Chain]:
    """At the cursor; several panels of a frame ask."""
    picture = session.picture()
    made_of = (picture.touched_group, Itself(picture.observed))
    return session.memo[_CHAINS].get("", made_of, lambda: chains(picture.observed))


def _rings(session: Session, picture: Picture, width: int) -> Sequence[Line]:
    doubted = in_doubt(picture)
    return rings(
        chains_of(session), width, lambda name: member(picture, name, doubted), lambda _, __, link: Span(*ARROWS[link])
    )


def rings(
    found: Sequence[Chain], width: int, member: Callable[[str], Line], arrow: Callable[[str, str, str], Span]
) -> Sequence[Line]:
    """`member`: how one is drawn. `arrow`: how the link from one to the next is, which is watched or not."""
    if not found:
        return [fitted(line(Span(" ring", "title"), Span("  nobody sends heartbeats", "dim")), width)]
    lines: list[Line] = []
    for chain in sorted(found, key=lambda chain: not chain.is_ring):
        pieces = list(_chain(chain, member, arrow))
        lines += wrapped_pieces(" ring" if chain.is_ring else " open", pieces, width)
    return lines


def _chain(chain: Chain, member: Callable[[str], Line], arrow: Callable[[str, str, str], Span]) -> Iterator[Line]:
    """A piece a member: itself, and the arrow to the next one."""
    names = [*chain.names, chain.names[0]] if chain.is_ring else chain.names
    for name, after, link in zip(names, names[1:], chain.links, strict=False):
        yield (*member(name), arrow(name, after, link))
    yield member(names[-1])


def in_doubt(picture: Picture) -> Mapping[Uuid, bool]:
    """Those that somebody doubts."""
    nodes = picture.observed.nodes.values()
    return {uuid: True for node in nodes if node.running for uuid in node.suspected}


def member(picture: Picture, name: str, doubted: Mapping[Uuid, bool]) -> Line:
    """A member that somebody doubts stands out, and so does one that does not run."""
    node = picture.observed.nodes.get(name)
    if node is None or not node.running:
        return line(Span(f"✗{name}", "bad"))
    if node.incarnation in doubted:
        return line(Span(f"!{name}", "warn"))
    return line(Span(name, "name"))


def wrapped_pieces(title: str, pieces: Sequence[Line], width: int) -> list[Line]:
    rows: list[list[Span]] = [[Span(f"{title:6} ", "title")]]
    for piece in pieces:
        if len(rows[-1]) > 1 and width_of(rows[-1]) + width_of(piece) > width:
            rows.append([Span(" " * 7)])
        rows[-1] += piece
    return [fitted(tuple(row), width) for row in rows]
