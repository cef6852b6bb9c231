"""What the parts of the picture of `shaketable compare-detectors` share: columns, one a size, and pieces of SVG."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Final

NAMES: Final = 170
"""pixels for the names of the policies"""
WIDE: Final = 400
BETWEEN: Final = 28
HEAD: Final = 42
"""pixels for the title of a part, and what its columns are"""
STYLE: Final = (
    "text{font:12px system-ui,sans-serif;fill:#222}.t{font-size:17px;font-weight:600}.h{font-weight:600}"
    ".f{fill:#777;font-size:11px}.n{font-size:10px;font-variant-numeric:tabular-nums}"
)


def left_of(column: int) -> int:
    return NAMES + column * (WIDE + BETWEEN)


def text(x: float, y: float, said: str, kind: str = "", anchor: str = "", colour: str = "") -> str:
    style = f' class="{kind}"' if kind else ""
    placed = f' text-anchor="{anchor}"' if anchor else ""
    filled = f' style="fill:{colour}"' if colour else ""
    return f'<text x="{x:g}" y="{y:g}"{style}{placed}{filled}>{escape(said)}</text>'


def bar(x: float, y: float, wide: float, high: float, colour: str, strength: float = 1) -> str:
    faint = f' fill-opacity="{strength:.2f}"' if strength < 1 else ""
    return f'<rect x="{x:g}" y="{y:g}" width="{wide:g}" height="{high:g}" fill="{colour}"{faint}/>'


def told(title: str, parts: Iterator[str]) -> Iterator[str]:
    """With the same in words, for who points at it."""
    yield f"<g><title>{escape(title)}</title>"
    yield from parts
    yield "</g>"
