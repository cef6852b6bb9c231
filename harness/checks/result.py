"""What a check answers with: its status, what it looked at, and for a violation the few records that prove it.

Plain data, so that it goes into verdict.json, a Spark row and every report as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

import msgspec

from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import tell
from shaketable.harness.records import Record
from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.core.env import Micros
from shaketable.node.events import Event

if TYPE_CHECKING:
    from shaketable.harness.bounds.cluster import Bounds

HELD: Final = "held"
BROKEN: Final = "broken"
VACUOUS: Final = "vacuous"
"""it saw nothing that it could judge"""
UNKNOWN: Final = "unknown"
"""it saw something and cannot judge it"""
NOT_TOLD: Final = "not told"
"""the system does not tell what it needs, or does not promise it: it was not even begun"""
STATUSES: Final = frozenset({HELD, BROKEN, VACUOUS, UNKNOWN, NOT_TOLD})

MOST_VIOLATIONS: Final = 10
"""More of the same proves nothing more; the rest is counted."""


class Proof(msgspec.Struct, frozen=True):
    """One record of a history, by its place in it, and in words."""

    time: Micros
    node: str
    incarnation: str
    sequence: int
    kind: str
    told: str


class Violation(msgspec.Struct, frozen=True):
    sentence: str
    proof: tuple[Proof, ...]
    why: tuple[str, ...] = ()
    """the chains of causes behind the proof, as lines; only of the first few"""


class Setting(msgspec.Struct, frozen=True):
    """One on which a check depends, with its value in this run."""

    name: str
    value: str | int | float | bool
    follows: str = ""
    """why the result follows from it, where it does"""


class CheckResult(msgspec.Struct, frozen=True):
    """What a check says of one run."""

    name: str
    rule: str
    status: str
    """ "held", "broken", "vacuous", "unknown" or "not told" """
    looked_at: str
    """in words: "18 installs of 4 processes over 6 views"; of one that is not told: what its system does not tell"""
    count: int
    """of what it looked at: 0 if the check is vacuous"""
    violations: tuple[Violation, ...] = ()
    more_violations: int = 0
    """how many there were beyond those that are shown"""
    pending: int = 0
    """what the run ended too soon to judge"""
    notes: tuple[str, ...] = ()
    """what is worth showing and no violation; where the status is unknown: why"""
    settings: tuple[Setting, ...] = ()
    """those on which it depends"""
    inferred: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    """the kinds of event that it needs and that no member told: they were concluded from others"""


class Watch(Protocol):
    """A check that has to see each record together with what was known just before it."""

    def see(self, record: Record, node: NodeSeen | None, seen: Observed) -> None:
        """See `History.replay`."""

    def result(self) -> CheckResult:
        """When it has seen all."""


@dataclass(frozen=True, slots=True)
class Depends:
    """What a check says of a run depends on a setting."""

    setting: str
    """by its outside name"""
    off: str | int | float | bool
    """the value by which nothing upholds the guarantee"""
    then: str
    """the status that follows from it"""
    so: str
    """why, in words"""


class IfSeen(NamedTuple):
    """A kind of event that is needed only in a run in which one of certain others was told."""

    kind: type[Event]
    others: tuple[type[Event], ...]


@dataclass(frozen=True, slots=True)
class Check:
    """A guarantee, and what judges a run by it."""

    name: str
    rule: str
    """the guarantee in one sentence or two"""
    begin: Callable[[History, Bounds], CheckResult | Watch]
    """a result at once; or what sees each record first, with `see`, and then gives it, with `result`"""
    depends: tuple[Depends, ...] = ()
    """settings that decide whether anything upholds it"""
    needs: tuple[type[Event] | IfSeen, ...] = ()
    """the kinds of event without which it would say something wrong; a system that does not tell them all is not judged
    by it"""


class Findings:
    """Collects violations; only the first few are put in words, for a broken run may have thousands."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._violations: list[Violation] = []
        self._more = 0

    def add(self, sentence: str, proof: Iterable[Record]) -> None:
        """A violation, and the few records that prove it."""
        if len(self._violations) < MOST_VIOLATIONS:
            self._violations.append(Violation(sentence, tuple(proof_of(self._history, r) for r in proof)))
        else:
            self._more += 1

    def __bool__(self) -> bool:
        return bool(self._violations)

    def result(
        self,
        name: str,
        rule: str,
        looked_at: str,
        count: int,
        *,
        unknown: bool = False,
        pending: int = 0,
        notes: Iterable[str] = (),
    ) -> CheckResult:
        """Broken if there was a violation, else unknown if so said, else held, or vacuous where nothing was seen."""
        status = BROKEN if self._violations else UNKNOWN if unknown else HELD if count else VACUOUS
        return CheckResult(
            name, rule, status, looked_at, count, tuple(self._violations), self._more, pending, tuple(notes)
        )


def proof_of(history: History, record: Record) -> Proof:
    time, node, incarnation, sequence, event, _ = record
    return Proof(time, node, incarnation, sequence, type(event).__name__, tell(record, history.names))


def counted(number: int, thing: str, things: str = "") -> str:
    """ "1 install", "2 installs", "2 processes"."""
    return f"{number} {thing if number == 1 else things or thing + 's'}"
