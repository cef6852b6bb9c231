"""How much may be under way on one link: what waits there delays heartbeats by a small part of their interval only.

A link starts with one small chunk unacknowledged. While acknowledgements come hardly later than they ever did there,
the chunks grow, then their number; when one comes late, no more is under way from then on than the link has shown to
carry in time. A long way is not a narrow one, nor is a busy processor: what counts is by how much an acknowledgement
takes longer than it took a small chunk that was alone, and whether less under way makes it come any sooner."""

from __future__ import annotations

from typing import Final, NamedTuple

from shaketable.node.core.env import SECOND, Micros
from shaketable.node.messages import LARGEST_CHUNK

BESIDE_THE_DATA: Final = 280
"""bytes, about, that a chunk takes on a link beside its data"""
SMALLEST_CHUNK: Final = 256
"""of data: half a heartbeat interval of 250 ms on a link that carries 4,000 bytes a second"""
SMALLEST_WINDOW: Final = SMALLEST_CHUNK + BESIDE_THE_DATA
_WHOLE: Final = LARGEST_CHUNK + BESIDE_THE_DATA
ENOUGH: Final = 50_000_000
"""bytes a second: over a long way nothing more is put under way than this speed needs"""
THIN: Final = 20_000
"""bytes a second: a link can become as thin as that at any moment, and what is under way then all stands before the
next heartbeat. Over a short way it passes even so within half of the heartbeat timeout; but it is never less than two
chunks, or half of the time nobody sends"""
FEWEST: Final = 2 * _WHOLE
MOST: Final = 32 * _WHOLE
"""well below the number of messages that a real link takes before it drops them"""


class Late(NamedTuple):
    """The acknowledgement for which less was put under way."""

    ahead: int
    took: Micros
    at: Micros


class Pace:
    def __init__(self, heartbeat_interval: Micros, heartbeat_timeout: Micros) -> None:
        self._idle = heartbeat_interval
        """after this nobody knows what the link is like now"""
        self._bearable = heartbeat_interval // 8
        self._short_way = heartbeat_timeout // 2 * THIN // SECOND
        self.window = SMALLEST_WINDOW
        """bytes that may be unacknowledged, with what goes beside the data"""
        self._least: Micros | None = None
        """the least time that an acknowledgement took"""
        self._alone = 0
        """small chunks since all fell back: one may have stood behind a heartbeat, the next one then does not"""
        self._late: Late | None = None
        self._heard_at: Micros = 0
        self._decided_at: Micros = 0
        """when an acknowledgement last said clearly that more may be under way, or less"""

    @property
    def chunk(self) -> int:
        """bytes of data of the next chunk"""
        return min(self.window - BESIDE_THE_DATA, LARGEST_CHUNK)

    @property
    def together(self) -> int:
        """bytes that one acknowledgement may be for: half of what may be under way, so that the link never runs dry"""
        return self.window // 2

    def begin(self, now: Micros) -> None:
        """Something is to be sent on an idle link."""
        if now - self._heard_at > self._idle:
            self._least = None
            self.start_over()

    def start_over(self) -> None:
        self.window = SMALLEST_WINDOW
        self._alone = 0
        self._late = None

    def acknowledged(self, size: int, ahead: int, took: Micros, now: Micros) -> None:
        """Of a chunk with so many bytes under way when it left, itself included."""
        self._heard_at = now
        if ahead <= SMALLEST_WINDOW:
            self._alone += 1
            # The way may have become longer, or something else stood before it: that is believed little by little.
            self._least = took if self._least is None else min(took, self._least + self._bearable // 4)
        if self._least is None:
            return
        self._least = min(self._least, took)
        waited = took - self._least
        if self._late is not None and waited > self._bearable // 2 and self._less_was_no_help(self._late, ahead, took):
            self._least = took - self._bearable // 2
            self.window, self._late, self._decided_at = max(self.window, self._late.ahead), None, now
            return
        if self._bearable // 2 < waited <= self._bearable and now - self._decided_at < 4 * self._idle:
            return
        self._decided_at = now
        if waited > self._bearable // 2:
            self._late = Late(ahead, took, now)
            carried = ahead * (self._bearable // 2) // waited
            self.window = max(SMALLEST_WINDOW, min(self.window, ahead // 2, carried))
        elif 2 * ahead >= self.window and self._alone >= 2:
            top = max(FEWEST, min(MOST, max(self._short_way, self._least * ENOUGH // SECOND)))
            # The first step is half as long: on the thinnest link it is one too many.
            step = size // 2 if self.window == SMALLEST_WINDOW else size
            self.window = min(self.window + step, top)

    def _less_was_no_help(self, late: Late, ahead: int, took: Micros) -> bool:
        """Chunks that left since the window fell had half as many bytes before them, or fewer, and yet took about as
        long: not the link is narrow but the way long or a processor busy, and smaller chunks would only make it
        slower."""
        if self._least is None or self._heard_at - took < late.at or 2 * ahead > late.ahead or took > self._idle:
            return False
        return 4 * (took - self._least) >= 3 * (late.took - self._least)
