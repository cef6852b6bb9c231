"""The chosen guarantee: its rule, what was looked at, and of each violation the events that prove it.

A row of the proof goes to its event, so that every screen shows what was believed just then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from shaketable.harness.checks.shared.deciding import as_given, following
from shaketable.harness.checks.told import rests_on
from shaketable.harness.history.words.cluster import rounded
from shaketable.tui.model.history.proofs import Broken
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing import guarantees as g
from shaketable.tui.model.standing.guarantees import Guarantee
from shaketable.tui.panels.guarantees import SIGNS, chosen_check, state_words
from shaketable.tui.panels.prose import clipped, led, wrapped
from shaketable.tui.text import Line, Span, cell, head, line

NOT_HERE: Final = "not in this history"
"""it is lost, or of a live run still to come"""


def at_cursor(session: Session) -> str:
    return f"event:{session.cursor - 1}" if session.cursor else ""


def proof_title(session: Session) -> str:
    name = chosen_check(session)
    return f"{name[:1].upper()}{name[1:]}"


def proof(session: Session, width: int, height: int) -> Sequence[Line]:
    of = next((each for each in g.guarantees(session) if each.name == chosen_check(session)), None)
    if of is None:
        return clipped([line(Span(" there is no such guarantee", "dim"))], width)
    sign, role = SIGNS[of.state]
    lines = [line(Span(f"   {sign} ", role), Span(state_words(session, of), role)), *_subject(session, of, width)]
    lines += _settings(of, width)
    for number, broken in enumerate(of.violations, 1):
        lines += [line(), *_violation(session, of, number, broken, width)]
    if of.result.more_violations:
        lines += [line(), *wrapped(f"and {of.result.more_violations} more, of the same kind", width, "dim")]
    lines += [line(), head("rule"), *wrapped(of.result.rule, width)]
    looked_at = "not judged" if of.state == g.UNTOLD else "looked at"
    lines += [line(), head(looked_at), *wrapped(of.result.looked_at or "nothing so far", width)]
    if of.result.pending:
        many = of.result.pending
        lines += wrapped(f"{many} more, for which the run ended too soon to judge", width, "dim")
    for note in (*of.result.notes, *rests_on(of.result)):
        lines += led(Span("·", "dim"), note, width, "warn" if of.state == g.UNKNOWN else "dim")
    return clipped(lines, width)


def _subject(session: Session, of: Guarantee, width: int) -> list[Line]:
    if of.state == g.UNTOLD and of.name in (*session.facts.expects, *session.facts.about):
        return wrapped("the script is about this", width, "dim")
    if of.name in session.facts.expects:
        return wrapped("the script expects it to be broken: it would fail if it were not", width, "dim")
    if of.name in session.facts.about:
        return wrapped("the script is about this: had nothing been seen, its verdict were unknown", width, "dim")
    return []


def _settings(of: Guarantee, width: int) -> list[Line]:
    """Those on which it depends; a warning where what is said of it follows from one."""
    said = dict.fromkeys(following(of.result), "warn")
    said |= {f"it depends on {as_given(each)}": "dim" for each in of.result.settings if not each.follows}
    return [each for sentence, role in said.items() for each in led(Span("·", role), sentence, width, role)]


def _violation(session: Session, of: Guarantee, number: int, broken: Broken, width: int) -> list[Line]:
    seen, many = broken.seen_from, len(of.violations)
    when = f"at {rounded(broken.time)}" if seen is not None else f"at {rounded(broken.time)}, {NOT_HERE}"
    title = f"violation {number} of {many}" if many > 1 else "violation"
    passed = seen is not None and seen <= session.cursor
    lines = [head(title, when), *led(Span("✗", "bad"), broken.violation.sentence, width, "bad" if passed else "warn")]
    wide = max(7, len(rounded(session.store.end)) - 2)
    for proof_, place in zip(broken.violation.proof, broken.places, strict=True):
        target = f"event:{place}" if place is not None else ""
        now = place is not None and place == session.cursor - 1
        time = rounded(proof_.time).removesuffix(" s")
        told = proof_.told if place is not None else f"{proof_.told} ({NOT_HERE})"
        said = wrapped(told, width, "plain" if place is None or place < session.cursor else "dim", target,
                       indent=wide + 4)  # fmt: skip
        first = (Span(" ▸ " if now else "   ", "key", target), cell(time, wide, "dim", target, right=True))
        lines.append((*first, Span(" ", "plain", target), *said[0][1:]))
        lines += said[1:]
    return lines
