"""A whole screen as text that a person can review: its characters, and what each looks like in both themes.

Rows with a bar at their left edge are the screen. Below them stands, a line a row, how long each look goes on: in
`12n 3k .` twelve cells have the look `n` and three `k`; the last look of a row goes on to its end. Then the looks, each
in the dark and in the light theme; a role's letter is the same in all files. A blank takes the look beside it: only its
ground is seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from string import ascii_uppercase
from typing import Any, Final, NamedTuple

from rich.cells import cell_len
from rich.color import Color
from rich.console import Console
from rich.style import Style
from textual.app import App
from textual.color import Color as Shade

from shaketable.tui.text import ROLES
from shaketable.tui.theme import DARK, LIGHT, THEMES, look

LETTERS: Final = {
    "plain": ".", "dim": "d", "title": "t", "key": "k", "name": "n", "master": "m", "good": "g", "warn": "w",
    "bad": "b", "fault": "f", "moving": "v", "mark": "x",
    **{f"node{number}": "stuyzqrp"[number] for number in range(8)},
}  # fmt: skip
ATTRIBUTES: Final = ("bold", "dim", "italic", "underline", "strike")


class Face(NamedTuple):
    """How a cell looks in one theme."""

    ink: str
    ground: str


@dataclass(frozen=True)
class Shot:
    rows: tuple[str, ...]
    faces: tuple[tuple[Face, ...], ...]
    """of each cell"""


def shoot(app: App[Any]) -> Shot:
    """The screen as it is now: as its own pictures have it, but as cells."""
    drawn = app.screen._compositor.render_update(full=True, screen_stack=app._background_screens)
    console = Console(width=app.size.width, height=app.size.height, color_system="truecolor", force_terminal=True)
    rows: list[str] = [""]
    faces: list[list[Face]] = [[]]
    for text, style, control in console.render(drawn):  # type: ignore[arg-type]
        if control:
            continue
        for part in text.splitlines(keepends=True):
            if part == "\n":
                rows.append("")
                faces.append([])
                continue
            assert all(cell_len(character) == 1 for character in part), f"{part!r}: not each is one cell wide"
            rows[-1] += part
            faces[-1] += [_face(style or Style.null(), character == " ") for character in part]
    while not rows[-1]:
        rows.pop()
        faces.pop()
    return Shot(tuple(rows), tuple(map(tuple, faces)))


def _face(style: Style, blank: bool) -> Face:
    front, back = _hex(style.color), _hex(style.bgcolor)
    if style.reverse:
        front, back = back, front
    under = [name for name in ATTRIBUTES if getattr(style, name)]
    if blank and not style.underline and not style.strike:
        return Face("", back)
    return Face(" ".join([*under, front]), back)


def _hex(color: Color | None) -> str:
    return "default" if color is None or color.is_default else color.get_truecolor().hex


def written(dark: Shot, light: Shot) -> str:
    """Both themes show the same characters, so the text stands here once."""
    assert dark.rows == light.rows, "the two themes show different texts"
    legend = _Legend()
    pairs = [list(zip(*both, strict=True)) for both in zip(dark.faces, light.faces, strict=True)]
    runs = [" ".join(_runs(cells, legend)) for cells in pairs]
    shown = [f"│{row.rstrip()}" for row in dark.rows]
    looks = [f"{number:02} {run}" for number, run in enumerate(runs, 1)]
    return "\n".join([*shown, "", *looks, "", *legend.told()]) + "\n"


def _runs(cells: Sequence[tuple[Face, Face]], legend: _Legend) -> Iterator[str]:
    names = _named(cells, legend)
    found = [(name, len(list(same))) for name, same in groupby(names)]
    for place, (name, length) in enumerate(found):
        yield name if place == len(found) - 1 else f"{length}{name}"


def _named(cells: Sequence[tuple[Face, Face]], legend: _Legend) -> list[str]:
    """A blank takes the look of what is beside it on the same ground, at the left if it can."""
    names: list[str] = []
    for place, (dark, light) in enumerate(cells):
        grounds = (dark.ground, light.ground)
        inks = (dark.ink, light.ink)
        if not any(inks):
            before = place and (cells[place - 1][0].ground, cells[place - 1][1].ground) == grounds
            if before and not _lined(names[-1], legend):
                names.append(names[-1])
                continue
            after = next((cell for cell in cells[place:] if cell[0].ink or cell[0].ground != dark.ground), None)
            if after is not None and (after[0].ground, after[1].ground) == grounds:
                inks = (after[0].ink, after[1].ink)
                inks = ("", "") if any("underline" in ink or "strike" in ink for ink in inks) else inks
        names.append(legend.name(inks, grounds))
    return names


def _lined(name: str, legend: _Legend) -> bool:
    return any("underline" in ink or "strike" in ink for ink in legend.inks[name[0]])


class _Legend:
    """Names each look by a letter for what is written, and a mark for the ground on which it is."""

    def __init__(self) -> None:
        self._roles = {_of_role(role): (LETTERS[role], role) for role in reversed(ROLES) if role in LETTERS}
        self._grounds = {_of_ground(name): (mark, name) for mark, name in zip("'\"", ("panel", "surface"), strict=True)}
        self._grounds[_band()] = ("^", "band")
        self._grounds[_of_ground("background")] = ("", "background")
        self._free, self._marks = iter(ascii_uppercase), iter("~*+=%&!?")
        self._told: dict[str, str] = {}
        self.inks: dict[str, tuple[str, str]] = {}

    def name(self, inks: tuple[str, str], grounds: tuple[str, str]) -> str:
        if not any(inks):
            letter, role = "_", "nothing"
        else:
            if inks not in self._roles:
                self._roles[inks] = (next(self._free), "")
            letter, role = self._roles[inks]
        if grounds not in self._grounds:
            self._grounds[grounds] = (next(self._marks), "")
        mark, ground = self._grounds[grounds]
        self.inks[letter] = inks
        self._told[letter] = f"{letter} {role:<10} {inks[0]:<22} {inks[1]}".rstrip()
        self._told[f" {mark}"] = f"{mark or ' '} on {ground:<10} {grounds[0]:<19} {grounds[1]}".rstrip()
        return letter + mark

    def told(self) -> list[str]:
        return [self._told[name] for name in sorted(self._told, key=lambda name: (name[0] == " ", name))]


def _of_role(role: str) -> tuple[str, str]:
    dark, light = (_face(look(theme, role), False).ink for theme in (DARK, LIGHT))
    return dark, light


def _band() -> tuple[str, str]:
    return _hex(look(DARK, "band").bgcolor), _hex(look(LIGHT, "band").bgcolor)


def _of_ground(name: str) -> tuple[str, str]:
    dark, light = (Shade.parse(getattr(theme, name)).hex.lower() for theme in THEMES)
    return dark, light
