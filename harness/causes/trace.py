"""A history in the trace event format, which Perfetto and Chrome's tracing read: a track for each process and one for
the faults, and an arrow for each message that led from one event to another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from shaketable.harness.causes.shiviz import host_of
from shaketable.harness.causes.steps import Steps
from shaketable.harness.checks.shared.circumstances import span_of
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import tell
from shaketable.harness.records import HARNESS, Record
from shaketable.node.core.env import MILLISECOND
from shaketable.node.events.base import TIMER

HARNESS_TRACK: Final = 1
FAULTS: Final = 2
"""The harness is one process of the trace, with a track for its events and one for each fault; the nodes come after."""
SHOWN_AS: Final = MILLISECOND
"""an event has no length; an arrow needs a slice with one at each end"""


def trace(history: History) -> bytes:
    """One JSON object."""
    return msgspec.json.encode({"traceEvents": list(_events(history)), "displayTimeUnit": "ms"})


def _events(history: History) -> Iterator[dict[str, Any]]:
    steps = Steps(history)
    number_of = {life: number for number, life in enumerate(steps.lives, FAULTS)}
    yield _named("process_name", HARNESS_TRACK, 0, "harness")
    yield _named("thread_name", HARNESS_TRACK, 0, "script")
    for life, number in number_of.items():
        yield _named("process_name", number, 0, host_of(life))
        yield _named("thread_name", number, 0, "events")
    for fault, facts in history.faults.items():
        span = span_of(facts)
        yield _named("thread_name", HARNESS_TRACK, fault, f"fault {fault}")
        yield {
            "name": tell(facts.asked, history.names), "cat": "fault", "ph": "X", "ts": span.begin,
            "dur": max(SHOWN_AS, min(span.end, history.end) - span.begin), "pid": HARNESS_TRACK, "tid": fault,
        }  # fmt: skip
    arrows = 0
    for record in history.records:
        if record.node == HARNESS:
            yield _slice(record, history, HARNESS_TRACK)
            continue
        here = number_of[steps.life_of(record)]
        yield _slice(record, history, here)
        sent = steps.sent(record)
        if sent is None or record.cause is None or record.cause.kind == TIMER or not sent.told:
            continue
        sender = steps.lives[sent.life].get(sent.after)
        if sender is not None and sender.time <= record.time:
            arrows += 1
            arrow = {"name": record.cause.kind, "cat": "message", "id": arrows, "tid": 0}
            yield {**arrow, "ph": "s", "ts": sender.time, "pid": number_of[sent.life]}
            yield {**arrow, "ph": "f", "bp": "e", "ts": record.time, "pid": here}


def _slice(record: Record, history: History, process: int) -> dict[str, Any]:
    return {
        "name": type(record.event).__name__, "cat": "event", "ph": "X", "ts": record.time, "dur": SHOWN_AS,
        "pid": process, "tid": 0,
        "args": {"says": tell(record, history.names), "incarnation": record.incarnation, "number": record.sequence},
    }  # fmt: skip


def _named(what: str, process: int, track: int, name: str) -> dict[str, Any]:
    return {"name": what, "ph": "M", "pid": process, "tid": track, "args": {"name": name}}
