"""An order that is chosen: what happens next is no matter of delays, but of somebody's choice at each step.

It is so in a window; before and after it all goes its usual way. In the window each node takes what is there for it in
any order that keeps the order of each link. Its timers come when they are due. A message, or the news of a link, is at
most `latest` late.

A step is possible when nothing is waiting that would usually have come more than `latest` before it.

There each node has a time of its own: a step begins when its message has arrived, and never before the node's step in
front of it. So the steps of two nodes leave the same behind in either order, and the history, sorted by time, is the
same. The script sees all nodes at once, and its time is the latest of all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from shaketable.harness.faults import link_kinds
from shaketable.harness.worlds.sim.heap import SCRIPT, Call, Entry, Heap, Notice
from shaketable.node.core.env import Micros

if TYPE_CHECKING:
    from shaketable.harness.worlds.sim.world import SimWorld

NOBODY: Final = "script"
"""whose timer it is, where it is no node's"""


class Kind(StrEnum):
    MESSAGE = "message"
    NEWS = "news"
    """of a link, or a command"""
    TIMER = "timer"
    KILL = "kill"
    RESET = link_kinds.RESET.verb
    CUT = link_kinds.CUT.verb


FAULTS: Final = (Kind.KILL, Kind.RESET, Kind.CUT)
ON_LINKS: Final = (Kind.RESET, Kind.CUT)


class Step(NamedTuple):
    kind: Kind
    node: str
    """that takes it, or that is hit; of a link that is hit, its receiver"""
    sender: str = ""
    due: Micros = 0
    """of a timer: if a step sets an earlier one, the node's next timer is another one"""

    def __str__(self) -> str:
        match self.kind:
            case Kind.NEWS:
                return f"{self.sender}~{self.node}"
            case Kind.TIMER:
                return f"@{self.node}"
            case Kind.MESSAGE:
                return f"{self.sender}>{self.node}"
            case Kind.KILL:
                return f"{self.kind}:{self.node}"
            case Kind.RESET | Kind.CUT:
                return f"{self.kind}:{self.sender}>{self.node}"


class OrderError(ValueError):
    """A text that is no order."""


def read_step(word: str) -> Step:
    """As it is written: n1>n2 a message, n1~n2 news of the link to n1, @n2 a timer, kill:n2, reset:n1>n2, cut:n1>n2."""
    of, wave, to = word.partition("~")
    if wave and to:
        return Step(Kind.NEWS, to, of)
    kind, _, rest = word.rpartition(":")
    sender, arrow, node = rest.partition(">")
    if not arrow and not kind and rest[:1] == "@" and rest[1:]:
        return Step(Kind.TIMER, rest[1:])
    if not arrow and kind == Kind.KILL and rest:
        return Step(Kind.KILL, rest)
    if arrow and node and sender and not kind:
        return Step(Kind.MESSAGE, node, sender)
    if arrow and node and sender and kind in ON_LINKS:
        return Step(Kind(kind), node, sender)
    raise OrderError(f"{word!r} is no step: write n1>n2, n1~n2, @n2, kill:n2, reset:n1>n2 or cut:n1>n2")


class Window(NamedTuple):
    begins: int
    """after so many things that have happened"""
    lasts: Micros
    latest: Micros
    """so much later than usual may a message come"""


class Order(NamedTuple):
    """A window, and the first steps in it. After these each step is the usual one."""

    window: Window
    steps: tuple[Step, ...] = ()

    def __str__(self) -> str:
        return " ".join(map(str, (*self.window, *self.steps)))


def read_order(text: str) -> Order:
    words = text.split()
    if len(words) < 3 or not all(word.isascii() and word.isdigit() for word in words[:3]):
        raise OrderError("it begins with three whole numbers: after how many events, for how long, and how late, in us")
    return Order(Window(*map(int, words[:3])), tuple(map(read_step, words[3:])))


Choose = Callable[["Orders", Sequence[Step]], Step | None]
"""Of these steps; the first is the usual one. None are left at the window's end, and it may choose none then."""


class Enough(Exception):
    """Raised by a choice: this run need not go on."""


class Orders(Heap):
    __slots__ = (
        "_ends_at",
        "_so_far",
        "acted",
        "choose",
        "do",
        "heal",
        "last",
        "open",
        "window",
        "world",
    )

    def __init__(self, window: Window, choose: Choose) -> None:
        super().__init__()
        self.window = window
        self.choose = choose
        self.do: Callable[[Step], None] = _nobody
        """does a fault, by the script's own verbs"""
        self.heal: Callable[[], None] = _nobody
        """ends those that last, if there are any"""
        self.world: SimWorld
        self.last: dict[str, Micros] = {}
        """when each node's last step was, and the script's"""
        self.acted = False
        """in the last step the script did something"""
        self.open = False
        self._so_far = 0
        self._ends_at: Micros = 0

    def run(self, look: Callable[[], bool], most: int | None = None) -> int:
        if self.open:
            return self._run_chosen(look, most)
        left = self.window.begins - self._so_far
        if left <= 0:
            return super().run(look, most)
        taken = super().run(look, left if most is None else min(left, most))
        self._so_far += taken
        if self._so_far == self.window.begins:
            self.open, self._ends_at = True, self.time + self.window.lasts
            self.last[NOBODY] = self.time
        return taken

    def _run_chosen(self, look: Callable[[], bool], most: int | None) -> int:
        taken = 0
        while most is None or taken < most:
            possible = self._possible()
            step = self.choose(self, [*possible])
            if step is None:
                self._close()
                break
            taken += 1
            if self._take(step, possible.get(step), look):
                break
        return taken

    # Possible steps

    def _possible(self) -> dict[Step, Entry]:
        """In the order in which it would usually come: what is due at most `latest` after the first thing of all."""
        entries = sorted((e for e in self.entries if not _is_void(e)), key=_by_time)
        self.entries[:] = entries
        first: dict[Step, Entry] = {}
        timers: dict[str, Entry] = {}
        for entry in entries:
            taker, what = entry[2], entry[3]
            name = name_of(taker)
            if entry[0] > self._ends_at:
                break
            if type(what) is Call:
                timers.setdefault(name, entry)
            elif entry[0] > entries[0][0] + self.window.latest or name in timers:
                continue  # a timer is never late, so what comes after it comes after it
            elif isinstance(what, Notice):
                kind = Kind.MESSAGE if what.with_messages else Kind.NEWS
                first.setdefault(Step(kind, name, what.of), entry)
            elif not isinstance(what, Call):
                first.setdefault(Step(Kind.MESSAGE, name, self.world.names[what.sender.address]), entry)
        # Timers of two nodes leave the same behind in either order: only one is tried, whichever was set first.
        due = min(((entry[0], name) for name, entry in timers.items()), default=None)
        if due is not None and due[0] <= entries[0][0] + self.window.latest:
            first[Step(Kind.TIMER, due[1], due=due[0])] = timers[due[1]]
        return dict(sorted(first.items(), key=lambda item: _by_time(item[1])))

    # Steps

    def _take(self, step: Step, entry: Entry | None, look: Callable[[], bool]) -> bool:
        self.acted = False
        if entry is None:
            self._hit(step)
        else:
            at, number, taker, what, mark = entry
            self.entries.remove(entry)
            self.time = self.last[step.node] = max(at, self.last.get(step.node, 0))
            self.entry = self.time, number, taker, what, mark
            taker.take(what)
            self.end_step()
            self.acted = taker is SCRIPT
        return (self.stirred or self.acted) and self._look(look)

    def _hit(self, step: Step) -> None:
        hit = (step.node, step.sender) if step.kind in ON_LINKS else (step.node,)
        self.time = 1 + max(self.last.get(name, 0) for name in (*hit, NOBODY))
        self.last.update(dict.fromkeys((*hit, NOBODY), self.time))
        self.acted = True
        self.take_nothing()
        self.do(step)

    def _look(self, look: Callable[[], bool]) -> bool:
        """The script has its turn, until it waits for time to pass."""
        before = self.pushed
        self.time = max(self.time, self.last[NOBODY])
        self.take_nothing()
        enough = look()
        while not enough and (now := [e for e in self.entries if e[2] is SCRIPT and e[0] <= self.time]):
            entry = min(now, key=_by_time)
            self.entries.remove(entry)
            entry[2].take(entry[3])
            self.take_nothing()
            self.acted = True
            enough = look()
        if self.acted or self.pushed != before:
            self.acted, self.last[NOBODY] = True, self.time
        return enough

    def _close(self) -> None:
        """From here on all goes its usual way, and late messages come now."""
        self.open = False
        self.time = max(self.last.values())
        self.take_nothing()
        self._replace([(max(e[0], self.time), *e[1:]) for e in self.entries])
        self.heal()


class Following(Orders):
    """Takes these steps, then the usual ones."""

    __slots__ = ("_left", "_missed")

    def __init__(self, order: Order) -> None:
        super().__init__(order.window, self._next)
        self._left = list(order.steps)[::-1]
        self._missed: list[Step] = []

    @property
    def missed(self) -> list[Step]:
        """Steps that were not possible when it was their turn. They were left out."""
        return self._missed + self._left[::-1]

    def _next(self, orders: Orders, possible: Sequence[Step]) -> Step | None:
        by_word = {str(step): step for step in possible}
        while self._left and possible:
            step = self._left.pop()
            if step.kind in FAULTS:
                return step
            if str(step) in by_word:
                return by_word[str(step)]
            self._missed.append(step)
        return possible[0] if possible else None


def name_of(taker: object) -> str:
    return NOBODY if taker is SCRIPT else taker.name  # type: ignore[attr-defined]


def _is_void(entry: Entry) -> bool:
    """The timer is off, or the node that was to take it has ended."""
    _, _, taker, what, _ = entry
    if isinstance(what, Call) and what.callback is None:
        return True
    return taker is not SCRIPT and taker.ended  # type: ignore[attr-defined]


def _by_time(entry: Entry) -> tuple[Micros, int]:
    return entry[:2]


def _nobody(*given: object) -> None:
    raise AssertionError("no run does the faults of this order")
