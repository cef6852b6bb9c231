"""Of a node's split-brain recovery: when its master searches next, whom it found, what it decided, where it goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.core.env import SECOND, Micros
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.standing import called, is_master
from shaketable.tui.text import Line, Span, head, line

DECISIONS: Final = {"merge": ("goes over to", "moving"), "stay": ("takes in", "good"), "no": ("not with", "warn")}
"""what a master finds of another part, and how that is shown"""


def merging(session: Session, node: NodeSeen) -> Sequence[Line]:
    """Nothing of a node that never looked and never went anywhere."""
    seen, observed = node.merging, session.picture().observed
    if not node.running or not (seen.into or seen.merged_into or seen.last_search is not None or seen.judged):
        return ()
    lines: list[Line] = [head("split-brain recovery", _next_run(session, node, observed.time))]
    if seen.into is not None:
        whom = called(observed, seen.into)
        lines.append(line(Span("   » ", "moving"), Span(f"is on its way to {whom}'s cluster", "moving")))
    elif seen.merged_into is not None:
        times = f", {seen.merges} times in all" if seen.merges > 1 else ""
        whom = called(observed, seen.merged_into)
        lines.append(line(Span("   ● ", "good"), Span(f"has come over to {whom}'s cluster{times}")))
    if seen.failed:
        many = "once" if seen.failed == 1 else f"{seen.failed} times"
        lines.append(line(Span("   » ", "warn"), Span(f"was not admitted where it went, {many}", "warn")))
    lines.extend(_search(node))
    lines.extend(_decisions(node, observed))
    return lines


def _next_run(session: Session, node: NodeSeen, now: Micros) -> str:
    """Of a master, as its settings have it."""
    first, interval = (_setting(session, f"merge_{which}_run_delay_seconds") for which in ("first", "next"))
    begun, last = node.merging.begun, node.merging.last_search
    if not is_master(node) or not interval or begun is None:
        return ""
    due = begun + first if last is None else last + interval
    if due < now:
        due += -(-(now - due) // interval) * interval
    return f"next run at {rounded(due)}"


def _setting(session: Session, name: str) -> Micros:
    value = session.facts.settings.get(name, 0)
    return int(float(value) * SECOND)


def _search(node: NodeSeen) -> Sequence[Line]:
    seen = node.merging
    if seen.last_search is None:
        return ()
    where = "1 address" if seen.asked == 1 else f"{seen.asked} addresses"
    if seen.searching:
        return [line(Span("     asks ", "moving"), Span(where, "moving"), Span(f" since {rounded(seen.last_search)}"))]
    said = f"     asked {where} at {rounded(seen.last_search)}, {seen.answered} answered"
    return [line(Span(said, "plain" if seen.answered else "dim"))]


def _decisions(node: NodeSeen, observed: Observed) -> Sequence[Line]:
    lines: list[Line] = []
    for event in node.merging.judged.values():
        if observed.is_current(event.peer) is None:
            continue  # it has come over under another identity, or is gone
        does, role = DECISIONS.get(event.decision, (event.decision, "plain"))
        words = (
            Span(f"     {does} ", role),
            Span(called(observed, event.peer)),
            Span(f"  {_spoken(observed, event.reason)}", "dim"),
        )
        lines.append(line(*words))
    put_off = node.merging.last_put_off
    if put_off is not None and node.merging.into is None and node.joined:
        lines.append(line(Span("     put off: ", "warn"), Span(_spoken(observed, put_off.reason))))
    return lines


def _spoken(observed: Observed, reason: str) -> str:
    for address, name in observed.names.items():
        reason = reason.replace(address, name)
    return reason
