"""Which deeds members of another system cannot do, of all that a hand can ask for: so a menu can say it beforehand.

Each verb is called on a world that does nothing. The system is asked about what that world is asked for first."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from inspect import isawaitable
from typing import Any, Final

from shaketable.harness.errors import UserError
from shaketable.harness.faults.actions import Action, NoEffect, Receipt
from shaketable.harness.faults.parameters import ONE_WAY, WORD_OF_A_MESSAGE, WORD_OF_AN_EVENT
from shaketable.harness.faults.verb import Fault
from shaketable.harness.records import HARNESS, Record
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.driver import Driver
from shaketable.harness.scripting.steps import Act, Together
from shaketable.harness.seen.run import Observed
from shaketable.harness.systems.system import System
from shaketable.node.config import Settings
from shaketable.node.core.env import Micros, Timer
from shaketable.node.events import Event, Started
from shaketable.node.messages import Member
from shaketable.tui.model.hands.calls import DEEDS, OF_A_LINK, OF_A_NODE, START, Call, Deed
from shaketable.tui.model.hands.fields import words_for
from shaketable.tui.model.hands.filling_in import filled_in

NODES: Final = ("n1", "n2")
ONE_MORE: Final = "n3"
KEY: Final = "k1"
WORDS: Final = (WORD_OF_A_MESSAGE, WORD_OF_AN_EVENT)


def what_cannot_be_done(system: System, settings: Settings) -> dict[str, str]:
    """As `RunFacts.cannot` has it. Of ours, nothing is missing."""
    if system.under_test.is_ours:
        return {}
    idle = Idle(settings)
    cannot: dict[str, str] = {}
    for deed in DEEDS:
        if deed.family in ("", settings.family):
            cannot |= _of(deed, lambda call: system.why_not(action) if (action := idle.asked(call)) else "")
    return cannot


def _of(deed: Deed, why_not: Callable[[Call], str]) -> Mapping[str, str]:
    usual = why_not(sample(deed))
    word = next((each for each in deed.parameters if each.unit in WORDS), None)
    if word is not None:
        of_words = {each: why_not(sample(deed, {word.name: each})) for each in words_for(word)}
        if not all(of_words.values()):
            return {f"{deed.verb} {each}": why for each, why in of_words.items() if why}
    if usual:
        return {deed.verb: usual}
    one_way = why_not(sample(deed, one_way=True)) if deed.one_way else ""
    return {f"{deed.verb} {ONE_WAY}": one_way} if one_way else {}


def sample(deed: Deed, typed: Mapping[str, str] | None = None, *, one_way: bool = False) -> Call:
    nodes = {OF_A_LINK: NODES, OF_A_NODE: NODES[:1]}.get(deed.of, ())
    if deed.verb == START:
        return Call(START, (ONE_MORE,))
    return filled_in(deed, nodes, typed or {}, one_way=one_way)


class Idle:
    """A world of two nodes, in which nothing happens and no time passes."""

    fabric: Final = ""

    def __init__(self, settings: Settings) -> None:
        self.name = "real"
        self.allowance: Micros = 0
        self.observed = Observed()
        self.on_change: Callable[[], None] = lambda: None
        self._settings = settings
        self._cluster = Cluster(self, Driver(self), settings, 1)
        all(True for _ in _actions(self._cluster.form(*NODES)))
        for node in NODES:
            self.observed.apply(Record(0, node, node, 1, Started(Member(node, node))))
        self.observed.written = {name: {KEY: True} for name in settings.backup_counts}

    def asked(self, call: Call) -> Action | None:
        """What it is asked for first; None: for nothing."""
        try:
            done: Any = getattr(self._cluster, call.verb)(*call.arguments, **call.options)
        except UserError:
            return None
        return next(_actions(done), None) if isawaitable(done) else None

    @property
    def acts(self) -> Container[type[Fault]]:
        return _All()

    def now(self) -> Micros:
        return 0

    def call_later(self, delay: Micros, callback: Callable[[], None]) -> Timer:
        return _NeverDue()

    def act(self, action: Action, done: Callable[[Receipt | NoEffect], None]) -> None:
        """Nobody drives what is called here."""

    def record(self, event: Event) -> None:
        self.observed.apply(Record(0, HARNESS, "", 1, event))


def _actions(routine: Any) -> Iterator[Action]:
    """All that it awaits has come true, and all that it asks for is done."""
    try:
        step = routine.send(None)
        while True:
            if isinstance(step, Act):
                yield step.action
            elif isinstance(step, Together):
                for each in step.scripts:
                    each.close()
            step = routine.send(Receipt(0, "") if isinstance(step, Act) else None)
    except (StopIteration, UserError):
        return
    finally:
        routine.close()


class _All(Container[type[Fault]]):
    def __contains__(self, kind: object) -> bool:
        return True


class _NeverDue:
    def cancel(self) -> None: ...
