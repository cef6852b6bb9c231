"""How each member of a group stands with the others: who has it in doubt, who was told that it has failed or left; and
whom it watches, and by whom it is watched.

Made once for a whole table, as the standings of a cluster are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from shaketable.harness.observed import NodeSeen
from shaketable.node.config import WATCHDOG
from shaketable.node.env import SECOND, Micros
from shaketable.tui.model import membership as m
from shaketable.tui.model.family import kind_of
from shaketable.tui.model.heartbeats import Watching, watching
from shaketable.tui.model.membership import Membership
from shaketable.tui.model.picture import Picture
from shaketable.tui.model.remembered import Itself, Remembered
from shaketable.tui.model.session import RunFacts, Session
from shaketable.tui.model.standing import naturally

NOBODY: Final = Watching((), (), ())


@dataclass(frozen=True, slots=True)
class GroupStanding:
    kind: str
    of: Membership
    state: str
    """as it believes of itself, while it is a member"""
    others: Mapping[str, tuple[str, ...]]
    """by what they believe of it, as the incarnation that it is or last was: which of them that run"""
    many: int
    """of them there are"""
    watching: Watching
    silent: tuple[m.Silence, ...]
    """whom it watches and hears no more, and nobody has said yet that they are in doubt"""

    def believed_by(self, state: str) -> tuple[str, ...]:
        return self.others.get(state, ())


_STANDINGS: Final[Remembered[Mapping[str, GroupStanding]]] = Remembered()


def group_standings(session: Session) -> Mapping[str, GroupStanding]:
    """At the cursor, of all nodes by name; several panels of a frame ask."""
    picture = session.picture()
    made_of = (picture.count, Itself(picture.observed), session.facts)
    return _STANDINGS.get(session.store, "group", made_of, lambda: _made(picture, session.facts))


def _made(picture: Picture, facts: RunFacts) -> dict[str, GroupStanding]:
    observed, watches = picture.observed, watching(picture.observed)
    kinds = {name: kind_of(picture, facts, name) for name in observed.nodes}
    own = {name: picture.extra(name).membership for name in observed.nodes}
    members = [n for n in observed.nodes.values() if n.running and n.joined and kinds[n.name] != WATCHDOG]
    members.sort(key=lambda node: naturally(node.name))
    views = {node.name: m.view_of(node, own[node.name]) for node in observed.nodes.values()}
    renewed, at = renewed_within(facts), observed.time
    found: dict[str, GroupStanding] = {}
    for name, node in observed.nodes.items():
        others: dict[str, tuple[str, ...]] = {}
        for other in members if node.incarnation else ():
            if other is node:
                continue
            if state := m.believed(other, own[other.name], views[other.name], node.incarnation):
                others[state] = (*others.get(state, ()), other.name)
        of, view = own[name], views[name]
        silent = tuple(each for each in m.silent(of, at, renewed) if _is_news(node, of, view, each))
        found[name] = GroupStanding(
            kinds[name],
            of,
            m.believed(node, of, view, node.incarnation),
            others,
            len(members) - (node in members),
            watches.get(name, NOBODY),
            silent if node.running else (),
        )
    return found


def _is_news(node: NodeSeen, of: Membership, view: m.View, silence: m.Silence) -> bool:
    """Of one in its view whom it has not in doubt yet."""
    return m.believed(node, of, view, silence.member.uuid) in (m.ALIVE, m.READY)


def renewed_within(facts: RunFacts) -> Micros:
    """A silence that goes on is probed each period, and a probe takes so long at most."""
    period, probe = (_seconds(facts, name) for name in ("gms_heartbeat_period_seconds", "gms_probe_timeout_seconds"))
    return 2 * period + probe


def _seconds(facts: RunFacts, name: str) -> Micros:
    told = facts.settings.get(name, 0)
    return round(told * SECOND) if isinstance(told, int | float) else 0
