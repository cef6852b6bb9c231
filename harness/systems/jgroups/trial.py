"""What JGroups members would tell in the place of ours, when a script is tried on ours."""

from __future__ import annotations

import msgspec

from shaketable.harness.records import Record
from shaketable.node.events import MasterFollowed, Suspected, SuspicionEnded, ViewInstalled
from shaketable.node.messages import Member, Uuid
from shaketable.node.why import Why


class Retold:
    """Of one run."""

    def __init__(self) -> None:
        self._lists: dict[Uuid, tuple[Member, ...]] = {}
        self._suspected: dict[Uuid, set[Uuid]] = {}
        self._told_to: set[Uuid] = set()
        """those that go by an explicit suspicion, which JGroups does not know"""

    def __call__(self, record: Record) -> Record | None:
        """The list of one that founds a cluster has version 0, not 1. Only one that leads, or would lead if those that
        it suspects are gone, tells whom it suspects. Nobody is told that others have removed it."""
        event, me = record.event, record.incarnation
        match event:
            case Suspected(why=Why.EXPLICIT):
                self._told_to.add(me)
                return None
            case ViewInstalled() | MasterFollowed() if me in self._told_to:
                return None
            case ViewInstalled(version=version, members=members):
                self._lists[me] = members
                return record._replace(event=msgspec.structs.replace(event, version=version - 1))
            case Suspected(peer=peer):
                self._suspected.setdefault(me, set()).add(peer.uuid)
                return record if self._would_lead(me) else None
            case SuspicionEnded(peer=peer):
                self._suspected.setdefault(me, set()).discard(peer.uuid)
                return record if self._would_lead(me) else None
        return record

    def _would_lead(self, me: Uuid) -> bool:
        suspected = self._suspected[me]
        return next((each.uuid for each in self._lists.get(me, ()) if each.uuid not in suspected), "") == me
