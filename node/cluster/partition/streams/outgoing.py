"""All that this member streams to another one: one stream after the other, numbered chunks, again what is lost.

Silence is no proof of a loss: on a thin link a chunk may be under way for long, and to send it once more would only
make that longer. So after a while the receiver is asked how far it is, by an empty chunk with the number 0, which is
small; a link keeps its order, so its answer says what of all before it has come."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from shaketable.node.cluster.partition.state import PartitionState
from shaketable.node.cluster.partition.streams.pace import BESIDE_THE_DATA, Pace
from shaketable.node.core.env import Micros, Timer
from shaketable.node.events import ChunkSent
from shaketable.node.messages import Chunk, ChunkReceived, Member, Part
from shaketable.node.why import Because, Why, because

HOW_FAR = 0
"""the number of the chunk that is no chunk"""


@dataclass(slots=True)
class Sent:
    """A chunk that is not acknowledged. Sent again it is the same: else two halves of a stream might not fit."""

    number: int
    data: bytes
    end: int
    """bytes of the stream up to and with it"""
    last: bool
    at: Micros = 0
    ahead: int = 0
    times: int = 0

    @property
    def size(self) -> int:
        return len(self.data) + BESIDE_THE_DATA


class Stream:
    def __init__(self, name: str, data: bytes, done: Callable[[bool, Because | None], None]) -> None:
        self.name = name
        self.data = data
        self.done = done
        self.unacknowledged: deque[Sent] = deque()
        self.acknowledged = 0
        self.next = 1
        """the number to send next; no more than what was sent before, when it is sent again"""
        self.cut = 0
        """chunks made so far"""
        self.end = 0
        """bytes in them"""

    @property
    def is_cut(self) -> bool:
        """Into the last chunk too."""
        return self.cut > 0 and self.end == len(self.data)

    def cut_one(self, size: int) -> Sent:
        self.cut += 1
        piece = self.data[self.end : self.end + size]
        self.end += len(piece)
        self.unacknowledged.append(Sent(self.cut, piece, self.end, self.end == len(self.data)))
        return self.unacknowledged[-1]


class Link:
    def __init__(self, state: PartitionState, *, to: Member, of: type[Chunk | Part]) -> None:
        self._state = state
        self._env = state.env
        self._to = to
        self._of = of
        self._pace = Pace(state.settings.heartbeat_interval, state.settings.heartbeat_timeout)
        self._streams: deque[Stream] = deque()
        """the first is under way"""
        self._under_way = 0
        """bytes, of the chunks from the first that is not acknowledged up to the next one to send"""
        self._patience: Timer | None = None
        self._longest: Micros = 0
        """that an acknowledgement has taken lately"""
        self._questions = 0
        """since anything was heard"""

    def add(self, name: str, data: bytes, done: Callable[[bool, Because | None], None]) -> None:
        self._streams.append(Stream(name, data, done))
        if len(self._streams) == 1:
            self._begin()

    def cancel(self, name: str) -> None:
        if self._streams and self._streams[0].name == name:
            self._break_off()
        else:
            self._streams = deque(stream for stream in self._streams if stream.name != name)

    def has_left(self) -> None:
        self._stop_waiting()
        streams, self._streams = self._streams, deque()
        for stream in streams:
            stream.done(False, because(Why.RECEIVER_LEFT))

    def is_up(self) -> None:
        if self._streams:
            self._questions = 0
            self._ask_how_far()

    def acknowledged(self, message: ChunkReceived) -> None:
        stream = self._streams[0] if self._streams else None
        if stream is None or stream.name != message.stream:
            return
        if message.refusal:
            self._break_off()
            stream.done(False, message.refusal)
        elif stream.acknowledged < message.number <= stream.cut:
            self._progress(stream, message.number)
        elif message.number == stream.acknowledged and self._questions:
            self._go_back(stream)

    def _progress(self, stream: Stream, number: int) -> None:
        now, size = self._env.now(), 0
        while stream.unacknowledged and stream.unacknowledged[0].number <= number:
            sent = stream.unacknowledged.popleft()
            size += sent.size
            if sent.number < stream.next:
                self._under_way -= sent.size
        stream.acknowledged = number
        stream.next = max(stream.next, number + 1)
        if sent.times == 1:
            took = now - sent.at
            self._longest = max(min(took, self._state.settings.heartbeat_timeout), self._longest * 7 // 8)
            self._pace.acknowledged(size, sent.ahead, took, now)
        self._questions = 0
        if sent.last:
            self._end()
            stream.done(True, None)
        else:
            self._go_on(stream)

    def _go_back(self, stream: Stream) -> None:
        """The chunks under way are lost."""
        self._questions = 0
        self._under_way = 0
        stream.next = stream.acknowledged + 1
        self._pace.start_over()
        self._go_on(stream)

    def _begin(self) -> None:
        self._under_way = self._longest = self._questions = 0
        self._pace.begin(self._env.now())
        self._go_on(self._streams[0])

    def _break_off(self) -> None:
        """Its chunks that are under way stand before all that comes next."""
        self._pace.start_over()
        self._end()

    def _end(self) -> None:
        self._stop_waiting()
        self._streams.popleft()
        if self._streams:
            self._begin()

    def _go_on(self, stream: Stream) -> None:
        """Sends as much as may be under way, at least one chunk if nothing is. For less than what is acknowledged
        together it waits: a few small acknowledgements would else stay many."""
        together = 0
        room = self._pace.window - self._under_way
        sent = None if room < self._pace.together else self._next(stream)
        while sent is not None:
            together += sent.size
            following = self._next(stream)
            more = following is not None and sent.number > 1 and together + following.size <= self._pace.together
            self._send(stream, sent, more)
            together = together if more else 0
            sent = following
        self._wait()

    def _next(self, stream: Stream) -> Sent | None:
        """The next chunk that may be under way now, which it is from here on; None if there is none."""
        if stream.is_cut and stream.next > stream.cut:
            return None
        again = stream.next <= stream.cut
        size = self._chunk_again(stream).size if again else self._next_size(stream)
        if self._under_way and self._under_way + size > self._pace.window:
            return None
        sent = self._chunk_again(stream) if again else stream.cut_one(self._pace.chunk)
        stream.next = sent.number + 1
        self._under_way += size
        sent.at, sent.ahead = self._env.now(), self._under_way
        sent.times += 1
        return sent

    @staticmethod
    def _chunk_again(stream: Stream) -> Sent:
        return stream.unacknowledged[stream.next - stream.acknowledged - 1]

    def _next_size(self, stream: Stream) -> int:
        return min(self._pace.chunk, len(stream.data) - stream.end) + BESIDE_THE_DATA

    def _send(self, stream: Stream, sent: Sent, more: bool) -> None:
        me, to = self._state.membership.me, self._to
        if not more and self._of is Chunk:
            self._env.report(ChunkSent(to, stream.name, sent.number, sent.end, len(stream.data)))
        self._state.send(to.address, self._of(me, to.uuid, stream.name, sent.number, sent.data, sent.last, more))

    # Silence

    def _wait(self) -> None:
        self._stop_waiting()
        interval, timeout = self._state.settings.heartbeat_interval, self._state.settings.heartbeat_timeout
        first = 2 * (interval + self._longest)
        again = min(2 * first, max(first, 4 * interval))
        patience = min(again if self._questions else first, timeout)
        self._patience = self._env.call_later(patience, self._ask_how_far)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _ask_how_far(self) -> None:
        self._questions += 1
        self._state.send(
            self._to.address,
            self._of(self._state.membership.me, self._to.uuid, self._streams[0].name, HOW_FAR, b"", False),
        )
        self._wait()
