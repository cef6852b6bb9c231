"""One outgoing link: a DEALER socket that connects through its proxy to one peer's ROUTER, and what is known of it.

A socket monitor can be believed in two things only: a handshake that succeeded, and the loss of a connection that was
up. "Connected" means nothing behind a proxy. Nothing here ever waits, so a link that hangs in its handshake delays no
other."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from struct import Struct
from typing import Final

import zmq

from shaketable.node.core.env import MILLISECOND, Micros

CONNECTING: Final = "connecting"
UP: Final = "up"
DOWN: Final = "down"
CLOSED: Final = "closed"

MOST_PENDING: Final = 16
OLDEST_PENDING: Final[Micros] = 250 * MILLISECOND
SHORTEST_HURRY: Final[Micros] = 50 * MILLISECOND
LONGEST_HURRY: Final[Micros] = 400 * MILLISECOND
LARGEST_REPLY: Final = 1024
RECONNECT_MILLIS = 100

_EVENT: Final = Struct("=Hi")
_SUCCEEDED: Final = int(zmq.EVENT_HANDSHAKE_SUCCEEDED)
_CONNECTED: Final = int(zmq.EVENT_CONNECTED)
_DISCONNECTED: Final = int(zmq.EVENT_DISCONNECTED)
_FAILED: Final = int(
    zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL | zmq.EVENT_HANDSHAKE_FAILED_AUTH
)
_WAITING: Final = int(zmq.EVENT_CLOSED | zmq.EVENT_CONNECT_RETRIED) | _DISCONNECTED
_WATCHED: Final = _SUCCEEDED | _CONNECTED | _FAILED | _WAITING

Encode = Callable[[int, int, Micros], bytes]
"""makes a frame of its link's generation, its number and the time when it was sent"""


def monotonic() -> Micros:
    return time.monotonic_ns() // 1000


class OutLink:
    """Tells `changed(True)` when the link comes up, `changed(False)` when it goes down, or cannot come up at first."""

    def __init__(
        self,
        context: zmq.Context[zmq.Socket[bytes]],
        endpoint: str,
        handshake_limit: Micros,
        changed: Callable[[bool], None],
        watch: Callable[[int, Callable[[], None] | None], None],
    ) -> None:
        """`watch(fd, callback)` has the loop call back when the descriptor is readable; None ends that."""
        self._context = context
        self._endpoint = endpoint
        self._changed = changed
        self._watch = watch
        self.handshake_limit = handshake_limit
        """for connections that begin from now on"""
        self.state = CLOSED
        self.generation = 0
        self.sent = self.dropped = 0
        self.messages = 0
        """how many there were to send, no probes"""
        self.sent_before = 0
        """what `sent` was when the transport last looked for idle links"""
        self._told_down = False
        self._waits = False
        """for its next attempt: nothing would be lost by making one now"""
        self._pending: deque[tuple[Micros, Encode]] | None = None
        """what was sent while the first attempt of this socket is under way"""
        self._hurry: Micros = SHORTEST_HURRY
        self._hurried_at: Micros = -LONGEST_HURRY
        self._opened_with: Micros = 0
        self._open()

    def _open(self) -> None:
        self._socket = self._context.socket(zmq.DEALER)
        for option, value in (
            (zmq.LINGER, 0),
            (zmq.IMMEDIATE, 1),  # else what is sent while it is down arrives after the heal, however old
            (zmq.SNDHWM, 64),
            (zmq.RCVHWM, 1),
            (zmq.MAXMSGSIZE, LARGEST_REPLY),  # nobody answers on this socket
            (zmq.RECONNECT_IVL, RECONNECT_MILLIS),
            (zmq.CONNECT_TIMEOUT, 1000),
            (zmq.HANDSHAKE_IVL, max(1, self.handshake_limit // MILLISECOND)),
        ):
            self._socket.setsockopt(option, value)
        self._opened_with = self.handshake_limit
        self._monitor = self._socket.get_monitor_socket(_WATCHED)
        self._watch(self._monitor.fileno(), self._look)
        self._look()  # finds nothing yet; without a first look the descriptor would never tell of anything
        self._socket.connect(self._endpoint)
        self.state = CONNECTING
        self._waits = False
        self._pending = deque()

    def _close_socket(self, linger: int = 0) -> None:
        self._watch(self._monitor.fileno(), None)
        self._socket.disable_monitor()
        self._monitor.close(0)
        self._socket.close(linger)
        self._pending = None

    def close(self, linger: int = 0) -> None:
        """Hang up, without a word to anybody; the next send opens the link anew, and what comes of it is told anew."""
        if self.state != CLOSED:
            self._close_socket(linger)
            self.state = CLOSED
            self._told_down = False

    def reopen(self) -> None:
        """A link that the node has hung up comes up again; nothing happens to any other link."""
        if self.state == CLOSED:
            self._open()

    def send(self, now: Micros, *frames: Encode) -> bool:
        """Whether all were handed over; never waits. Several in one go are one message of libzmq's with so many parts:
        its thread is woken once, and not for each."""
        self.reopen()
        if self.state == UP:
            return self._hand_over(now, *frames)
        free = MOST_PENDING - len(self._pending) if self._pending is not None else 0
        if self._pending is not None:
            self._pending.extend((now, encode) for encode in frames[:free])
        self.dropped += max(0, len(frames) - free)
        return len(frames) <= free

    def _hand_over(self, sent: Micros, *frames: Encode) -> bool:
        parts = [encode(self.generation, number, sent) for number, encode in enumerate(frames, self.sent + 1)]
        try:
            if len(parts) == 1:
                self._socket.send(parts[0], zmq.NOBLOCK)
            else:
                self._socket.send_multipart(parts, zmq.NOBLOCK)
        except zmq.Again:
            self.dropped += len(parts)
            return False
        self.sent += len(parts)
        return True

    def hurry(self, now: Micros) -> None:
        """The peer was heard, so it is there: connect now, unless a connection is being made, or was tried just now."""
        if self.state in (UP, CLOSED) or not self._waits or now - self._hurried_at < self._hurry:
            return
        self._hurried_at = now
        self._hurry = min(2 * self._hurry, LONGEST_HURRY)
        self._close_socket()
        self._open()

    def set_handshake_limit(self, limit: Micros) -> None:
        """A connection that is up keeps its own until it drops."""
        self.handshake_limit = limit
        if self.state in (CONNECTING, DOWN) and limit != self._opened_with:
            self._close_socket()
            self._open()

    def _look(self) -> None:
        """Takes what the monitor has to say, to the end: its descriptor is edge-triggered."""
        monitor = self._monitor
        while monitor is self._monitor and not monitor.closed:
            try:
                told = monitor.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            event, _ = _EVENT.unpack(told[0])
            self._hear(event)

    def _hear(self, event: int) -> None:
        if event == _SUCCEEDED:
            self._came_up()
        elif event == _CONNECTED:
            self._waits = False
        elif event == _DISCONNECTED and self.state == UP:
            self._waits = True
            self._went_down()
        elif event & (_FAILED | _WAITING):
            # A failed handshake is followed by the close of its connection, and that by the wait for the next attempt.
            self._waits = self._waits or bool(event & _WAITING)
            if self.state == CONNECTING:
                self._went_down()

    def _came_up(self) -> None:
        self.generation += 1
        pending, self._pending = self._pending, None
        self._hurry = SHORTEST_HURRY
        was, self.state = self.state, UP
        # Takes in the new connection: a send would look for it only once in a millisecond.
        self._socket.getsockopt(zmq.EVENTS)
        now = monotonic()
        for sent, encode in pending or ():
            if now - sent <= OLDEST_PENDING:
                self._hand_over(sent, encode)
            else:
                self.dropped += 1
        if was != UP:
            self._told_down = False
            self._changed(True)

    def _went_down(self) -> None:
        was, self.state = self.state, DOWN
        self.dropped += len(self._pending or ())
        self._pending = None
        if was == UP and self._opened_with != self.handshake_limit:
            self._close_socket()
            self._open()
        if was == UP or not self._told_down:
            self._told_down = True
            self._changed(False)
