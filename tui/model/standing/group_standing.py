"""How each member of a group stands with the others: who has it in doubt, who was told that it has failed or left; and
whom it watches, and by whom it is watched.

Made once for a whole table, as the standings of a cluster are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from shaketable.harness.seen.run import NodeSeen
from shaketable.node.config import WATCHDOG
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.messages import Uuid
from shaketable.tui.model.folds import membership as m
from shaketable.tui.model.folds.heartbeats import Watching, watching
from shaketable.tui.model.folds.membership import Membership
from shaketable.tui.model.folds.picture import Picture
from shaketable.tui.model.history.memo import Itself, Remembered, Slot
from shaketable.tui.model.run_facts import RunFacts
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.family import kind_of
from shaketable.tui.natural import naturally


@dataclass(frozen=True, slots=True)
class GroupStanding:
    kind: str
    of: Membership
    state: str
    """as its application was told of itself: alive, or ready"""
    others: Mapping[str, tuple[str, ...]]
    """to whom of those that run it is in doubt, has failed or left, as the incarnation that it is or last was"""
    many: int
    """of them there are"""
    watching: Watching
    silent: tuple[m.Silence, ...]
    """whom it watches and hears no more"""

    def believed_by(self, state: str) -> tuple[str, ...]:
        return self.others.get(state, ())


_STANDINGS: Final = Slot(Remembered[Mapping[str, GroupStanding]])


def group_standings(session: Session) -> Mapping[str, GroupStanding]:
    """At the cursor, of all nodes by name; several panels of a frame ask."""
    picture = session.picture()
    made_of = (picture.count, Itself(picture.observed), session.facts)
    return session.memo[_STANDINGS].get("group", made_of, lambda: _made(picture, session.facts))


def _made(picture: Picture, facts: RunFacts) -> dict[str, GroupStanding]:
    observed, watches = picture.observed, watching(picture.observed)
    kinds = {name: kind_of(picture, facts, name) for name in observed.nodes}
    own = {name: picture.extra(name).membership for name in observed.nodes}
    members = [n for n in observed.nodes.values() if n.running and n.joined and kinds[n.name] != WATCHDOG]
    members.sort(key=lambda node: naturally(node.name))
    among = {node.name: True for node in members}
    by = {state: _by_whom(members, own, state) for state in (m.IN_DOUBT, *m.OVER)}
    renewed, at = renewed_within(facts), observed.time
    return {
        name: GroupStanding(
            kinds[name],
            own[name],
            own[name].stays[node.incarnation].state if node.incarnation in own[name].stays else m.ALIVE,
            {state: tuple(names[node.incarnation]) for state, names in by.items() if node.incarnation in names},
            len(members) - (name in among),
            watches[name],
            tuple(m.silent(own[name], at, renewed)) if node.running else (),
        )
        for name, node in observed.nodes.items()
    }


def _by_whom(members: Sequence[NodeSeen], own: Mapping[str, Membership], state: str) -> dict[Uuid, list[str]]:
    """Of each that is in this state to anybody: to whom."""
    found: dict[Uuid, list[str]] = {}
    for node in members:
        of = own[node.name]
        if not (node.suspected if state == m.IN_DOUBT else of.over):
            continue
        view = m.view_of(node, of)
        for uuid in node.suspected if state == m.IN_DOUBT else of.over:
            if m.believed(node, of, view, uuid) == state:
                found.setdefault(uuid, []).append(node.name)
    return found


def renewed_within(facts: RunFacts) -> Micros:
    """A silence that goes on is probed each period, and a probe takes so long at most."""
    period, probe = (seconds_of(facts, name) for name in ("gms_heartbeat_period_seconds", "gms_probe_timeout_seconds"))
    return 2 * period + probe


def seconds_of(facts: RunFacts, name: str) -> Micros:
    told = facts.settings.get(name, 0)
    return round(told * SECOND) if isinstance(told, int | float) else 0
