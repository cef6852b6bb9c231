"""Why a run cannot have passed, apart from what the checks say: expectations, nodes that failed, missing receipts.

A fault that nobody saw take effect proves nothing about those who are said to have borne it: unknown, never passed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec

from shaketable.harness.checks.result import Proof, proof_of
from shaketable.harness.faults.verb import DATAGRAM, EVENT, MESSAGE
from shaketable.harness.history.history import FaultFacts, History
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import (
    DatagramCaught,
    Ending,
    Expected,
    FabricTrouble,
    FaultMayMiss,
    FaultWithoutEffect,
    InvariantBroken,
    NodeEnded,
    NodeSpawned,
    NotUnderstood,
    Record,
    RunBegan,
    ScriptEnded,
    ScriptOutcome,
)
from shaketable.node.events import Failed, FilterMatched, Held, Stopped

FAILED: Final = "failed"
UNKNOWN: Final = "unknown"
_CAME_UPON_NOTHING: Final[Mapping[str, tuple[type[Held | FilterMatched | DatagramCaught], str]]] = {
    EVENT: (Held, "never came about: the node did not come to that event"),
    MESSAGE: (FilterMatched, "caught no message"),
    DATAGRAM: (DatagramCaught, "came upon no datagram"),
}
"""by what a fault was to come upon: how one knows that it did, and what is said if it did not"""
_MOST_BELIEFS: Final = 12
MOST_OF_A_KIND: Final = 25


class Reason(msgspec.Struct, frozen=True):
    outcome: str
    """ "failed" or "unknown" """
    about: str
    """ "check", "expectation", "node", "fault", "links", "machine", "system" or "script" """
    text: str
    proof: tuple[Proof, ...] = ()
    check: str = ""
    """of one about a check: which"""


def each_once(reasons: Iterable[Reason]) -> Iterator[Reason]:
    """Equal ones are one, with their number; of a kind so many are told, and the rest is counted: however often one
    thing fails, a report can be read."""
    kinds: dict[tuple[str, ...], dict[str, list[Reason]]] = {}
    for reason in reasons:
        kind = kinds.setdefault((reason.outcome, reason.about, reason.check), {})
        kind.setdefault(reason.text, []).append(reason)
    for (outcome, about, check), texts in kinds.items():
        for text, equal in list(texts.items())[:MOST_OF_A_KIND]:
            often = f" ({len(equal):,} times)" if len(equal) > 1 else ""
            yield msgspec.structs.replace(equal[0], text=f"{text}{often}")
        if more := sum(map(len, list(texts.values())[MOST_OF_A_KIND:])):
            yield Reason(outcome, about, f"and {more:,} more of the kind", check=check)


def reasons_of(history: History) -> Iterator[Reason]:
    expectations = list(_expectations(history))
    yield from expectations
    yield from _nodes(history)
    yield from _script(history, told_already=bool(expectations))
    for number, facts in history.faults.items():
        why = _without_receipt(history, number, facts)
        if why:
            asked = facts.asked.event
            what = " ".join((asked.verb, *asked.nodes, *asked.links))
            yield Reason(UNKNOWN, "fault", history.names.spoken(f"fault {number} ({what}) {why}"))
    for odd in history.of(NotUnderstood):
        said = f"what {odd.event.peer} tells is not understood: {odd.event.reason}"
        yield Reason(UNKNOWN, "system", history.names.spoken(said), (proof_of(history, odd),))
    for record in history.of(FabricTrouble):
        how = "somebody else has changed the links" if record.event.by_others else "the links failed by themselves"
        said = f"{how}: {record.event.reason}"
        yield Reason(UNKNOWN, "links", said, (proof_of(history, record),))


def _expectations(history: History) -> Iterator[Reason]:
    spoken = history.names.spoken
    unmet = [record for record in history.of(Expected) if not record.event.held]
    beliefs = _beliefs(history) if unmet else ()
    for record in unmet:
        event = record.event
        said = f"expected within {rounded(event.within)} of the last fault: {event.what}; but {event.reason}"
        yield Reason(FAILED, "expectation", spoken(said), (*beliefs, proof_of(history, record)))
    for broken in history.of(InvariantBroken):
        said = f"it was to hold always: {broken.event.what}; but {broken.event.reason}"
        yield Reason(FAILED, "expectation", spoken(said), (proof_of(history, broken),))


def _beliefs(history: History) -> tuple[Proof, ...]:
    """The last list that each living process installed: what stands against an expectation that did not come true.

    Of many processes only one for each list speaks, and of many lists the first few: a hundred say no more."""
    last = [process.installs[-1] for process in history.processes.values() if process.alive and process.installs]
    if len(last) > _MOST_BELIEFS:
        last = list({install.key: install for install in reversed(last)}.values())[::-1]
    return tuple(proof_of(history, install.record) for install in last[:_MOST_BELIEFS])


def _nodes(history: History) -> Iterator[Reason]:
    for failed in history.of(Failed):
        said = f"{failed.node} failed: {failed.event.reason}"
        yield Reason(FAILED, "node", history.names.spoken(said), (proof_of(history, failed),))
    for record in history.of(NodeEnded):
        ended = record.event
        if record.time > history.end:
            continue
        if ended.why is Ending.NEVER_RAN:
            said = history.names.spoken(f"the process of {ended.peer} {ended.reason}")
            yield Reason(UNKNOWN, "node", said, (proof_of(history, record),))
        elif ended.why.by_itself and not _said_so(history, ended.peer, record):
            died = f"died by itself{': ' * bool(ended.more)}{ended.more}"
            how = died if ended.why is Ending.DIED else f"ended by itself: {ended.reason}"
            said = history.names.spoken(f"the process of {ended.peer} {how}")
            yield Reason(FAILED, "node", said, (proof_of(history, record),))


def _said_so(history: History, node: str, gone: Record) -> bool:
    """Whether the process that is gone told so itself: not an earlier one of the same name."""
    spawned = max((r.time for r in history.of(NodeSpawned) if r.event == NodeSpawned(node) and r < gone), default=0)
    last_words = [*history.of(Stopped), *history.of(Failed)]
    return any(r.node == node and spawned <= r.time <= gone.time for r in last_words)


def _script(history: History, told_already: bool) -> Iterator[Reason]:
    if not history.of(RunBegan):
        yield Reason(UNKNOWN, "script", "the history lacks its beginning")
    ends = history.of(ScriptEnded)
    if not ends:
        yield Reason(UNKNOWN, "script", "the history breaks off before the end of the script")
        return
    end = ends[0].event
    said = history.names.spoken(end.reason)
    if end.outcome is ScriptOutcome.FAILED and not told_already:
        yield Reason(FAILED, "expectation", said, (*_beliefs(history), proof_of(history, ends[0])))
    elif end.outcome is ScriptOutcome.UNKNOWN:
        yield Reason(UNKNOWN, "script", f"the script could not be run to its end: {said}")


def _without_receipt(history: History, number: int, facts: FaultFacts) -> str:
    """What is missing, or nothing."""
    refused = facts.without_effect.event if facts.without_effect is not None else None
    if isinstance(refused, FaultWithoutEffect):
        return f"took no effect: {refused.reason}"
    if facts.took is None:
        return "has no receipt: nothing shows that it took effect"
    if facts.end_asked is not None and facts.ended is None:
        return "was to end, and nothing shows that it did"
    if _fired(history, FaultMayMiss, number):
        return ""
    if facts.kind.comes_upon:
        fired, why_not = _CAME_UPON_NOTHING[facts.kind.comes_upon]
        return "" if _fired(history, fired, number) else why_not
    return ""


def _fired(history: History, kind: type[Held | FilterMatched | DatagramCaught | FaultMayMiss], number: int) -> bool:
    return any(isinstance(event, kind) and event.fault == number for event in (r.event for r in history.of(kind)))
