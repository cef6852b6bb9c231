"""The shell of a member, the same in both worlds: it is the member's `Env`, and runs it step by step.

The reports of a step leave before its messages. Messages and hang-ups leave in the order in which the step asked for
them. Holds stop it where they were told to. Filters see each message as it leaves. If a step raises, the node ends.
Pure: sockets and heaps are handed in, as an `Outside`."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple, Protocol

from shaketable.node.core.env import Micros, Timer
from shaketable.node.core.foreign import words_of
from shaketable.node.events import Event, Failed, Held, Released, Started, Stopped
from shaketable.node.events.base import Cause, Mark
from shaketable.node.messages import Address, Message, Uuid
from shaketable.node.shaking.clock import NodeClock
from shaketable.node.shaking.filters import MessageFilters
from shaketable.node.shaking.holds import Due, Holds, Where

Sent = tuple[Message, Mark]
"""a message, and the mark of the step that sent it"""


class Report(NamedTuple):
    incarnation: Uuid
    sequence: int
    """counts all of one process, from 1, no gap"""
    event: Event
    cause: Cause | None = None


class Outside(Protocol):
    """What a shell has of its world."""

    def true_now(self) -> Micros: ...

    def call_later(self, delay: Micros, callback: Callable[[], None]) -> Timer:
        """By the node's own clock; the call is a step."""

    def timers_anew(self) -> None:
        """The clock was set: each timer is due when it says so now."""

    def forget_timers(self) -> None: ...

    def tell(self, reports: Sequence[Report]) -> None:
        """In the history for good when this returns."""

    def put(self, to: Address, messages: Sequence[Sent]) -> None:
        """On their way; to nobody, if there is no such link."""

    def put_later(self, delay: Micros, to: Address, message: Sent) -> None:
        """After so much true time."""

    def disconnect(self, to: Address) -> None: ...

    def hold(self) -> None:
        """Nothing more happens in this node until the hold is released. A world that can block does so here. One that
        cannot lets the node sleep, returns, and calls `go_on` after the release."""

    def stopped(self, event: Stopped) -> None:
        """The member has stopped by itself, and all that it had to send is on its way."""

    def failed(self, error: BaseException) -> None: ...


class Shell:
    def __init__(self, outside: Outside, seed: str) -> None:
        self.rng = random.Random(seed)
        self.clock = NodeClock(outside.true_now)
        self.incarnation: Uuid = ""
        """whose reports these are: of the member that started last"""
        self.filters = MessageFilters()
        self.held: Due | None = None
        self.over = False
        """it has stopped or failed: there is no next step"""
        self.cause: Cause | None = None
        """of the present step, or of the last one"""
        self._outside = outside
        self._holds = Holds()
        self._dues: list[Due] = []
        """where the present step has yet to hold"""
        self._came_to: list[int] = []
        """the faults of the holds that have fired"""
        self._sequence = 0
        self._told_before = 0
        """how many events had been told when the present step began"""
        self._steps: deque[tuple[Callable[[], None], Cause | None]] = deque()
        self._stepping = False
        self._reports: list[Event] = []
        self._outbox: list[tuple[Address, Sent | None]] = []
        """None: it hangs up there"""
        self._handed_over = 0
        """how many messages of the present step"""
        self._stopping: Stopped | None = None

    # Env

    def now(self) -> Micros:
        return self.clock.now()

    def send(self, to: Address, message: Message) -> None:
        sent = message, self.mark
        if self._stepping:
            self._outbox.append((to, sent))
        else:
            self._let_out(to, (sent,))

    def call_later(self, delay: Micros, callback: Callable[[], None]) -> Timer:
        return self._outside.call_later(delay, callback)

    def report(self, event: Event) -> None:
        """A report between two steps, of a link say, is a step of its own."""
        if self._stepping:
            self._reports.append(event)
        else:
            self.step(lambda: self._reports.append(event))

    def forget_timers(self) -> None:
        self._outside.forget_timers()

    def disconnect(self, to: Address) -> None:
        if self._stepping:
            self._outbox.append((to, None))
        else:
            self._outside.disconnect(to)

    # Steps

    @property
    def mark(self) -> Mark:
        """Of what leaves now, and of a timer that is set now."""
        told = self._sequence + len(self._reports)
        return told << 1 | (told > self._told_before)

    def step(self, act: Callable[[], None], cause: Cause | None = None) -> None:
        """One thing after the other: what comes in the middle of a step waits for its end."""
        self._steps.append((act, cause))
        if self._stepping:
            return
        self._stepping = True
        try:
            while self._steps and not self.over:
                self._one_step(*self._steps.popleft())
        finally:
            self._stepping = False

    def _one_step(self, act: Callable[[], None], cause: Cause | None) -> None:
        self.cause, self._told_before = cause, self._sequence
        try:
            act()
            self._let_out_reports()
            self._dues += self._holds.due()
            self.go_on()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever the user's own code may raise
            self.fail(error)

    def fail(self, error: BaseException) -> None:
        """Of a step that raises nothing leaves but its reports."""
        self.over = True
        self._outbox.clear()
        self._reports.append(Failed(words_of(error)))
        self._let_out_reports()
        self._outside.failed(error)

    def _let_out_reports(self) -> None:
        if self._reports:
            reports, self._reports = self._reports, []
            # All at once: for an operation on the data this is one half of what it costs to tell of it.
            self._tell(*reports)

    def _tell(self, *events: Event) -> None:
        told = []
        for event in events:
            sequence = self._number(event)
            told.append(Report(self.incarnation, sequence, event, self.cause))
        self._outside.tell(told)

    def _number(self, event: Event) -> int:
        """Of this report; what the shell itself learns from it is noted."""
        self._sequence += 1
        if type(event) is Started:
            self.incarnation = event.member.uuid
        elif type(event) is Stopped:
            self._stopping, self.over = event, True
        self._holds.see(event)
        return self._sequence

    # Holds

    def arm_hold(self, fault: int, event: str, after: int | None, nth: int, where: Where) -> None:
        self._holds.arm(fault, event, after, nth, where)

    def release(self, fault: int) -> bool:
        """It will not hold there, or not any more. Whether it ever came to."""
        self._holds.disarm(fault)
        self._dues = [due for due in self._dues if due.number != fault]
        if self.held is not None and self.held.number == fault:
            released, self.held = self.held, None
            self._tell(Released(released.number, released.event))
        return fault in self._came_to

    def go_on(self) -> None:
        """Lets out what the step has sent, up to where it has to hold."""
        while self._dues:
            due = self._dues.pop(0)
            if due.after > self._handed_over:
                self._hand_over(due.after - self._handed_over)
            self.held = due
            self._came_to.append(due.number)
            self._tell(Held(due.number, due.event, self._handed_over))
            self._outside.hold()
            if self.held is not None:
                return
        self._hand_over()
        if self.filters.armed and (dues := self._holds.due()):  # at what the filters have just told
            self._dues = dues
            self.go_on()
            return
        self._handed_over = 0
        if self._stopping is not None:
            self._outside.stopped(self._stopping)

    # Messages

    def _hand_over(self, most: int | None = None) -> None:
        """All, or up to so many messages, in their order; to the same address, one after the other, in one go."""
        taken = count = 0
        while count < len(self._outbox) and taken != most:
            taken += self._outbox[count][1] is not None
            count += 1
        leaving, self._outbox = self._outbox[:count], self._outbox[count:]
        self._handed_over += taken
        for to, several in groupby(leaving, itemgetter(0)):
            for hangs_up, run in groupby((sent for _, sent in several), lambda sent: sent is None):
                if hangs_up:
                    self._outside.disconnect(to)
                else:
                    self._let_out(to, [sent for sent in run if sent is not None])

    def _let_out(self, to: Address, messages: Sequence[Sent]) -> None:
        if self.filters.armed:
            messages = [sent for sent in messages if self._leaves_at_once(to, sent)]
        if messages:
            self._outside.put(to, messages)

    def _leaves_at_once(self, to: Address, sent: Sent) -> bool:
        route = self.filters.route(to, *sent)
        if route.first:
            self._tell(*route.first)
        if route.hand_over and route.delay:
            self._outside.put_later(route.delay, to, sent)
        return route.hand_over and not route.delay

    def disarm_filter(self, fault: int) -> None:
        """Sends what it held back now, or, where the node holds, when that step has ended."""
        for to, message, mark in self.filters.disarm(fault):
            self.step(partial(self._outside.put, to, ((message, mark),)))

    # Its clock

    def set_clock(self, jump: Micros, rate_ppm: int) -> None:
        self.clock.jump(jump)
        self.clock.set_rate(rate_ppm)
        self._outside.timers_anew()
