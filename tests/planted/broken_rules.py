"""Members that break one rule of the core each in such a way that no check need see it: the script about it must.

Without them a script can be green for a reason that is none. test_chaos_scripts.py says which is whose."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from tests.planted.instead import instead
from tests.reasons import reason_in

from shaketable.node.cluster.member import ClusterMember
from shaketable.node.config import Settings
from shaketable.node.core.env import Env
from shaketable.node.messages import (
    Address,
    ExplicitSuspicion,
    Heartbeat,
    HeartbeatComplaint,
    LeaveAnswer,
    MasterConfirmation,
    Member,
    MemberList,
    MembersUpdate,
    Message,
    StartupVote,
    StartupVoteAnswer,
    TriggerExplicitSuspicion,
    Uuid,
)
from shaketable.node.why import Because, Why


class Broken(ClusterMember):
    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        self.break_it()

    def break_it(self) -> None:
        pass


class ObeysWhateverItWas(Broken):
    """Explicit suspicion is obeyed also where it names the member as it was."""

    def receive(self, message: Message) -> None:
        if isinstance(message, ExplicitSuspicion):
            message = msgspec.structs.replace(message, target=self.membership.identity())
        super().receive(message)


class RemovesNoLeaver(Broken):
    """The master answers who leaves, and keeps it in its list."""

    def break_it(self) -> None:
        self.leave._updates = instead(self.updates, remove=lambda members, reason: None)


class HearsNoLeaveAnswer(Broken):
    """As if the master answered no leave."""

    def receive(self, message: Message) -> None:
        if not isinstance(message, LeaveAnswer):
            super().receive(message)


class NeverLearnsTheTime(Broken):
    """The cluster's time is that of the join for good."""

    def break_it(self) -> None:
        self.heartbeats._may_set_the_clock = lambda master, now: False  # type: ignore[method-assign]

    def receive(self, message: Message) -> None:
        offset = self.membership.clock_offset
        super().receive(message)
        if isinstance(message, Heartbeat):
            self.membership.clock_offset = offset


class TakesAnyHeartbeat(Broken):
    """No heartbeat is too old."""

    def break_it(self) -> None:
        self.heartbeats._stale_after = 10**18


class FirstConnectionHasTheGrace(Broken):
    """A first connection that does not come up is borne no longer than a lost one."""

    def break_it(self) -> None:
        grace = self.membership.settings.connection_grace
        connections = self.connections
        connections._wait_for_the_first = lambda address: connections._wait(address, grace)  # type: ignore[method-assign]


class TellsThoseItGaveUp(Broken):
    """Its periodic list goes also to whom it has removed, and a list of who is not my master is applied."""

    def break_it(self) -> None:
        self.known: dict[Uuid, Member] = {}

    def receive(self, message: Message) -> None:
        ms = self.membership
        if isinstance(message, MembersUpdate) and ms.joined and message.sender != ms.master:
            ms.install(message.view, reason_in("any list"))
            return
        super().receive(message)

    def _publish_periodically(self) -> None:
        super()._publish_periodically()
        ms = self.membership
        if ms.joined and ms.master is self.me:
            for member in self.known.values():
                if member not in ms.view.members:
                    self.env.send(member.address, MembersUpdate(self.me, member.uuid, ms.view))

    def _installed(self, added: list[Member], removed: list[Member]) -> None:
        super()._installed(added, removed)
        self.known.update({member.uuid: member for member in removed})


class PublishesForStrangers(Broken):
    """The master makes a new list of the same members when the link to somebody who is none goes down."""

    def link_down(self, to: Address) -> None:
        ms = self.membership
        stranger = to not in [member.address for member in ms.view.members] and self.links.is_up(to)
        super().link_down(to)
        if stranger and ms.leads:
            ms.install(MemberList(ms.view.version + 1, self.me.uuid, ms.view.members), reason_in("a stranger has gone"))
            self.updates.publish(change=True)


class HearsNoLateList(Broken):
    """As if a list were lost that comes after its successor."""

    def receive(self, message: Message) -> None:
        if not isinstance(message, MembersUpdate) or message.view.version > self.membership.view.version:
            super().receive(message)


class BelievesNoList(Broken):
    """The list of the master ends no suspicion of it."""

    def break_it(self) -> None:
        self.following.heard_from_master = lambda master: None  # type: ignore[method-assign]


class ObeysAnyTrigger(Broken):
    """A trigger is obeyed whatever list its receiver has."""

    def receive(self, message: Message) -> None:
        if isinstance(message, TriggerExplicitSuspicion):
            message = msgspec.structs.replace(message, version=self.membership.view.version)
        super().receive(message)


class TellsNoneForAHeartbeat(Broken):
    def break_it(self) -> None:
        told_nothing = instead(self.suspicion, explicitly_suspect=lambda stranger, reason: None)
        self.heartbeats._suspicion = told_nothing


class TellsNoneForAConfirmation(Broken):
    def break_it(self) -> None:
        told_nothing = instead(self.suspicion, explicitly_suspect=lambda stranger, reason: None)
        self.confirmations._suspicion = told_nothing
        self.confirmations._complaints = instead(self.complaints, trigger_all=lambda stranger: None)


class ConfirmsASuspectedMaster(Broken):
    """A master confirmation leaves for whoever is master, suspected or not."""

    def break_it(self) -> None:
        ms = self.membership

        def confirm() -> None:
            if ms.joined and ms.master is not None and ms.master is not ms.me:
                ms.env.send(
                    ms.master.address, MasterConfirmation(ms.me, ms.master.uuid, ms.view.version, ms.cluster_time())
                )

        self.confirmations._confirm = confirm  # type: ignore[method-assign]


class TellsNoneForAList(Broken):
    """A list of a member that is not my master is ignored in silence."""

    def break_it(self) -> None:
        self.following._suspicion = instead(self.suspicion, explicitly_suspect=lambda stranger, reason: None)


class CountsARefusal(Broken):
    """Any answer to the start-up vote is a consent."""

    def receive(self, message: Message) -> None:
        if isinstance(message, StartupVoteAnswer):
            message = msgspec.structs.replace(message, granted=True)
        super().receive(message)


class GrantsAnyVote(Broken):
    """Any node that is asked consents, member or not."""

    def receive(self, message: Message) -> None:
        if isinstance(message, StartupVote):
            self.env.send(message.sender.address, StartupVoteAnswer(self.me, message.request, True))
        else:
            super().receive(message)


class TrustsAnOldMaster(Broken):
    """A heartbeat ends the suspicion of a member that stands before the present master, too."""

    def break_it(self) -> None:
        nobody = instead(self.membership, stands_before_master=lambda member: False)
        self.suspicion._membership = nobody


class SuspectsAtOnceAgain(Broken):
    """When a list has ended a suspicion, the time without heartbeats goes on as if it had not."""

    def break_it(self) -> None:
        self.suspicion._detector = instead(self.suspicion._detector, expect=lambda uuid, now: None)


class AnswersNoRepeatedRequest(Broken):
    """A joiner that is admitted, and was not told, asks in vain."""

    def break_it(self) -> None:
        self.admission._updates = instead(self.updates, finalize=lambda joiner: None)


class TellsTheComplainerAlone(Broken):
    """Of two strangers only the one that complains is told."""

    def receive(self, message: Message) -> None:
        told = self.suspicion.explicitly_suspect
        if isinstance(message, HeartbeatComplaint):
            of = message.complained_of
            only = instead(
                self.suspicion, explicitly_suspect=lambda stranger, reason: stranger != of and told(stranger, reason)
            )
            self.complaints._suspicion = only
        super().receive(message)


class SeesNoNewIdentity(Broken):
    """A fast restart is seen by a lost connection or by silence alone."""

    def break_it(self) -> None:
        suspect = self.suspicion.suspect

        def by_no_identity(members: Sequence[Member], reason: Because) -> None:
            if reason.why is not Why.NEW_IDENTITY:
                suspect(members, reason)

        self.admission._suspicion = instead(self.suspicion, suspect=by_no_identity)
