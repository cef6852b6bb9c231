"""A mastership claim while it runs: whom the node has asked and what each has said; else what it said to others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.harness.seen import claims as c
from shaketable.harness.seen.claims import Asked, ClaimSeen, Said
from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.core.env import Micros
from shaketable.node.events import ClaimFinished
from shaketable.tui.model.folds.picture import Picture
from shaketable.tui.model.standing.standing import called
from shaketable.tui.text import Line, Span, cell, line

SIGNS: Final = {
    c.WAITING: ("·", "moving"),
    c.ACCEPTED: ("✓", "good"),
    c.NOT_YET: ("↻", "warn"),
    c.REFUSED: ("✗", "bad"),
    c.SILENT: ("○", "warn"),
    c.SUSPECTED: ("!", "warn"),
}
SHOWN_AFTERWARDS: Final[Micros] = 1_000_000
"""how long its end is still worth telling"""


def claim(picture: Picture, node: NodeSeen) -> Sequence[Line]:
    observed, found = picture.observed, node.claims.last
    if not node.running:
        return ()
    if found is not None and found.runs:
        return _running(observed, found)
    if found is not None and found.finished is not None and picture.at - found.finished.time <= SHOWN_AFTERWARDS:
        return _finished(observed, found, found.finished)
    return [_said(observed, said) for said in node.claims.said.values() if _matters(observed, node, said)]


def _running(observed: Observed, found: ClaimSeen) -> Sequence[Line]:
    counts = [f"{len(of)} {answer}" for answer in SIGNS if (of := found.answers(answer))]
    of_what = f"of v{found.began.event.version} since {rounded(found.began.time)}"
    lines = [
        line(
            Span(" ◇ claims the mastership", "moving"),
            Span(f"  {of_what}: {', '.join(counts) or 'nobody to ask'}", "dim"),
        )
    ]
    names = {each.peer.uuid: called(observed, each.peer) for each in found.asked.values()}
    wide = max(map(len, names.values()), default=2)
    return [*lines, *(_asked(each, names[each.peer.uuid], wide) for each in found.asked.values())]


def _asked(each: Asked, name: str, wide: int) -> Line:
    sign, role = SIGNS.get(each.answer, ("·", "plain"))
    when = f"asked {rounded(each.asked)}" + (f", answered {rounded(each.answered)}" if each.answered else "")
    reason = f"  {each.reason}" if each.reason else ""
    return line(
        Span("   "),
        Span(f"{sign} ", role),
        cell(name, wide, "name", f"node:{name.partition('#')[0]}"),
        Span("  "),
        cell(each.answer, 9, role),
        Span(f"  {when}{reason}", "dim"),
    )


def _finished(observed: Observed, found: ClaimSeen, end: Record[ClaimFinished]) -> Sequence[Line]:
    lines = [
        line(
            Span(f" ◆ its claim made v{end.event.version}", "moving"),
            Span(f"  in {rounded(end.time - found.began.time)}", "dim"),
        )
    ]
    lines.extend(
        line(Span("   – ", "dim"), Span(f"without {called(observed, member)}: {why}", "dim"))
        for member, why in end.event.left_out
    )
    return lines


def _matters(observed: Observed, node: NodeSeen, said: Said) -> bool:
    """As long as that one goes on claiming."""
    candidate = observed.is_current(said.candidate)
    return candidate is not None and candidate.claiming and candidate is not node


def _said(observed: Observed, said: Said) -> Line:
    name, (sign, role) = called(observed, said.candidate), SIGNS[said.answer]
    words = {c.ACCEPTED: "accepted", c.NOT_YET: "not yet accepted", c.REFUSED: "refused"}[said.answer]
    return line(
        Span(f" {sign} ", role),
        Span(f"has {words} the claim of ", role),
        Span(name, "name", f"node:{name.partition('#')[0]}"),
        Span(f"  {rounded(said.time)}{f', {said.reason}' if said.reason else ''}", "dim"),
    )
