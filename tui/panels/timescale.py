"""Time along a line: which times a timeline shows, which cell a time is in, and the scale that says so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from shaketable.harness.history.words.cluster import seconds
from shaketable.node.core.env import SECOND, Micros
from shaketable.tui.model.session import Session
from shaketable.tui.panels.canvas import CanvasRow

USUAL: Final = 30 * SECOND
"""of a live run"""
LEAST: Final = 10_000
NICE: Final[tuple[Micros, ...]] = tuple(
    factor * 10**power for power in range(2, 12) for factor in (1, 2, 5)
)  # from a tenth of a millisecond on
LONG: Final = 20_000
"""records"""
STEP: Final = SECOND // 4
AT_FULL_SPEED: Final = 20
LABEL: Final = 12
"""cells between two times of the scale at the least"""


@dataclass(frozen=True, slots=True)
class Window:
    begin: Micros
    per: Micros
    """of a cell"""
    width: int
    whole: bool
    """all that is known is in it"""

    @property
    def end(self) -> Micros:
        return self.begin + self.per * self.width

    def cell(self, time: Micros) -> int:
        """It may be none of the window's."""
        return (time - self.begin) // self.per

    def inside(self, time: Micros) -> int:
        """The nearest cell that is one, or the one after the last."""
        return max(0, min(self.width, self.cell(time)))

    @property
    def target(self) -> str:
        """Of a row; "#" is where a span of it begins."""
        return f"time:{self.begin}+{self.per}*#@"


def known_end(session: Session) -> Micros:
    """Of a long run that goes on: in steps, for every step draws all lanes anew."""
    if not session.live:
        return session.store.end
    end = max(session.store.end, session.now)
    if len(session.store) < LONG or session.speed == 0:
        return end
    step = STEP if session.facts.world == "real" else round(STEP * max(1, session.speed or AT_FULL_SPEED))
    return end // step * step


def whole_span(session: Session) -> Micros:
    """A live one grows by leaps, so that what is drawn stands still between them."""
    end = known_end(session) + 1
    return next(nice for nice in NICE if nice >= end) if session.live else end


def span_of(session: Session) -> Micros:
    whole = whole_span(session)
    if session.chosen.span is not None:
        return max(LEAST, min(session.chosen.span, whole))
    return min(USUAL, whole) if session.live else whole


def zoomed(session: Session, closer: bool) -> Micros | None:
    """The next span: None where there is no closer or no wider one."""
    now, whole = span_of(session), whole_span(session)
    if closer:
        return next((nice for nice in reversed(NICE) if LEAST <= nice < now), None)
    if now >= whole:
        return None
    return min(whole, next(nice for nice in NICE if nice > now))


def window_of(session: Session, width: int) -> Window:
    """Following, its end is the end; else the cursor is in its middle half, and the window stands until it leaves that:
    what is seen does not move with each step."""
    span = span_of(session)
    per = max(1, -(-span // max(1, width)))
    if span >= whole_span(session):
        return Window(0, per, width, whole=True)
    if session.following:
        last = -(-known_end(session) // per) + max(1, width // 20)
        return Window(max(0, last - width) * per, per, width, whole=False)
    half = max(1, width // 2) * per
    page = (session.time - half // 2) // half
    return Window(max(0, page) * half, per, width, whole=False)


def ticks(window: Window) -> Iterator[tuple[int, Micros]]:
    step = next((nice for nice in NICE if nice >= window.per * LABEL), NICE[-1])
    time = -(-window.begin // step) * step
    while window.cell(time) < window.width:
        yield window.cell(time), time
        time += step


def told(time: Micros) -> str:
    """As short as it can be said: "2 s", "2.5 s"."""
    said = seconds(time).removesuffix(" s")
    return (said.rstrip("0").rstrip(".") if "." in said else said) + " s"


def scale(window: Window, cursor: Micros | None) -> CanvasRow:
    row = CanvasRow(window.width, window.target)
    for at, time in ticks(window):
        row.put(at, f"╷{told(time)}", "dim")
    if cursor is not None and 0 <= (at := window.cell(cursor)) < window.width:
        said = f"▼ {seconds((cursor + 500) // 1000 * 1000)} "
        if at + len(said) > window.width:
            said = f" {said.strip()[2:]} ▼"
            start = at - len(said) + 1
        else:
            start = at
        if start >= 0:
            row.put(start, said, "mark")
    return row
