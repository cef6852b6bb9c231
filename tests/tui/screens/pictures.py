"""`make pictures`: the pictures of docs/terminal-ui.md and of the README, drawn anew from simulated runs.

A picture in a page can load no font, so each piece of text says how wide it has to be, whatever font shows it. They are
a quarter as large as those that Textual draws."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from tests.tui.screens.scenes import SCENES, Scene, settled
from tests.tui.screens.shot import Shot
from tests.where import DOCS

from shaketable.tui.theme import DARK, THEMES

SIZE: Final = (120, 36)
PICTURED: Final = tuple(scene for scene in SCENES if scene.about)
WIDE, HIGH, BASE, EDGE = 8, 16, 12, 10
"""of a cell, where its letters stand, and around the screen"""
FONTS: Final = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"


def file_of(scene: Scene) -> Path:
    return DOCS / "screens" / f"{scene.name}.svg"


async def picture(scene: Scene) -> str:
    async with scene.shown(*SIZE) as pilot:
        return drawn(await settled(pilot))


def drawn(shot: Shot) -> str:
    ground = next(theme.background for theme in THEMES if theme.name == DARK)
    width, height = max(map(len, shot.rows)) * WIDE + 2 * EDGE, len(shot.rows) * HIGH + 2 * EDGE
    classes: dict[str, str] = {}
    pieces = list(_pieces(shot, ground or "", classes))
    looks = "".join(f".{name}{{{_css(ink)}}}" for ink, name in classes.items())
    font = f'font-family="{FONTS}" font-size="13.2"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {font}>'
    frame = f'<rect width="{width}" height="{height}" rx="8" fill="{ground}"/>'
    return "\n".join([head, f"<style>{looks}</style>", frame, *pieces, "</svg>"]) + "\n"


def _pieces(shot: Shot, ground: str, classes: dict[str, str]) -> Iterator[str]:
    for number, (row, faces) in enumerate(zip(shot.rows, shot.faces, strict=True)):
        top, column = EDGE + number * HIGH, 0
        for back, same in groupby(face.ground for face in faces):
            length = len(list(same))
            if back != ground:
                place = f'x="{EDGE + column * WIDE}" y="{top}" width="{length * WIDE}" height="{HIGH}"'
                yield f'<rect {place} fill="{back}"/>'
            column += length
        spans = "".join(_spans(row, [face.ink for face in faces], classes))
        if spans:
            yield f'<text y="{top + BASE}">{spans}</text>'


def _spans(row: str, inks: list[str], classes: dict[str, str]) -> Iterator[str]:
    """Words of one look that follow each other with a single blank are one piece."""
    inks = [
        inks[i - 1] if not ink and 0 < i < len(inks) - 1 and inks[i - 1] == inks[i + 1] else ink
        for i, ink in enumerate(inks)
    ]
    column = 0
    for ink, same in groupby(inks):
        length = len(list(same))
        if ink:
            name = classes.setdefault(
                ink, f"{'abcdefghijklmnopqrstuvwxyz'[len(classes) % 26]}{len(classes) // 26 or ''}"
            )
            text = escape(row[column : column + length])
            yield f'<tspan class="{name}" x="{EDGE + column * WIDE}" textLength="{length * WIDE}">{text}</tspan>'
        column += length


def _css(ink: str) -> str:
    *attributes, colour = ink.split()
    css = {
        "bold": "font-weight:bold", "italic": "font-style:italic", "underline": "text-decoration:underline",
        "strike": "text-decoration:line-through", "dim": "opacity:.6",
    }  # fmt: skip
    return ";".join([f"fill:{colour}", *(css[name] for name in attributes)])
