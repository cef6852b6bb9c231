"""The cast that the README links, in asciinema's second format: a recorded run is played, and keys look into it.

Its time is its own: nothing in it is measured, so it is the same on each machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from typing import Final

from tests.tui.screens.scenes import FIGURE_5, Scene, settled
from tests.tui.screens.shot import Face, Shot
from tests.tui.showing import Shown
from tests.where import DOCS

from shaketable.tui.app import ShaketableApp

FILE: Final = DOCS / "screens" / "figure-5.cast"
WIDTH, HEIGHT = 100, 30
FRAME: Final = 0.5
"""seconds"""
TITLE: Final = "Figure 5 of the text on partial disconnection: n2 loses n3 and n4, and has to leave"
SCENE: Final = Scene("figure-5", FIGURE_5, "fault 1 took effect", node="n1")
KEYS: Final[tuple[tuple[float, str], ...]] = (
    (1.0, "minus"), (1.5, "minus"), (2.0, "space"), (11.5, "space"),
    *((at, "left_square_bracket") for at in (12.0, 12.5, 13.0, 13.5)),
    (14.5, "w"), (17.0, "pagedown"), (19.5, "escape"), (20.0, "4"), (22.5, "5"), (25.0, "1"),
)  # fmt: skip
"""when each is pressed"""
ENDS: Final = 26.0
_CLEARED: Final = "\x1b[?25l\x1b[2J"
_SGR: Final = {"bold": "1", "dim": "2", "italic": "3", "underline": "4", "strike": "9"}


async def cast() -> str:
    clock = 0.0
    app = ShaketableApp(Shown(SCENE.session()))
    app.animation_level = "none"
    app.wall = lambda: clock
    header = {"version": 2, "width": WIDTH, "height": HEIGHT, "title": TITLE, "env": {"TERM": "xterm-256color"}}
    lines, rows, keys = [json.dumps(header)], [""] * HEIGHT, list(KEYS)
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        while clock <= ENDS:
            app._frame()  # what is played comes to this moment before a key does, and not when the machine has time
            while keys and keys[0][0] <= clock:
                await pilot.press(keys.pop(0)[1])
            shown = _rows(await settled(pilot))
            changed = "".join(f"\x1b[{y};1H{row}" for y, row in enumerate(shown, 1) if row != rows[y - 1])
            if changed:
                lines.append(json.dumps([clock, "o", changed if clock else _CLEARED + changed]))
            rows, clock = shown, clock + FRAME
    return "\n".join(lines) + "\n"


def _rows(shot: Shot) -> list[str]:
    rows = ["".join(_pieces(row, faces)) for row, faces in zip(shot.rows, shot.faces, strict=True)]
    return rows + [""] * (HEIGHT - len(rows))


def _pieces(row: str, faces: tuple[Face, ...]) -> Iterator[str]:
    """A blank keeps the ink that was before it: it has none to be seen."""
    before = Face("", "")
    for face, same in groupby(zip(faces, row, strict=True), key=lambda each: each[0]):
        letters = "".join(letter for _, letter in same)
        now = face if face.ink or _lined(before) else Face(before.ink, face.ground)
        if now != before:
            codes = (
                ["0", *_ink(now.ink), *_shade("48", now.ground)] if now.ink != before.ink else _shade("48", now.ground)
            )
            yield f"\x1b[{';'.join(codes)}m"
        before = now
        yield letters


def _lined(face: Face) -> bool:
    return "underline" in face.ink or "strike" in face.ink


def _ink(ink: str) -> list[str]:
    *attributes, shade = ink.split() or [""]
    return [*(_SGR[each] for each in attributes), *_shade("38", shade)]


def _shade(what: str, shade: str) -> list[str]:
    """ "#rrggbb" """
    if not shade.startswith("#"):
        return []
    return [what, "2", *(str(int(shade[at : at + 2], 16)) for at in (1, 3, 5))]
