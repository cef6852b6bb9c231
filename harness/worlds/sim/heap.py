"""Virtual time: what is to come, in its order. Of equal times the one pushed first comes first.

Each thing comes to somebody who takes it: a node, or the script. A node's timers are `Call`s by its own clock; what the
network or the harness has for it are `Notice`s, in true time; all else are messages."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Final, Protocol

import msgspec

from shaketable.node.core.env import Micros
from shaketable.node.events.base import TIMER, Cause, Mark, cause_of
from shaketable.node.messages import Address, Message


class Call(msgspec.Struct, eq=False):
    """Something to do at a time."""

    callback: Callable[[], None] | None
    due: Micros = 0
    """by the clock of the node whose timer it is"""

    def cancel(self) -> None:
        self.callback = None


class Notice(Call, eq=False):
    """A node's clock has no part in it."""

    of: str = ""
    """news of the link to this node, or, with messages, that some of this node's are lost; "": neither"""
    with_messages: bool = False


What = Call | Message


class Taker(Protocol):
    @property
    def take(self) -> Callable[[What], None]: ...


class Teller(Protocol):
    """A node that has told something in the present step."""

    def step_ends(self) -> None: ...


class _Script:
    """Takes the calls of the script and of the world itself."""

    def take(self, what: What) -> None:
        assert isinstance(what, Call)
        if what.callback is not None:
            what.callback()


SCRIPT: Final = _Script()

_NOTHING: Final = Call(None)

Entry = tuple[Micros, int, Taker, What, Mark]
"""when, its number, who takes what, and the mark of the step that it comes from"""


class Heap:
    __slots__ = ("entries", "entry", "pushed", "stirred", "teller", "time")

    def __init__(self) -> None:
        self.time: Micros = 0
        self.pushed = 0
        """how many things so far: the number of the last one"""
        self.entries: list[Entry] = []
        self.entry: Entry
        """what is being taken"""
        self.stirred = False
        """something has changed that the script may wait for"""
        self.teller: Teller | None = None
        """of the present step"""
        self.take_nothing()

    def __bool__(self) -> bool:
        """Whether anything is to come."""
        return bool(self.entries)

    def now(self) -> Micros:
        return self.time

    def next_at(self) -> Micros | None:
        return self.entries[0][0] if self.entries else None

    def pass_to(self, time: Micros) -> None:
        """Nothing happens until then."""
        self.time = max(self.time, time)

    def run(self, look: Callable[[], bool], most: int | None = None) -> int:
        """Until `look` says that it is enough, or nothing is left to do; at most so many things. How many there were.

        It looks only where that can have become so: after a call of the script's, or when something has stirred."""
        entries = self.entries
        taken = 0
        for taken in count(1) if most is None else range(1, most + 1):
            if not entries:
                return taken - 1
            self.entry = self.time, _, taker, what, _ = heappop(entries)
            taker.take(what)
            if self.teller is not None:
                self.end_step()
            if self.stirred or taker is SCRIPT:
                self.take_nothing()
                if look():
                    break
        return taken

    def take_nothing(self) -> None:
        """From now on all is the script's doing, or somebody's from outside."""
        self.end_step()
        self.entry = self.time, 0, SCRIPT, _NOTHING, 0

    def end_step(self) -> None:
        if self.teller is not None:
            self.teller.step_ends()
            self.teller = None

    def tells(self, teller: Teller) -> None:
        if teller is not self.teller:
            self.end_step()
            self.teller = teller

    # What is to come

    def push(self, at: Micros, taker: Taker, what: What, mark: Mark = 0) -> None:
        self.pushed = number = self.pushed + 1
        heappush(self.entries, (at, number, taker, what, mark))

    def call_later(self, delay: Micros, callback: Callable[[], None]) -> Call:
        """For the script."""
        call = Call(callback, self.time + delay)
        self.push(call.due, SCRIPT, call)
        return call

    def later(self, delay: Micros, taker: Taker, callback: Callable[[], None], of: str = "") -> None:
        """For this node, in true time, in its turn."""
        self.push(self.time + delay, taker, Notice(callback, of=of))

    # What is not to come, or at another time

    def take_back(self, since: int) -> None:
        """The messages of the node that pushed all that is there since then: they never left."""
        self._replace([e for e in self.entries if e[1] <= since or isinstance(e[3], Call)])

    def forget_messages(self, taker: Taker, sender: Address) -> int:
        """How many there were."""
        many = len(self._under_way(taker, sender))
        if many:
            self._replace([e for e in self.entries if not _is_message(e, taker, sender)])
        return many

    def hurry(self, taker: Taker, sender: Address, arrivals: Callable[[int], list[Micros]]) -> None:
        """Its messages arrive then, in order, if that is sooner; `arrivals` is told how many there are."""
        under_way = sorted(self._under_way(taker, sender), key=_order)
        sooner = {e[1]: min(e[0], at) for e, at in zip(under_way, arrivals(len(under_way)), strict=True)}
        self._replace([(sooner.get(e[1], e[0]), *e[1:]) for e in self.entries])

    def forget_timers(self, taker: Taker) -> None:
        for _, _, owner, what, _ in self.entries:
            if owner is taker and type(what) is Call:
                what.cancel()

    def timers_anew(self, taker: Taker, true_time_of: Callable[[Micros], Micros]) -> None:
        """Its clock was set: each of its timers is due when the new clock says so."""
        for i, (_, number, owner, what, mark) in enumerate(self.entries):
            if owner is taker and type(what) is Call:
                self.entries[i] = (max(self.time, true_time_of(what.due)), number, taker, what, mark)
        heapify(self.entries)

    def _under_way(self, taker: Taker, sender: Address) -> list[Entry]:
        return [e for e in self.entries if _is_message(e, taker, sender)]

    def _replace(self, entries: list[Entry]) -> None:
        self.entries[:] = entries
        heapify(self.entries)


def begun_by(entry: Entry) -> Cause | None:
    """What began the step of a node that takes this."""
    _, _, taker, what, mark = entry
    kind = type(what)
    if kind is Call:
        return cause_of(TIMER, mark) if taker is not SCRIPT else None
    return None if isinstance(what, Call) else cause_of(kind.__name__, mark, what.sender.uuid)


def _is_message(entry: Entry, taker: Taker, sender: Address) -> bool:
    what = entry[3]
    return entry[2] is taker and not isinstance(what, Call) and what.sender.address == sender


def _order(entry: Entry) -> tuple[Micros, int]:
    return entry[:2]
