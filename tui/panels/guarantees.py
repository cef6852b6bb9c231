"""Each guarantee where the cursor stands: it holds, it is broken and since when, or nothing was seen of it yet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from shaketable.harness.history.words.cluster import rounded
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing import guarantees as g
from shaketable.tui.model.standing.guarantees import Guarantee
from shaketable.tui.panels.columns import Column, head_line, laid_out, row_line
from shaketable.tui.panels.nothing import TIME, nothing
from shaketable.tui.panels.prose import clipped
from shaketable.tui.text import Line, Span, line

HEAD: Final = 2
"""lines that do not scroll"""
WORDS: Final = 66
"""from this width on it is said in words what was looked at"""
SIGNS: Final = {
    g.IS_BROKEN: ("✗", "bad"),
    g.NOT_BROKEN_YET: ("!", "warn"),
    g.HOLDS: ("✓", "good"),
    g.HOLDS_IN_THE_END: ("✓", "good"),
    g.NOTHING_SEEN: ("○", "dim"),
    g.NOTHING_TO_SEE: ("○", "dim"),
    g.UNKNOWN: ("?", "warn"),
    g.NOT_JUDGED: ("…", "dim"),
    g.UNTOLD: ("·", "dim"),
}


def in_order(session: Session) -> Sequence[Guarantee]:
    """Those broken anywhere in the run come first, else they stand as in every report: no row jumps as time goes by."""
    return sorted(g.guarantees(session), key=lambda each: not each.violations)


def chosen_check(session: Session) -> str:
    """The one whose proof is shown: the user's choice, else the one that is broken first, else the first of all."""
    if session.chosen.check:
        return session.chosen.check
    all_of = in_order(session)
    first = min(all_of, key=lambda each: min((v.seen_from or 0 for v in each.violations), default=math.inf))
    return first.name


def current_check(session: Session) -> str:
    return f"check:{chosen_check(session)}"


def guarantees(session: Session, width: int, height: int) -> Sequence[Line]:
    all_of = in_order(session)
    here = chosen_check(session)
    longest = max(len(each.name) for each in all_of)
    layout = laid_out(_columns(session, here, width, 4 + max(20, longest)), width)
    rows = [row_line(layout, each, width, f"check:{each.name}") for each in all_of]
    return clipped([_judged(session), head_line(layout, width), *rows], width)


def _judged(session: Session) -> Line:
    """How far they have been judged, and of a run that goes on: how much has come since."""
    if not session.judged:
        what = "… not judged yet" if session.live else "… this run was never judged"
        return nothing(session, what, TIME, 10_000)[0]
    unjudged = g.unjudged(session)
    if session.ended is not None or not session.live:
        lost = Span(f", {session.lost} of them are lost", "warn") if session.lost else Span("")
        return line(Span(f" judged: the whole run, {session.checked + session.lost} events", "dim"), lost)
    until = rounded(session.store.time_at(session.checked))
    since = Span(f", {unjudged} events since", "moving") if unjudged else Span("")
    return line(Span(f" ↻ judged up to {until}, {session.checked} events", "dim"), since)


def _columns(session: Session, here: str, width: int, names: int) -> list[Column[Guarantee]]:
    def name(each: Guarantee) -> Line:
        sign, role = SIGNS[each.state]
        return line(
            Span("▸ " if each.name == here else "  ", "key"),
            Span(f"{sign} ", role),
            Span(each.name, "title" if each.name in session.facts.about else "plain"),
        )

    def state(each: Guarantee) -> Line:
        return line(Span(state_words(session, each), SIGNS[each.state][1]))

    return [
        Column("    guarantee", name, min(22, names), names, 100),
        Column("at the cursor", state, 18 if session.facts.system.is_ours else 21, 34, 101),
        # The words begin with the number.
        Column("looked at", _looked_at, 24, 70, 80)
        if width >= WORDS
        else Column("looked at", _count, 9, 9, 80, right=True),
    ]


def state_words(session: Session, each: Guarantee) -> str:
    if each.state in (g.IS_BROKEN, g.NOT_BROKEN_YET):
        here = [v.time for v in each.violations if v.seen_from is not None]
        times = here or [v.time for v in each.violations]
        at = f" at {rounded(min(times))}" if times else ""
        said = "broken" if each.state == g.IS_BROKEN else "breaks"
        expected = ", as expected" if each.name in session.facts.expects else ""
        return f"{said}{at}{expected}"
    if each.state == g.HOLDS and session.live:
        return "holds so far"
    if each.state == g.UNTOLD:
        return f"not told by {session.facts.system.called}"
    return each.state


def _count(each: Guarantee) -> Line:
    return line(Span(str(each.result.count) if each.result.count else "–", "plain" if each.result.count else "dim"))


def _looked_at(each: Guarantee) -> Line:
    return line(Span(each.result.looked_at, "dim"))
