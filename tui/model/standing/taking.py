"""Which member of a group has taken which notification, and which of them lags behind its master."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from shaketable.harness.seen.run import NodeSeen
from shaketable.node.config import WATCHDOG
from shaketable.tui.model.folds.membership import Membership
from shaketable.tui.model.folds.notifications import Notifications, Told
from shaketable.tui.model.folds.picture import Picture
from shaketable.tui.model.run_facts import RunFacts
from shaketable.tui.model.standing.family import kind_of
from shaketable.tui.model.standing.standing import is_master
from shaketable.tui.natural import naturally

TAKEN: Final = "taken"
AGAIN: Final = "again"
"""taken when it was sent for the second time"""
LAGS: Final = "lags"
"""it is meant for this member and has not come"""
ASKS: Final = "asks"
"""the member knows that it lacks it, and has asked"""
LOST: Final = "lost"
"""it will not come any more"""
NOT_ITS: Final = "not its"
"""the member is not in that view, or came later, or follows another master by now"""
GONE: Final = "gone"


@dataclass(frozen=True, slots=True)
class Lag:
    """A member that runs, and has not come as far as the master in whose view it is."""

    name: str
    master: str
    newest: int
    """of the master"""
    taken: int | None
    """the last one of that master that the member has taken; None: it follows another one, or nobody"""
    follows: str
    asks: tuple[int, int] | None
    """for these and those between, as far as they have not come"""
    asks_again: bool = False
    """it has no view any more, and asks to be added again"""


def members_of(picture: Picture, facts: RunFacts) -> list[str]:
    """All that can take notifications, in natural order."""
    names = [name for name in picture.observed.nodes if kind_of(picture, facts, name) != WATCHDOG]
    return sorted(names, key=naturally)


def of_each(picture: Picture, told: Told, names: Sequence[str]) -> list[str]:
    """How the notification stands with each of these."""
    meant = {member.uuid: True for member in told.event.members}
    taken, again = dict.fromkeys(told.taken, True), dict.fromkeys(told.again, True)
    states: list[str] = []
    for name in names:
        node = picture.observed.nodes[name]
        uuid = node.incarnation
        if uuid in taken:
            states.append(AGAIN if uuid in again else TAKEN)
        elif not node.running:
            states.append(GONE)
        else:
            states.append(_not_taken(picture, told, node, meant=uuid in meant))
    return states


def _not_taken(picture: Picture, told: Told, node: NodeSeen, *, meant: bool) -> str:
    of, event = picture.extra(node.name).membership, told.event
    if is_lost(picture.notifications, node, told):
        return LOST
    if not meant or (of.taken is not None and of.taken[0] >= event.version):
        return NOT_ITS
    if of.lacks is not None and of.lacks[0] < event.version <= of.lacks[1] and follows(node, told):
        return ASKS
    return LAGS


def is_lost(of: Notifications, node: NodeSeen, told: Told) -> bool:
    author, after, before = of.lost.get(node.incarnation, ("", 0, 0))
    return author == told.event.author and after < told.event.version < before


def follows(node: NodeSeen, told: Told) -> bool:
    return node.master is not None and node.master.uuid == told.event.author


def masters(picture: Picture) -> list[NodeSeen]:
    """The one that has told most first."""
    found = [node for node in picture.observed.nodes.values() if is_master(node)]
    return sorted(found, key=lambda node: (-newest(picture, node), naturally(node.name)))


def newest(picture: Picture, master: NodeSeen) -> int:
    """The last notification that it has published."""
    told = reversed(picture.notifications.told)
    return next((number for author, number in told if author == master.incarnation), 0)


def lags(picture: Picture) -> list[Lag]:
    """By master, in its view's order."""
    found: list[Lag] = []
    for master in masters(picture):
        number = newest(picture, master)
        for member in master.members:
            node = picture.observed.is_current(member)
            if node is None or node is master or is_master(node):
                continue
            of = picture.extra(node.name).membership
            if of.taken != (number, master.incarnation) or of.asks_again is not None:
                found.append(_lag(picture, node, of, master, number))
    return found


def _lag(picture: Picture, node: NodeSeen, of: Membership, master: NodeSeen, number: int) -> Lag:
    is_its = of.taken is not None and of.taken[1] == master.incarnation
    other = picture.observed.names.get(node.master.address, "") if node.master is not None else ""
    taken = of.taken[0] if of.taken is not None and is_its else None
    asks = (max(of.lacks[0], taken or 0) + 1, of.lacks[1]) if of.lacks is not None else None
    return Lag(node.name, master.name, number, taken, other, asks, of.asks_again is not None)
