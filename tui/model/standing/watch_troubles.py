"""Where the watch of a group is broken: heartbeats that go to a member that is gone, a member for which nobody looks, a
watcher that waits for what nobody sends, a link between two of them to which something is done.

Each member is asked for those that it watches: so the work grows as the watched links do, and not with all pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.core.env import Micros
from shaketable.tui.model.folds.link_ends import SILENT
from shaketable.tui.model.folds.picture import Picture
from shaketable.tui.model.standing import links as m
from shaketable.tui.model.standing.links import Links
from shaketable.tui.natural import naturally

TO_NOBODY: Final = "to nobody"
"""its heartbeats go to a member that does not run"""
UNWATCHED: Final = "unwatched"
"""no member looks for its heartbeats"""
WAITS: Final = "waits"
"""for the heartbeats of one that runs, and sends it none"""
UNHEARD: Final = "unheard"
"""nothing comes, by what its end of the link says"""
DONE: Final = "done"
"""something is done to the link"""


@dataclass(frozen=True, slots=True)
class Trouble:
    kind: str
    members: tuple[str, ...]
    """whose heartbeats they are"""
    others: tuple[str, ...] = ()
    """where they go, or that wait for them; of `TO_NOBODY` that send them to this member"""
    since: Micros | None = None
    done: str = ""
    """the worst that is done to these links"""
    case: str = ""
    """and what comes of it"""


def troubles(picture: Picture, links: Links) -> list[Trouble]:
    """By kind, and what is alike together: of fifty members, too, there are few."""
    observed = picture.observed
    nodes = sorted(observed.nodes.values(), key=lambda node: naturally(node.name))
    running = [node for node in nodes if node.running]
    found: list[Trouble] = []
    watched: dict[str, bool] = {}
    for watcher in running:
        for address in watcher.group.watched:
            name = observed.names.get(address, "")
            watched[name] = True
            if name in observed.nodes:
                found += _of_a_watch(links, watcher, observed.nodes[name])
    alone = tuple(node.name for node in running if node.joined and node.group.to and node.name not in watched)
    return [
        *_to_nobody(observed, running),
        *([Trouble(UNWATCHED, alone)] if alone else []),
        *_together(found),
    ]


def _to_nobody(observed: Observed, running: list[NodeSeen]) -> Iterator[Trouble]:
    gone = {node.address: node.name for node in observed.nodes.values() if not node.running and node.address}
    senders: dict[str, list[str]] = {}
    for node in running if gone else ():
        for address in node.group.to:
            if address in gone:
                senders.setdefault(gone[address], []).append(node.name)
    for name in sorted(senders, key=naturally):
        yield Trouble(TO_NOBODY, (name,), tuple(senders[name]))


def _of_a_watch(links: Links, watcher: NodeSeen, of: NodeSeen) -> Iterator[Trouble]:
    if not of.running:
        return
    if watcher.address not in of.group.to:
        yield Trouble(WAITS, (of.name,), (watcher.name,))
        return
    link = links.of(of.name, watcher.name)
    if link.done:
        yield Trouble(DONE, (of.name,), (watcher.name,), done=link.done, case=link.case)
    elif link.case == m.UNASKED or (link.hears is not None and link.hears.state == SILENT):
        end = link.hears if link.hears is not None and link.hears.state == SILENT else link.sends
        yield Trouble(UNHEARD, (of.name,), (watcher.name,), end.since if end is not None else None)


def _together(found: list[Trouble]) -> list[Trouble]:
    """Those of one member with several others, and those of several members with one other."""
    by_member: dict[tuple[object, ...], list[Trouble]] = {}
    for of in found:
        by_member.setdefault((of.kind, of.members, of.done, of.case), []).append(of)
    by_other: dict[tuple[object, ...], list[Trouble]] = {}
    for same in by_member.values():
        of = replace(same[0], others=_all(each.others for each in same), since=_first(same))
        by_other.setdefault((of.kind, of.others, of.done, of.case), []).append(of)
    alike = [
        replace(same[0], members=_all(each.members for each in same), since=_first(same)) for same in by_other.values()
    ]
    return sorted(alike, key=lambda of: naturally(of.members[0]))


def _all(some: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(sorted((name for names in some for name in names), key=naturally))


def _first(of: list[Trouble]) -> Micros | None:
    return min((each.since for each in of if each.since is not None), default=None)
