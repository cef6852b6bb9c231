"""A mastership claim while it runs: whom the node has asked and what each has said; else what it said to others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from shaketable.harness.observed import NodeSeen, Observed
from shaketable.harness.recording.words import rounded
from shaketable.node.env import Micros
from shaketable.tui.model import claim as c
from shaketable.tui.model.claim import Asked, Claim, Said
from shaketable.tui.model.picture import Picture
from shaketable.tui.model.standing import called
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
    extra = picture.extra(node.name)
    found = extra.claim
    if not node.running:
        return ()
    if found is not None and node.claiming:
        return _running(picture.observed, found)
    if found is not None and found.finished is not None and picture.at - found.finished <= SHOWN_AFTERWARDS:
        return _finished(picture.observed, found)
    return [_said(picture.observed, said) for said in extra.said.values() if _matters(picture.observed, node, said)]


def _running(observed: Observed, found: Claim) -> Sequence[Line]:
    counts = [f"{len(of)} {answer}" for answer in SIGNS if (of := found.answers(answer))]
    lines = [
        line(
            Span(" ◇ claims the mastership", "moving"),
            Span(f"  of v{found.version} since {rounded(found.since)}: {', '.join(counts) or 'nobody to ask'}", "dim"),
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


def _finished(observed: Observed, found: Claim) -> Sequence[Line]:
    lines = [
        line(
            Span(f" ◆ its claim made v{found.final_version}", "moving"),
            Span(f"  in {rounded((found.finished or found.since) - found.since)}", "dim"),
        )
    ]
    lines.extend(
        line(Span("   – ", "dim"), Span(f"without {called(observed, member)}: {why}", "dim"))
        for member, why in found.left_out
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
