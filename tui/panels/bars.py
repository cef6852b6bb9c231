"""The lines around every screen: above it the screens by their numbers, the present one marked; below it the keys that
make sense now, and what they do, where what is worth least is left out if the line is narrow. A click is as good."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rich.cells import cell_len

from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.possible import doing_what_to, no_speed
from shaketable.tui.text import Line, Span


def tabs(titles: Mapping[int, tuple[str, str]], present: str) -> Line:
    """`titles`: by its number, each screen's id and title."""
    spans: list[Span] = [Span(" ")]
    for number, (name, title) in titles.items():
        now, target = name == present, f"screen:{name}"
        spans.append(Span("[" if now else " ", "title", target))
        spans.append(Span(f"{number} ", "key", target))
        spans.append(Span(title, "title" if now else "dim", target))
        spans.append(Span("]" if now else " ", "title", target))
    return tuple(spans)


class Key(NamedTuple):
    shown: str
    title: str
    target: str
    worth: int
    right: bool = False
    """at the right end"""


def keys_line(keys: Sequence[Key], width: int) -> Line:
    room = width - 1
    taken: dict[int, bool] = {}
    for place in sorted(range(len(keys)), key=lambda place: -keys[place].worth):
        wide = cell_len(keys[place].shown) + cell_len(keys[place].title) + 3
        if wide <= room:
            taken[place] = True
            room -= wide
    spans = [Span(" ")]
    for right in (False, True):
        if right:
            spans.append(Span(" " * room))
        for place in sorted(taken):
            key = keys[place]
            if key.right == right:
                spans.append(Span(key.shown, "key", key.target))
                spans.append(Span(f" {key.title}", "dim", key.target))
                spans.append(Span("  "))
    return tuple(spans)


def titles_now(session: Session, hands: bool) -> dict[str, str]:
    """By action, for the footer; a node's keys that make no sense are missing, and so is what is empty."""
    titles = {f"node_key('{verb}')": what for verb, what in doing_what_to(session, hands).items()}
    titles["halt_or_follow"] = _space(session, hands)
    if not session.chosen.filter:
        titles["match(True)"] = ""
    return titles


def _space(session: Session, hands: bool) -> str:
    if not session.live:
        return "halt" if session.playback.plays else "play"
    if session.speed == 0 and not no_speed(session, hands):
        return "go on"
    return "pause" if session.following else "follow"
