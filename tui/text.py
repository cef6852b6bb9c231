"""What a panel is made of: lines of spans, each with a role and, where a click on it chooses something, a target.

A role says what a piece of text means, never a colour: the theme knows those, and nothing is said by colour alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from rich.cells import cell_len, set_cell_size

ROLES: Final = (
    "plain",
    "dim",  # there, and of no importance
    "title",
    "key",  # of the keyboard
    "name",  # of a node
    "master",
    "good",
    "warn",  # not as it should be, and may mend itself
    "bad",
    "fault",  # what was done by a script or by hand
    "moving",  # under way: a claim, a migration
    "mark",  # what was found, or jumped to
    "band",  # behind the row where the user stands
    *(f"node{number}" for number in range(8)),  # whose it is, where many nodes share a picture; beside its letter
)


class Span(NamedTuple):
    text: str
    role: str = "plain"
    target: str = ""
    """what a click chooses: "node:n2", "link:n1->n2", "partition:17", "fault:3", "event:1041",
    "alike:1041" (and those before it), "check:settled", "last:n2" (its last event), "now:" (that at the cursor)"""


Line = tuple[Span, ...]


def line(*parts: Span | str) -> Line:
    return tuple(part if isinstance(part, Span) else Span(part) for part in parts)


def width_of(spans: Iterable[Span]) -> int:
    return sum(cell_len(span.text) for span in spans)


def fitted(spans: Line, width: int) -> Line:
    """Exactly so wide: cut off with an ellipsis, or filled up."""
    wide = width_of(spans)
    if wide == width:
        return spans
    if wide < width:
        return (*spans, Span(" " * (width - wide)))
    result: list[Span] = []
    left = width
    for span in spans:
        own = cell_len(span.text)
        if own < left or (own == left and own == width):
            result.append(span)
            left -= own
            continue
        if left > 0:
            result.append(span._replace(text=set_cell_size(span.text, left - 1) + "…"))
        break
    return tuple(result)


def cell(text: str, width: int, role: str = "plain", target: str = "", *, right: bool = False) -> Span:
    """A column of a table: cut off or filled up to its width."""
    wide = cell_len(text)
    if wide > width:
        text = set_cell_size(text, width - 1) + "…" if width > 0 else ""
    elif right:
        text = " " * (width - wide) + text
    else:
        text += " " * (width - wide)
    return Span(text, role, target)


def wrapped(spans: Iterable[Span], width: int, indent: int = 0) -> list[Line]:
    """On as many lines as it takes, each span whole; the blanks with which it begins are its distance from the one
    before."""
    lines: list[list[Span]] = []
    room = 0
    for span in spans:
        wide = cell_len(span.text)
        if not lines or wide > room:
            if lines:
                text = " " * indent + span.text.lstrip()
                span, wide = span._replace(text=text), cell_len(text)
            lines.append([])
            room = width
        lines[-1].append(span)
        room -= wide
    return [tuple(each) for each in lines]


def target_of(spans: Line) -> str:
    """What a line stands for as a whole: the first target in it."""
    return next((span.target for span in spans if span.target), "")


def head(title: str, note: str = "") -> Line:
    """Of a section."""
    return line(Span(f" {title}", "title"), Span(f"  {note}" if note else "", "dim"))


def bar(done: int, total: int, width: int) -> str:
    """How much is done, in so many cells: full only when all is."""
    full = width if done >= total else min(width - 1, done * width // max(1, total))
    return "▓" * full + "░" * (width - full)


def plain(lines: Sequence[Line]) -> str:
    """The text alone, as a test reads it."""
    return "\n".join("".join(span.text for span in each).rstrip() for each in lines)
