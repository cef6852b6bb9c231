"""A partial disconnection as its master knows it: who has reported whom, and how it decided who stays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.core.env import Micros
from shaketable.node.events import DisconnectionResolved
from shaketable.node.messages import Member
from shaketable.tui.model.folds.node_picture import Decision
from shaketable.tui.model.folds.picture import Picture
from shaketable.tui.model.standing.standing import called
from shaketable.tui.text import Line, Span, cell, head, line

SHOWN_AFTERWARDS: Final[Micros] = 2_000_000
"""how long a decision is still worth telling"""


def reports(picture: Picture, node: NodeSeen) -> Sequence[Line]:
    extra, observed = picture.extra(node.name), picture.observed
    lines: list[Line] = []
    if not node.running:
        return lines
    if node.reports:
        many = len(node.reports)
        newest = max(report.told for report in node.reports.values())
        waits = not extra.decisions or extra.decisions[-1].time < newest
        undecided = "; who stays is not decided yet" if waits else ""
        lines.append(head("partial disconnection", f"{many} report{'s' * (many != 1)}{undecided}"))
        names = [called(observed, report.by) for report in node.reports.values()]
        wide = max(map(len, names))
        for name, report in zip(names, node.reports.values(), strict=True):
            lines.append(
                line(
                    Span("   ! ", "warn"),
                    cell(name, wide, "name", f"node:{name.partition('#')[0]}"),
                    Span("  suspects ", "dim"),
                    Span(_named(observed, report.suspected), "warn"),
                    Span(f"  since {rounded(report.since)}", "dim"),
                )
            )
    if extra.decisions and picture.at - extra.decisions[-1].time <= SHOWN_AFTERWARDS:
        lines.append(_decided(observed, extra.decisions[-1]))
    return lines


def _decided(observed: Observed, decision: Decision) -> Line:
    event, target = decision.event, f"event:{decision.place}"
    when = Span(f"  {rounded(decision.time)}", "dim", target)
    if isinstance(event, DisconnectionResolved):
        stay = [member for member in event.members if member not in event.leave]
        return line(
            Span(" ◆ decided: ", "moving", target),
            Span(f"{_named(observed, stay)} stay{'s' * (len(stay) == 1)}, ", "plain", target),
            Span(f"{_named(observed, event.leave)} leave{'s' * (len(event.leave) == 1)}", "warn", target),
            when,
        )
    return line(Span(f" ○ nobody leaves: {event.reason or 'no answer in time'}", "warn", target), when)


def _named(observed: Observed, members: Iterable[Member]) -> str:
    return " ".join(called(observed, member) for member in members)
