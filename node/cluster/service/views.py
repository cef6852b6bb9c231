"""What one member believes about its cluster: its member list, its master, its suspicions.

The state that the services of the cluster share. Terms as in the text on cluster service consistency: the member list
is ordered by age, its version only grows, and every list that is installed includes its installer (M3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from shaketable.node.config import Settings
from shaketable.node.config.data import groups_in_common, maps_in_common
from shaketable.node.core.env import Env, Micros
from shaketable.node.events import MasterFollowed, ViewInstalled
from shaketable.node.messages import ConfigCheck, Identity, Member, MemberList, Uuid
from shaketable.node.why import Because, Why, because

EXPLICIT: Final = because(Why.EXPLICIT)
"""the reason of a suspicion that its object itself asked for"""

Installed = Callable[[list[Member], list[Member]], None]
"""who is new in the list that has just been installed, and who is gone"""


class Membership:
    def __init__(self, env: Env, settings: Settings, me: Member, *, installed: Installed) -> None:
        """`installed` is called after each install."""
        self.env = env
        self._installed = installed
        self.settings = settings
        self.me = me
        maps = maps_in_common(settings.maps, settings.merge_policies, settings.split_brain_protection)
        maps = " ".join([maps, *settings.partition_services.split()])
        self.config = ConfigCheck(
            settings.cluster_name, settings.partition_count, maps, groups_in_common(settings.partition_groups)
        )
        """what all members of my cluster must have in common"""
        self.joined = False
        self.view = MemberList(0, me.uuid, ())
        self.master: Member | None = None
        """whom this member follows"""
        self.claiming = False
        """this member's own mastership claim is running"""
        self.merging = False
        """this master has told its members to go over to another cluster, and is about to go, too"""
        self.suspected: dict[Uuid, Why] = {}
        self.known: dict[Uuid, Member] = {}
        """the members of the list, in its order"""
        self.peers: tuple[Member, ...] = ()
        """all others that are not suspected: who gets heartbeats"""
        self.clock_offset: Micros = 0
        """what the cluster's clock, which is the master's, is ahead of my own"""

    @property
    def leads(self) -> bool:
        """Is the master, and no claim is running, nor a merge into another cluster."""
        return self.joined and self.master is self.me and not self.claiming and not self.merging

    def follow(self, master: Member, reason: Because) -> None:
        self.master = self.me if master == self.me else master
        self.env.report(MasterFollowed(self.master, *reason))

    def install(self, view: MemberList, reason: Because) -> None:
        assert self.master is not None, "a list is installed only by a member that follows somebody"
        before, known = self.view.members, self.known
        self.view = view
        mine = self.me.uuid
        if view.members[: len(before)] == before:
            new = view.members[len(before) :]
            known.update((m.uuid, m) for m in new)
            added, removed = [m for m in new if m.uuid != mine], []
            self.peers += tuple(added)
        else:
            self.known = {m.uuid: m for m in view.members}
            # By identity and address: one that has moved is gone from there and new here.
            added = [m for m in view.members if known.get(m.uuid) != m and m.uuid != mine]
            removed = [m for m in before if self.known.get(m.uuid) != m]
            for member in removed:
                self.suspected.pop(member.uuid, None)
            self.update_peers()
        self.env.report(ViewInstalled(view.version, view.author, self.master, view.members, *reason))
        self._installed(added, removed)

    def cluster_time(self) -> Micros:
        return self.env.now() + self.clock_offset

    def update_peers(self) -> None:
        mine, suspected = self.me.uuid, self.suspected
        self.peers = tuple(m for m in self.view.members if m.uuid != mine and m.uuid not in suspected)

    def is_member(self, member: Member) -> bool:
        known = self.known.get(member.uuid)
        return known is not None and known.address == member.address

    def older_than(self, member: Member) -> Iterator[Member]:
        """The members that stand before this one in the list. A caller may stop at the first that tells it enough."""
        for other in self.view.members:
            if other.uuid == member.uuid:
                return
            yield other

    def stands_before_master(self, member: Member) -> bool:
        """Nothing that such a member says may clear a suspicion of it: a mastership has passed it by."""
        return self.master is not None and self.is_member(self.master) and member in self.older_than(self.master)

    def others(self) -> list[Member]:
        return [m for m in self.view.members if m.uuid != self.me.uuid]

    def data_members(self) -> list[Member]:
        return [m for m in self.view.members if not m.lite]

    def suspects(self) -> tuple[Member, ...]:
        return tuple(self.known[uuid] for uuid in self.suspected)

    def cut_off(self) -> tuple[Member, ...]:
        """The suspected members that I cannot hear or reach. A member that told me itself to assume that it is dead is
        not among them."""
        return tuple(self.known[uuid] for uuid, why in self.suspected.items() if why is not Why.EXPLICIT)

    def identity(self) -> Identity:
        return Identity(self.me, self.master.address if self.master else None, self.view.version)


def describe(view: MemberList, me: Member, *, legacy: bool = False) -> str:
    """The member list as the text writes it to the log, in the new format or in the one before version 3.9."""
    lines = [
        f"    Member {_bracketed(m)} - {m.uuid}{' this' * (m.uuid == me.uuid)}{' lite' * m.lite}" for m in view.members
    ]
    if legacy:
        return "\n".join([f"Members [{len(lines)}] {{", *lines, "}"])
    return "\n".join([f"Members {{size:{len(lines)}, ver:{view.version}}} [", *lines, "]"])


def _bracketed(member: Member) -> str:
    host, _, port = member.address.rpartition(":")
    return f"[{host}]:{port}"
