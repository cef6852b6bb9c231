"""What came of a call by hand, in the words of the history: the receipt of its fault, or else that it was done."""

from __future__ import annotations

from shaketable.harness.faults.kinds import kinds_told
from shaketable.harness.faults.node_kinds import RESTART
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import (
    AnsweredByHand,
    AskedByHand,
    FaultAsked,
    FaultEnded,
    FaultTook,
    NodeSpawned,
)
from shaketable.tui.model.hands.by_hand import call_in
from shaketable.tui.model.hands.calls import HEAL, START, Call
from shaketable.tui.model.history.store import Store

MOST_LOOKED_AT = 20_000


def receipt_of(store: Store, call: Call, before: int) -> str:
    """`before`: how many records there were when it was asked for."""
    number: int | None = None
    fault: int | None = int(call.arguments[0]) if call.verb == HEAL and call.arguments else None  # type: ignore[arg-type]
    receipts: dict[int, str] = {}
    for record in store.between(max(before, len(store) - MOST_LOOKED_AT), len(store)):
        match record.event:
            case AskedByHand(number=asked, call=text) if number is None and call_in(text).verb == call.verb:
                number = asked
            case FaultAsked() as asked_for if number is not None and fault is None:
                kind, _ = kinds_told(asked_for.kinds)
                fault = asked_for.fault if kind.verb == call.verb else None
            case FaultTook(fault=took, how=how):
                receipts[took] = f"{how}, at {rounded(record.time)}"
            case FaultEnded(fault=ended, how=how):
                receipts[ended] = f"{how}, at {rounded(record.time)}"
            case NodeSpawned(peer=peer) if call.verb in (START, RESTART.verb):
                return f"{peer} starts, at {rounded(record.time)}"
            case AnsweredByHand(number=answered, said=said) if answered == number and said:
                return said
            case AnsweredByHand(number=answered, fault=own) if answered == number and own is not None:
                fault = own
    return receipts.get(fault, "done") if fault is not None else "done"
