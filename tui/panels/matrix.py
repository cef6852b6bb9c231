"""Every ordered pair of nodes: what is done to the link, and whether that is what its ends say.

The more room there is the more is said: one sign for each of fifty nodes, words for each of five."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from shaketable.node.core.env import MILLISECOND
from shaketable.tui.model.folds.heartbeats import is_watched, watching
from shaketable.tui.model.folds.link_ends import UP
from shaketable.tui.model.folds.picture import Picture
from shaketable.tui.model.history.memo import MadeOf, Slot
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing import links as m
from shaketable.tui.model.standing.family import is_group
from shaketable.tui.model.standing.links import Links, LinkStanding
from shaketable.tui.model.standing.standing import Standing, standings_of
from shaketable.tui.panels.cluster import symbol_of
from shaketable.tui.panels.labels import labels
from shaketable.tui.panels.nothing import A_NODE, nothing
from shaketable.tui.text import Line, Span, cell, fitted, line, width_of

HEAD: Final = 3
"""lines that do not scroll"""
WORDS: Final = 9
"""from this width of a cell on it says what it means in words"""
WIDEST: Final = 13
LEGEND: Final = 2
"""lines, at most"""
LONGEST: Final = 12
"""of a name"""
MARKED: Final = "✓"
CORNER: Final = "from↓ to→"
"""whole, or its first word: there is always room for that"""


class Case(NamedTuple):
    symbol: str
    role: str
    words: str
    few: str


CASES: Final[Mapping[str, Case]] = {
    m.SOUND: Case("·", "good", "sound", "sound"),
    m.AS_ASKED: Case("✗", "fault", "as asked", "asked"),
    m.UNASKED: Case("!", "bad", "broken, nobody asked", "unasked"),
    m.STILL_FLOWS: Case("?", "warn", "asked, still flows", "no effect"),
    m.QUIET: Case("○", "warn", "no heartbeats", "quiet"),
    m.TURNING: Case("…", "moving", "turning", "turning"),
    m.NOT_IN_USE: Case("–", "dim", "not in use", "unused"),
    m.UNTOLD: Case(" ", "dim", "not told yet", "untold"),
}
DONE: Final[Mapping[str, str]] = {words: sign.symbol for words, sign in m.SIGNS.items()}
BEATS: Final[Mapping[bool, tuple[str, str, str]]] = {
    True: ("→", "good", "beats"),
    False: ("→?", "warn", "beats"),
}
"""of a group: a member's heartbeats go over a sound link, and whether they are looked for there"""
ALWAYS: Final = (m.SOUND, m.AS_ASKED, m.UNASKED, m.STILL_FLOWS)


class Layout(NamedTuple):
    head: int
    """how wide the names of the rows are"""
    cell: int
    columns: Sequence[str]
    """those that there is room for"""


_LAST: Final = Slot(MadeOf[Sequence[Line]])


def matrix(session: Session, width: int, height: int) -> Sequence[Line]:
    picture, view = session.picture(), m.links(session)
    names = view.names
    if len(names) < 2:
        return nothing(session, "no link yet: there are fewer than two nodes", A_NODE, width)
    chosen = m.chosen_link(session)
    key = (chosen, session.chosen.node, tuple(session.chosen.links), width, height)
    return session.memo[_LAST].get(view, key, lambda: _drawn(session, picture, view, chosen, width, height))


def matrix_title(session: Session) -> str:
    many, mark = len(session.chosen.links), session.keys.get("mark", "m")
    if not many:
        return "Links"
    those = "these links" if many > 1 else "this link"
    return f"Links: {many} marked {MARKED}, {session.keys.get('break', 'b')} breaks {those}, {mark} marks more"


def _drawn(
    session: Session, picture: Picture, view: Links, chosen: tuple[str, str] | None, width: int, height: int
) -> Sequence[Line]:
    names = view.names
    nodes = {each.name: each for each in standings_of(session)}
    layout = _laid_out(names, chosen[1] if chosen else "", width)
    table = {a: {b: view.of(a, b) for b in names if b != a} for a in names}
    counts = Counter(each.case for row in table.values() for each in row.values())
    watches = watching(picture.observed) if is_group(session.facts) else {}
    beats = {pair: is_watched(watches, *pair) for pair in ((a, b) for a in table for b in table[a])} if watches else {}
    done = Counter(each.done for row in table.values() for each in row.values() if each.done)
    many = sum(each is not None for each in beats.values()) if watches else None
    lines: list[Line] = [fitted(_summary(counts, width, many), width), *_heads(layout, names, chosen)]
    airy = layout.cell >= WORDS and HEAD + 2 * len(names) + LEGEND <= height
    for name in names:
        cells: list[Span] = []
        for other in layout.columns:
            own = name == other
            if own:
                cells.append(_diagonal(layout.cell))
                continue
            of, watched = table[name][other], beats.get((name, other))
            if (name, other) in session.chosen.links:
                cells.append(_marked(picture, of, layout.cell))
            elif of.case in (m.SOUND, m.UNTOLD) and watched is not None and chosen != (name, other):
                cells += _beats(of, watched, layout.cell)
            else:
                cells += _cell(picture, of, layout.cell, chosen, beats=watched is not None)
        lines.append((*_row_head(nodes[name], layout, chosen, session.chosen.node), *cells))
        if airy:
            lines.append(line())
    lines += [*([] if airy else [line()]), *_legend(done, width, LEGEND if airy else 1, bool(watches))]
    return [fitted(each, width) if width_of(each) > width else each for each in lines]


def link_here(session: Session) -> str:
    chosen = m.chosen_link(session)
    return f"link:{chosen[0]}->{chosen[1]}" if chosen else ""


def sign(of: LinkStanding) -> tuple[str, str]:
    """In one character: what is not as it should be goes before what was done."""
    symbol, role = CASES[of.case][:2]
    return (DONE[of.done] if of.case == m.AS_ASKED and of.done else symbol), role


# Parts


def _laid_out(names: Sequence[str], wanted: str, width: int) -> Layout:
    head = 4 + min(LONGEST, max(map(len, names))) + 1
    room = max(1, width - head)
    wide = min(WIDEST, max(1, room // len(names)))
    if 3 < wide < WORDS:
        wide = min(wide, 4)  # signs far from each other are hard to read
    many = min(len(names), room // wide)
    at = names.index(wanted) if wanted in names else 0
    first = max(0, min(at - many + 2, len(names) - many))
    return Layout(head, wide, names[first : first + many])


def _summary(counts: Counter[str], width: int, beats: int | None = None) -> Line:
    """And legend: with as many words as there is room for. `beats`: of a group, over how many heartbeats go."""
    seen = [case for case in CASES if case in ALWAYS or counts[case]]
    forms = [
        [(case, CASES[case].words) for case in seen],
        [(case, CASES[case].few) for case in seen],
        [(case, CASES[case].few) for case in seen if counts[case]],  # they add up to all links
        [(case, CASES[case].few) for case in ALWAYS],
    ]
    lines = [_counted(counts, form) for form in forms]
    if beats is not None:
        said = (Span(f" → {beats} ", "good"), Span("with heartbeats ", "dim"))
        lines = [*((*each, *said) for each in lines), *lines]
    return next((each for each in lines if width_of(each) <= width), lines[-1])


def _counted(counts: Counter[str], cases: Sequence[tuple[str, str]]) -> Line:
    spans: list[Span] = []
    for case, words in cases:
        role = CASES[case].role if counts[case] else "dim"
        spans += [Span(f" {CASES[case].symbol} {counts[case]} ", role), Span(f"{words} ", "dim")]
    return tuple(spans)


def _heads(layout: Layout, names: Sequence[str], chosen: tuple[str, str] | None) -> list[Line]:
    longest = max(map(len, names))
    hidden = len(names) - len(layout.columns)
    corner = CORNER if len(CORNER) < layout.head else CORNER.split()[0]
    if layout.cell > longest:
        upper = line(Span(f" {hidden} columns more: choose a link there" if hidden else "", "dim"))
        cells = [cell(name, layout.cell, _head_role(name, chosen), f"node:{name}") for name in layout.columns]
        return [upper, line(cell(f" {corner}", layout.head, "dim"), *cells)]
    label_of = dict(zip(names, labels(names), strict=True))
    return [
        line(
            cell(title, layout.head, "dim"),
            *(
                cell(label_of[name][row], layout.cell, _head_role(name, chosen), f"node:{name}")
                for name in layout.columns
            ),
        )
        for row, title in enumerate((f" +{hidden} hidden" if hidden else "", f" {corner}"))
    ]


def _head_role(name: str, chosen: tuple[str, str] | None) -> str:
    return "key" if chosen and name == chosen[1] else "name"


def _row_head(of: Standing, layout: Layout, chosen: tuple[str, str] | None, node: str) -> Line:
    symbol, role = symbol_of(of)
    here = of.name == (chosen[0] if chosen else node)
    target = f"node:{of.name}"
    return line(
        Span("▸ " if here else "  ", "key", target),
        Span(f"{symbol} ", role, target),
        cell(of.name, layout.head - 4, "name" if of.node.running else "dim", target),
    )


def _diagonal(wide: int) -> Span:
    return cell("╲", wide, "dim")


def _cell(
    picture: Picture, of: LinkStanding, wide: int, chosen: tuple[str, str] | None, *, beats: bool
) -> tuple[Span, ...]:
    symbol, role = sign(of)
    if wide >= WORDS:
        mark = DONE[of.done] if of.done and of.case == m.STILL_FLOWS else ""
        text = f"{mark}{symbol} {_words(picture, of)}{'+' if of.several and of.case == m.AS_ASKED else ''}"
        text += " →" if beats else ""
    elif wide > 1 and of.done and of.case in (m.AS_ASKED, m.STILL_FLOWS):
        after = "?" if of.case == m.STILL_FLOWS else "+" if of.several else ""
        text = DONE[of.done] + after
    else:
        text = symbol
    if chosen == (of.sender, of.receiver):
        role = "mark"
        text = text[: wide - 1] if wide > 1 else text
    target = f"link:{of.sender}->{of.receiver}"
    if of.case == m.SOUND and role != "mark" and wide >= WORDS:
        return Span(f"{symbol} ", role, target), cell("flows", wide - 2, "dim", target)
    return (cell(text, wide, role, target),)


def _marked(picture: Picture, of: LinkStanding, wide: int) -> Span:
    """For the next deed; its own sign stands behind the mark, where there is room."""
    said = "".join(span.text for span in _cell(picture, of, wide - 1, None, beats=False)) if wide > 1 else ""
    return cell(f"{MARKED}{said}", wide, "mark", f"link:{of.sender}->{of.receiver}")


def _beats(of: LinkStanding, watched: bool, wide: int) -> tuple[Span, ...]:
    symbol, role, words = BEATS[watched]
    target = f"link:{of.sender}->{of.receiver}"
    if wide >= WORDS:
        return Span(f"{symbol} ", role, target), cell(words, wide - len(symbol) - 1, "dim", target)
    return (cell(symbol[:wide], wide, role, target),)


def _words(picture: Picture, of: LinkStanding) -> str:
    match of.case:
        case m.SOUND:
            return "flows"
        case m.STILL_FLOWS:
            return "flows"
        case m.UNASKED:
            return "silent" if of.sends is None or of.sends.state == UP else "down"
        case m.NOT_IN_USE:
            return "hung up" if of.hung_up else ""
        case m.QUIET:
            return "unheard"
        case m.TURNING | m.UNTOLD:
            return ""
    worst = next(fault for fault in of.faults if m.kind_of(fault) == of.done)
    told = picture.faults.get(worst.number)
    values = dict(told.values) if told is not None else {}
    if of.done == m.SLOW and "latency" in values:
        return f"{values['latency'] / MILLISECOND:g} ms"
    if of.done == m.THIN and "rate" in values:
        return rate(values["rate"])
    return worst.act.few or of.done


def rate(bytes_a_second: int) -> str:
    return f"{bytes_a_second / 1000:g} kB/s" if bytes_a_second > 999 else f"{bytes_a_second} bytes/s"


def _legend(done: Counter[str], width: int, most: int, of_a_group: bool) -> list[Line]:
    """What the signs of what is done mean: all of them where there is room, else those that are seen."""
    every = _wrapped(_signs([kind for kind in m.WORST if of_a_group or kind != m.DATAGRAMS]), width)
    return every if len(every) <= most else _wrapped(_signs([kind for kind in m.WORST if done[kind]]), width)[:LEGEND]


def _wrapped(parts: Sequence[Line], width: int) -> list[Line]:
    lines: list[Line] = []
    for each in parts:
        if lines and width_of(lines[-1]) + width_of(each) <= width:
            lines[-1] += each
        else:
            lines.append(each)
    return lines


def _signs(kinds: Sequence[str]) -> list[Line]:
    signs = [line(Span(f" {DONE[kind]} ", "fault"), Span(f"{kind} ", "dim")) for kind in kinds]
    return [*signs, line(Span(" + ", "fault"), Span("more", "dim"))] if signs else []
