"""Why a run cannot have passed, apart from what the checks say: expectations, nodes that failed, missing receipts.

A fault that nobody saw take effect proves nothing about those who are said to have borne it: unknown, never passed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from shaketable.harness import datagrams
from shaketable.harness.checks.result import Proof, proof_of
from shaketable.harness.recording.history import FaultFacts, History
from shaketable.harness.recording.words import rounded
from shaketable.harness.records import (
    DatagramCaught,
    Expected,
    FabricTrouble,
    FaultAsked,
    FaultMayMiss,
    FaultWithoutEffect,
    InvariantBroken,
    NodeEnded,
    NodeSpawned,
    Record,
    RunBegan,
    ScriptEnded,
)
from shaketable.node.events import Failed, FilterMatched, Held, Stopped

FAILED: Final = "failed"
UNKNOWN: Final = "unknown"
_BY_KIND_OF_MESSAGE: Final = ("drop ", "hold back ", "delay ")
_MEANT_TO_END: Final = ("killed", "left", "refused")
_MOST_BELIEFS: Final = 12


class Reason(msgspec.Struct, frozen=True):
    outcome: str
    """ "failed" or "unknown" """
    about: str
    """ "check", "expectation", "node", "fault", "links" or "script" """
    text: str
    proof: tuple[Proof, ...] = ()


def reasons_of(history: History) -> Iterator[Reason]:
    expectations = list(_expectations(history))
    yield from expectations
    yield from _nodes(history)
    yield from _script(history, told_already=bool(expectations))
    for number, facts in history.faults.items():
        why = _without_receipt(history, number, facts)
        if why:
            asked = facts.asked.event
            assert isinstance(asked, FaultAsked)
            what = " ".join((asked.verb, *asked.nodes, *asked.links))
            yield Reason(UNKNOWN, "fault", history.names.spoken(f"fault {number} ({what}) {why}"))
    for record in history.of(FabricTrouble):
        trouble = record.event
        assert isinstance(trouble, FabricTrouble)
        yield Reason(
            UNKNOWN, "links", f"the links failed by themselves: {trouble.reason}", (proof_of(history, record),)
        )


def _expectations(history: History) -> Iterator[Reason]:
    spoken = history.names.spoken
    for record in history.of(Expected):
        event = record.event
        assert isinstance(event, Expected)
        if not event.held:
            said = f"expected within {rounded(event.within)}: {event.what}; but {event.reason}"
            yield Reason(FAILED, "expectation", spoken(said), (*_beliefs(history), proof_of(history, record)))
    for record in history.of(InvariantBroken):
        broken = record.event
        assert isinstance(broken, InvariantBroken)
        said = f"it was to hold always: {broken.what}; but {broken.reason}"
        yield Reason(FAILED, "expectation", spoken(said), (proof_of(history, record),))


def _beliefs(history: History) -> tuple[Proof, ...]:
    """The last list that each living process installed: what stands against an expectation that did not come true.

    Of many processes only one for each list speaks, and of many lists the first few: a hundred say no more."""
    last = [process.installs[-1] for process in history.processes.values() if process.alive and process.installs]
    if len(last) > _MOST_BELIEFS:
        last = list({install.key: install for install in reversed(last)}.values())[::-1]
    return tuple(proof_of(history, install.record) for install in last[:_MOST_BELIEFS])


def _nodes(history: History) -> Iterator[Reason]:
    for record in history.of(Failed):
        failed = record.event
        assert isinstance(failed, Failed)
        said = f"{record.node} failed: {failed.reason}"
        yield Reason(FAILED, "node", history.names.spoken(said), (proof_of(history, record),))
    for record in history.of(NodeEnded):
        ended = record.event
        assert isinstance(ended, NodeEnded)
        if (
            record.time <= history.end
            and ended.reason not in _MEANT_TO_END
            and not _said_so(history, ended.peer, record)
        ):
            how = "died by itself" if ended.reason == "died" else f"ended by itself: {ended.reason}"
            yield Reason(FAILED, "node", f"the process of {ended.peer} {how}", (proof_of(history, record),))


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
    assert isinstance(end, ScriptEnded)
    said = history.names.spoken(end.reason)
    if end.outcome == FAILED and not told_already:
        yield Reason(FAILED, "expectation", said, (*_beliefs(history), proof_of(history, ends[0])))
    elif end.outcome not in (FAILED, "done"):
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
    if facts.verb == "hold" and not _fired(history, Held, number):
        return "never came about: the node did not come to that event"
    if facts.verb in datagrams.VERBS:
        return "" if _fired(history, DatagramCaught, number) else "came upon no datagram"
    if facts.verb.startswith(_BY_KIND_OF_MESSAGE) and not _fired(history, FilterMatched, number):
        return "caught no message"
    return ""


def _fired(history: History, kind: type[Held | FilterMatched | DatagramCaught | FaultMayMiss], number: int) -> bool:
    return any(isinstance(event, kind) and event.fault == number for event in (r.event for r in history.of(kind)))
