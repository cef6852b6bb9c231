"""The chosen link, both ways: the faults on it, what each end says, since when. Below it, what else is not sound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.seen.run import FaultSeen
from shaketable.node.core.env import Micros
from shaketable.tui.model.folds.heartbeats import Watching, is_watched, watching
from shaketable.tui.model.folds.link_ends import End
from shaketable.tui.model.folds.picture import Picture
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing import links as m
from shaketable.tui.model.standing.family import is_group
from shaketable.tui.model.standing.links import Links, LinkStanding
from shaketable.tui.panels.matrix import BEATS, CASES, sign
from shaketable.tui.panels.nothing import A_NODE, nothing
from shaketable.tui.text import Line, Span, fitted, head, line, width_of

BESIDE: Final = 96
"""from this width on the two directions stand beside each other"""
MOST: Final = 200
"""links that are listed"""
LATE: Final = 5
"""the last few faults that took no effect are told"""
SHOWN: Final = (m.UNASKED, m.STILL_FLOWS, m.QUIET, m.TURNING, m.AS_ASKED)
"""what is not sound, what matters most first"""


def flows(session: Session, width: int, height: int) -> Sequence[Line]:
    picture, view = session.picture(), m.links(session)
    if len(view.names) < 2:
        return nothing(session, "no link yet", A_NODE, width)
    here = m.chosen_link(session)
    at = m.now(session)
    lines: list[Line] = []
    told: tuple[FaultSeen, ...] = ()
    if here is not None:
        there = (here[1], here[0])
        half = (width - 2) // 2 if width >= BESIDE else width
        this, back = view.of(*here), view.of(*there)
        beside = width >= BESIDE
        watches = watching(picture.observed) if is_group(session.facts) else None
        one = _link(picture, this, at, (), half, watches)
        other = _link(picture, back, at, () if beside else this.faults, half, watches)
        lines += _beside(one, other, half) if beside else [*one, *other]
        lines += _dropped(picture, here)
        told = (*this.faults, *back.faults)
    else:
        lines.append(line(Span(" choose a link: by a click, or with shift and the arrows", "dim")))
    lines += _faults(picture, at, told, width)
    lines += _others(view, here, width)
    return [fitted(each, width) if width_of(each) > width else each for each in lines]


def flows_title(session: Session) -> str:
    here = m.chosen_link(session)
    return f"Link {here[0]} → {here[1]}" if here else "Faults, and links that are not sound"


def _beside(one: list[Line], other: list[Line], half: int) -> list[Line]:
    longest = max(len(one), len(other))
    return [
        (*fitted((left), half), Span("  "), *right)
        for left, right in zip(_padded(one, longest), _padded(other, longest), strict=True)
    ]


def _padded(lines: list[Line], many: int) -> list[Line]:
    return [*lines, *[line(Span(" "))] * (many - len(lines))]


# One direction


def _link(
    picture: Picture,
    of: LinkStanding,
    at: Micros,
    told: Sequence[FaultSeen],
    width: int,
    watches: Mapping[str, Watching] | None,
) -> list[Line]:
    """Of the faults that are told elsewhere no more than what they are. `watches`: who watches whom, in a group."""
    symbol, role = sign(of)
    words = CASES[of.case].words
    pair = f"link:{of.sender}->{of.receiver}"
    done = f"{of.done}, " if of.done and of.case in (m.AS_ASKED, m.STILL_FLOWS) else ""
    lines = [
        line(
            Span(f" {of.sender} → {of.receiver}  ", "title", pair),
            Span(f"{symbol} ", role, pair),
            Span(done + words + (f": {of.why}" if of.case == m.NOT_IN_USE else ""), role, pair),
        ),
    ]
    for name, does, end, unsaid in (
        (of.sender, "sends", of.sends, "no connection yet"),
        (of.receiver, "hears", of.hears, "it has not said anything"),
    ):
        # In a group nobody listens to a link as such; only a real one is told whether anything comes.
        if picture.observed.nodes[name].running and (end is not None or watches is None):
            lines.append(_end_line(f"{name} {does}", end, at, unsaid))
    if watches is not None:
        lines += _heartbeats(picture, of, at, watches)
    if of.silence is not None and of.silence.silence is not None:
        doubts = "suspects it" if watches is None else "has it in doubt"
        silent = f"nothing for {rounded(of.silence.silence)}, {doubts} since {_ago(of.silence.since, at)}"
        lines.append(line(Span("   ! ", "warn"), Span(silent)))
    for fault in of.faults:
        lines += _fault(picture, fault, at, width)[: 1 if fault in told else None]
    if not of.faults:
        lines.append(line(Span("   nothing is done to it", "dim")))
    return lines


def _heartbeats(picture: Picture, of: LinkStanding, at: Micros, watches: Mapping[str, Watching]) -> list[Line]:
    """A watcher of the sender hears its heartbeats, or misses them."""
    watched = is_watched(watches, of.sender, of.receiver)
    if watched is None:
        lines = [line(Span("   ○ ", "dim"), Span(f"no heartbeats of {of.sender} go there", "dim"))]
    else:
        sign, role, _ = BEATS[watched]
        does = "watches it" if watched else "does not watch it"
        lines = [
            line(Span(f"   {sign} ", role), Span(f"heartbeats of {of.sender} go there: {of.receiver} {does}", "dim"))
        ]
    silence = picture.extra(of.receiver).membership.silences.get(picture.observed.nodes[of.sender].incarnation)
    if of.silence is None and silence is not None and silence.silent_for is not None:
        lines.append(
            line(
                Span("   ! ", "warn"),
                Span(f"silent for {rounded(silence.silent_for)} when a probe failed, {_ago(silence.since, at)}"),
            )
        )
    return lines


_ENDS: Final = {"up": ("●", "good"), "heard": ("●", "good"), "closed": ("–", "dim")}


def _end_line(who: str, end: End | None, at: Micros, unsaid: str) -> Line:
    if end is None:
        return line(Span("   ○ ", "dim"), Span(f"{who}: ", "dim"), Span(unsaid, "dim"))
    symbol, role = _ENDS.get(end.state, ("✗", "bad"))
    said = {"closed": "hung up", "heard": "yes", "silent": "nothing"}.get(end.state, end.state)
    return line(
        Span(f"   {symbol} ", role),
        Span(f"{who}: ", "dim"),
        Span(said, role if role != "good" else "plain"),
        Span(f" since {_ago(end.since, at)}", "dim"),
    )


def _ago(since: Micros, at: Micros) -> str:
    return f"{rounded(since)}, {(at - since) / 1_000_000:.1f} s ago" if at >= since else rounded(since)


def _dropped(picture: Picture, pair: Iterable[str]) -> list[Line]:
    """A node does not know from whom a frame was that is of no use."""
    lines: list[Line] = []
    for name in pair:
        extra = picture.extras.get(name)
        for reason, count in (extra.dropped if extra is not None else {}).items():
            lines.append(line(Span(f"   {name} has dropped ", "dim"), Span(f"{count} frames", "warn"), f": {reason}"))
    return lines


# Faults


def _fault(picture: Picture, fault: FaultSeen, at: Micros, width: int) -> list[Line]:
    """What, with which number, how, since when; and the receipt below it."""
    target, told = f"fault:{fault.number}", picture.faults.get(fault.number)
    symbol = fault.act.sign.symbol
    on = _on(fault)
    detail = f"  {told.detail}" if told is not None and told.detail else ""
    lines = [
        line(
            Span(f"   {symbol} ", "fault", target),
            Span(f"{fault.verb}", "fault", target),
            Span(detail, "plain", target),
            Span(f"  fault {fault.number}", "dim", target),
            Span(f"  {on}" if on else "", "dim", target),
        )
    ]
    if fault.missed:
        lines.append(line(Span("     ? it took no effect: ", "warn", target), Span(fault.without_effect, "", target)))
        lines[-1] = tuple(span._replace(role=span.role or "plain") for span in lines[-1])
    if fault.took_at is not None:
        since, how = f"     since {_ago(fault.took_at, at)}", told.how if told is not None else ""
        if len(since) + len(how) + 2 <= width:
            lines.append(line(Span(f"{since}: {how}" if how else since, "dim", target)))
        else:
            lines += [line(Span(since, "dim", target)), line(Span(f"     {how}", "dim", target))]
    elif not fault.missed and told is not None:
        lines.append(line(Span(f"     … asked {_ago(told.asked, at)}, no receipt yet", "moving", target)))
    if told is not None and told.end_asked is not None and fault.ended_at is None and not fault.missed:
        lines.append(line(Span(f"     … to end since {_ago(told.end_asked, at)}", "moving", target)))
    return lines


def _on(fault: FaultSeen) -> str:
    """A cut of a pair is on both its links, a split on many, a load on none: it is the whole machine's."""
    if fault.nodes:
        return f"of {' '.join(fault.nodes)}"
    if not fault.links:
        return ""
    pairs = [m.ends_of(each) for each in fault.links]
    if len(pairs) == 1:
        return f"{pairs[0][0]} → {pairs[0][1]}"
    if len(pairs) == 2 and pairs[0] == pairs[1][::-1]:
        return f"{pairs[0][0]} ↔ {pairs[0][1]}"
    return f"{len(pairs)} links"


def _faults(picture: Picture, at: Micros, told: Sequence[FaultSeen], width: int) -> list[Line]:
    """But for those that are told already."""
    faults = picture.observed.faults.values()
    lasting = [fault for fault in faults if fault.lasts and fault.ended_at is None]
    active = [fault for fault in lasting if fault.took_at is not None or not fault.missed]
    others = [fault for fault in active if fault not in told]
    failed = [fault for fault in faults if fault.missed and not fault.active and fault not in told][-LATE:]
    lines: list[Line] = [head(f"{'other ' if told else ''}faults that are on", str(len(others)) if others else "none")]
    for fault in others:
        lines += _fault(picture, fault, at, width)
    if failed:
        lines.append(head("faults without effect", "the last of them"))
        for fault in failed:
            lines += _fault(picture, fault, at, width)
    return lines


def _others(view: Links, here: tuple[str, str] | None, width: int) -> list[Line]:
    """The links that are not sound, by how surprising that is; those of one kind share a line."""
    found: dict[tuple[str, str], list[LinkStanding]] = {}
    for each in view.all():
        if each.case in SHOWN:
            found.setdefault((each.case, each.done), []).append(each)
    lines: list[Line] = [head("links that are not sound", "" if found else "none")]
    for case, done in sorted(found, key=lambda key: SHOWN.index(key[0])):
        all_of = found[case, done]
        symbol, role = sign(all_of[0])
        words = {m.AS_ASKED: done, m.STILL_FLOWS: f"{done}: asked, still flows"}.get(case, CASES[case].words)
        lines.append(line(Span(f"   {symbol} ", role), Span(words, role), Span(f"  {len(all_of)}", "dim")))
        lines += _flowing([_pair(each, here) for each in all_of[:MOST]], width)
    return lines


def _pair(of: LinkStanding, here: tuple[str, str] | None) -> Span:
    role = "key" if here == (of.sender, of.receiver) else "plain"
    return Span(f"{of.sender}→{of.receiver}", role, f"link:{of.sender}->{of.receiver}")


def _flowing(spans: Sequence[Span], width: int) -> list[Line]:
    """As many in a line as fit."""
    lines: list[Line] = []
    row: list[Span] = [Span("     ")]
    for span in spans:
        if len(row) > 1 and width_of(row) + len(span.text) + 2 > width:
            lines.append(tuple(row))
            row = [Span("     ")]
        row += [span, Span("  ")]
    if len(row) > 1:
        lines.append(tuple(row))
    return lines
