"""A member of a group: whom it takes to be in which state, whom it watches and by whom it is watched, and what it has
told its application."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.seen.run import NodeSeen
from shaketable.node.config import CORE, INFERRED
from shaketable.node.messages import Address, Member
from shaketable.tui.model.folds import membership as m
from shaketable.tui.model.folds.link_ends import SILENT
from shaketable.tui.model.folds.membership import Notice, Silence
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.family import is_group, told
from shaketable.tui.model.standing.group_standing import GroupStanding, group_standings
from shaketable.tui.model.standing.standing import called
from shaketable.tui.natural import naturally
from shaketable.tui.panels.group_columns import FEW, SIGNS
from shaketable.tui.text import Line, Span, cell, head, line

GONE: Final = 5
"""of those that have failed or left, the last few"""
NOTICES: Final = 8
UUID: Final = 4
"""letters of it"""
_STATES: Final = {m.READY: "good", m.ALIVE: "plain", m.FAILED: "bad", m.LEFT: "dim"}


class Pane:
    """One member, as the sections of its pane tell of it."""

    def __init__(self, session: Session, node: NodeSeen) -> None:
        self._session = session
        self._picture = session.picture()
        self._all = group_standings(session) if is_group(session.facts) else {}
        self._node = node
        self._of = self._all.get(node.name)

    def astray(self) -> Sequence[Line]:
        """What is not as it should be, or goes on: above all else."""
        if self._of is None or not self._node.running:
            return ()
        of, lines = self._of.of, list[Line]()
        if of.asks_again is not None:
            master, reason = of.asks_again
            whom = called(self._picture.observed, master) if master is not None else "anybody"
            lines.append(line(Span(f" ○ asks {whom} to be added again: {self._spoken(reason)}", "moving")))
        if of.lacks is not None:
            lines.append(
                line(Span(f" ≠ lacks notifications {of.lacks[0] + 1} to {of.lacks[1]}, and asks again", "warn"))
            )
        if of.expected is not None:
            names = " ".join(self._names(of.expected)) or "nobody"
            lines.append(line(Span(" ○ a whole group starts  ", "moving"), Span(f"expected: {names}", "dim")))
        if of.leads_from is not None:
            since, why = of.leads_from
            lines.append(
                line(Span(" ◆ ", "master"), Span(f"leads from notification {since} on: {self._spoken(why)}", "dim"))
            )
        return lines

    def heartbeats(self) -> Sequence[Line]:
        group, node = self._of, self._node
        if group is None or not node.running:
            return ()
        watching = group.watching
        if not (watching.to or watching.watches or watching.watched_by):
            return ()
        policy = told(self._session.facts, "gms_detection")
        return [
            head("heartbeats", policy + self._counted()),
            line(
                *self._to_whom("   → ", watching.to),
                *self._to_whom("   ← ", watching.watches),
                *self._to_whom("   watched by ", watching.watched_by, "warn" if group.many else "dim"),
            ),
            *map(self._silence, group.silent),
            *self._unheard(group),
        ]

    def _to_whom(self, what: str, names: Sequence[str], nobody: str = "dim") -> Line:
        assert self._of is not None
        everybody = len(names) > FEW and len(names) == self._of.many
        said = f"all {len(names)} others" if everybody else " ".join(names)
        return line(Span(what, "dim"), Span(said or "nobody", "name" if said else nobody))

    def _counted(self) -> str:
        counted = self._of.of.counted if self._of is not None else None
        if counted is None:
            return ""
        infers = told(self._session.facts, "gms_detection") == INFERRED
        spared = f" and {counted.spared} spared" if infers else ""
        return f": {counted.sent} sent{spared} in {counted.periods} period{'s' * (counted.periods != 1)}"

    def _silence(self, silence: Silence) -> Line:
        observed = self._picture.observed
        name, to = called(observed, silence.member), silence.reported_to
        since = f" since {rounded(silence.since - silence.silent_for)}" if silence.silent_for is not None else ""
        reported = f", reported to {called(observed, to)}" if to is not None else ""
        return line(
            Span("   ! ", "warn"),
            Span(f"{name} is silent{since}", "warn"),
            Span(f"{reported}; probe failed {rounded(silence.since)}", "dim"),
        )

    def _unheard(self, group: GroupStanding) -> Sequence[Line]:
        """Those that it watches and from whom nothing comes, though no probe has failed yet: a real link says so."""
        told_of = {each.member.address: True for each in group.silent}
        hears = self._picture.extra(self._node.name).hears
        lines: list[Line] = []
        for address in self._node.group.watched:
            end = hears.get(address)
            if end is not None and end.state == SILENT and address not in told_of:
                name = self._picture.observed.names.get(address, address)
                lines.append(line(Span("   ○ ", "warn"), Span(f"gets nothing from {name} since {rounded(end.since)}")))
        return lines

    def members(self) -> Sequence[Line]:
        group, node = self._of, self._node
        if group is None or not node.running or not node.joined:
            return ()
        view = m.view_of(node, group.of)
        if not view:
            return ()
        lines: list[Line] = [head("members", "the master first; → sends to, ← watches")]
        names = {uuid: called(self._picture.observed, member) for uuid, member in view.items()}
        wide = max(map(len, names.values()))
        for number, (uuid, member) in enumerate(view.items(), 1):
            lines.append(
                line(
                    Span(f" {number:>3} ", "dim"),
                    cell(names[uuid], wide, "name", f"node:{names[uuid].partition('#')[0]}"),
                    Span(f"  {uuid[:UUID]} ", "dim"),
                    *self._arrows(member),
                    Span(" "),
                    *self._its_view(member),
                    Span(" "),
                    *self._thought_of(group, view, member),
                )
            )
        return [*lines, *(self._over(stay) for stay in m.gone(group.of, view)[:GONE])]

    def _arrows(self, member: Member) -> Line:
        seen = self._node.group
        to, watched = member.address in seen.to, member.address in seen.watched
        return line(Span("→" if to else " ", "good"), Span("←" if watched else " ", "good"))

    def _its_view(self, member: Member) -> Line:
        """Which view the member has itself, beside this one."""
        other, node = self._picture.observed.is_current(member), self._node
        if other is None:
            return line(cell("gone", 7, "bad"))
        if not other.joined or self._all[other.name].of.asks_again is not None:
            return line(cell("no view", 7, "moving"))
        same = (other.version, other.author, other.members) == (node.version, node.author, node.members)
        return line(cell(f"v{other.version}" if same else f"v{other.version} ≠", 7, "dim" if same else "warn"))

    def _thought_of(self, group: GroupStanding, view: m.View, member: Member) -> Line:
        node = self._node
        state = m.believed(node, group.of, view, member.uuid)
        parts = [] if state == m.IN_DOUBT else [cell(state, 5, _STATES.get(state, "plain"))]
        other = self._picture.observed.is_current(member)
        kind = self._all[other.name].kind if other is not None else CORE
        if kind != CORE:
            parts.append(Span(f"  {kind}", "dim"))
        if member.uuid == node.incarnation:
            parts.append(Span("  itself", "dim"))
        if node.master == member:
            parts.append(Span(("  " if parts else "") + "◆ its master", "master"))
        if state == m.IN_DOUBT:
            parts.append(Span(("  " if parts else "") + self._doubt(member), "warn"))
        return tuple(parts)

    def _doubt(self, member: Member) -> str:
        why = self._node.suspected.get(member.uuid)
        if why is None:
            return "! in doubt"
        heard = f", last heard {rounded(why.since - why.silence)}" if why.silence is not None else ""
        return f"! in doubt since {rounded(why.since)}{heard}, {self._spoken(why.reason)}"

    def _over(self, stay: m.Stay) -> Line:
        sign, role = ("✗", "warn") if stay.state == m.FAILED else ("–", "dim")
        name = called(self._picture.observed, stay.member)
        return line(Span(f"   {sign} ", role), Span(name, "dim"), Span(f"  {stay.state} {rounded(stay.since)}", "dim"))

    def notifications(self) -> Sequence[Line]:
        """To its application: the last of them, in their order."""
        group = self._of
        if group is None or not group.of.told:
            return ()
        of = group.of
        taken = ""
        if of.taken is not None:
            by = self._picture.observed.node_of.get(of.taken[1], of.taken[1][:UUID])
            taken = f"taken up to {of.taken[0]} of {by}, "
        shown = list(of.notices)[-NOTICES:]
        return [
            head("notifications", f"{taken}{of.told} told"),
            *map(self._notice, shown),
        ]

    def _notice(self, notice: Notice) -> Line:
        event, target = notice.event, f"event:{notice.place}"
        sign, role = SIGNS.get(event.signal, ("·", "plain"))
        of = f"{event.version:>4} " if event.version else "     "
        how = "  with the whole group" if event.whole_group else ""
        how += "  a rejoin" if event.rejoin is not None else ""
        return line(
            Span(f" {rounded(notice.time).removesuffix(' s'):>8} ", "dim", target),
            Span(f"{sign} ", role, target),
            Span(of, "dim", target),
            Span(f"{event.signal} of {called(self._picture.observed, event.peer)}", "plain", target),
            Span(how, "dim", target),
        )

    def _names(self, addresses: Sequence[Address]) -> list[str]:
        names = self._picture.observed.names
        return sorted((names.get(each, each) for each in addresses), key=naturally)

    def _spoken(self, text: str) -> str:
        """With names in the place of addresses."""
        return self._session.store.names.spoken(text)
