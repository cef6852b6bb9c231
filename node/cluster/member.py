"""One cluster member: wires the services below and routes messages to them.

Here each service gets the shared state and, by name, the services that it stands on: they are made in that order, each
complete. The consequences of an installed list are called in written order. A world calls a member only through
`start`, `receive`, `link_up`, `link_down` and `command`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Protocol
from uuid import UUID

from shaketable.node.cluster.disconnection import PartialDisconnection
from shaketable.node.cluster.partitions import Partitions
from shaketable.node.cluster.recovery import SplitBrainRecovery
from shaketable.node.cluster.service.addresses import JoinAddresses
from shaketable.node.cluster.service.admission import Admission
from shaketable.node.cluster.service.batches import JoinBatches
from shaketable.node.cluster.service.complaint import Complaints
from shaketable.node.cluster.service.confirmation import MasterConfirmations
from shaketable.node.cluster.service.connection import Connections
from shaketable.node.cluster.service.consent import Consent
from shaketable.node.cluster.service.detector import FailureDetector, detector_of
from shaketable.node.cluster.service.following import Following
from shaketable.node.cluster.service.heartbeat import Heartbeats
from shaketable.node.cluster.service.join import Join
from shaketable.node.cluster.service.leave import Leave
from shaketable.node.cluster.service.links import Links
from shaketable.node.cluster.service.mastership import Mastership
from shaketable.node.cluster.service.stale_joins import StaleJoins
from shaketable.node.cluster.service.suspicion import Suspicion
from shaketable.node.cluster.service.updates import Updates
from shaketable.node.cluster.service.views import Membership
from shaketable.node.cluster.splitbrain.handler import Runs
from shaketable.node.cluster.splitbrain.member_list import MemberListChanges
from shaketable.node.config import Settings
from shaketable.node.core.commands import Command, GroupCommand, LeaveCommand
from shaketable.node.core.env import Env, Every
from shaketable.node.core.handlers import handlers_of
from shaketable.node.core.post import Post
from shaketable.node.core.requests import Requests
from shaketable.node.events import Started
from shaketable.node.messages import (
    DATA_MESSAGES,
    GROUP_MESSAGES,
    Address,
    ChangeAddressesAnswer,
    ClaimAccepted,
    ClaimRefused,
    FinalizeJoin,
    Heartbeat,
    JoinRequest,
    LeaveAnswer,
    MasterResponse,
    Member,
    MembersUpdate,
    MergeClustersAnswer,
    MergeValidationAnswer,
    Message,
    PrepareMergeAnswer,
    StartupVoteAnswer,
    TakeAddressesAnswer,
    WhoIsMaster,
)


class HearsOfMembers(Protocol):
    """A part that is told of each list that was installed."""

    def members_changed(self, added: Sequence[Member], removed: Sequence[Member]) -> None: ...


class ClusterMember:
    partition_service: ClassVar[type[Partitions]] = Partitions
    join_addresses: ClassVar[type[JoinAddresses]] = JoinAddresses
    claims: ClassVar[type[Mastership]] = Mastership
    """a legacy fault has its own"""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        # What all share: the list and the suspicions, the links, the addresses, and the ways out.
        self.env = env
        uuid = str(UUID(int=env.rng.getrandbits(128), version=4))
        self.me = Member(address, uuid, settings.lite_member)
        self.membership = ms = Membership(env, settings, self.me, installed=self._installed)
        self.post = Post(env, address, self._handle)
        self.requests = requests = Requests(env, self.post.send)
        self.links = links = Links()
        self.addresses = self.join_addresses(env, address, addresses, settings)
        detector = self.detector(settings)

        # The list, and the partitions, which have to know of a list alone.
        self.updates = updates = Updates(ms)
        self.partitions = self.partition_service(ms, requests=requests, send=self.post.send, updates=updates)

        # Suspicion: by the master it ends in a new list, by a follower perhaps in a claim of the mastership.
        self.mastership = self.claims(ms, requests=requests, updates=updates)
        self.suspicion = suspicion = Suspicion(
            ms, links=links, detector=detector, updates=updates, mastership=self.mastership
        )
        self.consent = Consent(ms, suspicion=suspicion, partitions=self.partitions)
        self.following = Following(ms, suspicion=suspicion, mastership=self.mastership)

        # What finds somebody suspect: silence, a lost connection, no confirmation; and what finds those that are
        # no members.
        self.complaints = Complaints(ms, suspicion=suspicion, updates=updates)
        self.disconnection = PartialDisconnection(ms, detector=detector, updates=updates, partitions=self.partitions)
        self.heartbeats = Heartbeats(
            ms, detector=detector, suspicion=suspicion, complaints=self.complaints, disconnection=self.disconnection
        )
        self.confirmations = MasterConfirmations(ms, suspicion=suspicion, complaints=self.complaints)
        self.batches = JoinBatches(ms, updates=updates)
        self.connections = Connections(ms, links=links, suspicion=suspicion, batches=self.batches)

        # Coming and going.
        self.join = Join(ms, addresses=self.addresses, requests=requests, links=links, suspicion=suspicion)
        self.stale_joins = StaleJoins(ms)
        self.admission = Admission(
            ms,
            links=links,
            stale_joins=self.stale_joins,
            batches=self.batches,
            updates=updates,
            suspicion=suspicion,
        )
        self.leave = Leave(ms, requests=requests, updates=updates, partitions=self.partitions)

        # Other parts of the cluster.
        self.splitbrain = SplitBrainRecovery(
            ms,
            requests=requests,
            addresses=self.addresses,
            suspicion=suspicion,
            updates=updates,
            batches=self.batches,
            leave=self.leave,
            migrations=self.partitions,
            data=self.partitions.going_over,
        )
        self.member_list = MemberListChanges(ms, requests=requests, addresses=self.addresses)

        # One lookup for a message, whichever part it is for.
        self._handlers: Mapping[type[Message], Callable[[Any], None]] = {
            **handlers_of(
                self.heartbeats.on_heartbeat,
                self.confirmations.on_master_confirmation,
                self.following.on_members_update,
                self.suspicion.on_explicit_suspicion,
                self.complaints.on_heartbeat_complaint,
                self.complaints.on_trigger,
                self.consent.on_mastership_claim,
                self._on_who_is_master,
                self._on_master_response,
                self._on_join_request,
                self._on_finalize_join,
                self.join.on_cluster_mismatch,
                self.join.on_config_mismatch,
                self.join.on_startup_vote,
                self.leave.on_leave_request,
                self.splitbrain.answering.on_merge_validation,
                self.splitbrain.going.on_prepare_merge,
                self.splitbrain.going.on_merge_clusters,
                self.member_list.on_change_addresses,
                self.member_list.on_take_addresses,
                self._on_answer,
            ),
            **dict.fromkeys(DATA_MESSAGES, self.partitions.receive),
            **dict.fromkeys(GROUP_MESSAGES, _nothing),
        }

    @staticmethod
    def detector(settings: Settings) -> FailureDetector:
        return detector_of(settings)

    def start(self, *, go: Callable[[Member], None], merge_runs: Runs | None = None) -> None:
        """`go`: over to this one; the caller has my next identity ready. `merge_runs`: when it looks for other parts
        of its cluster, where that follows from an identity before."""
        self.env.report(Started(self.me))
        settings = self.membership.settings
        merge_runs = merge_runs or Runs.of_a_start(self.env.now(), settings)
        self.heartbeats.start()
        Every(self.env, settings.heartbeat_interval, self._round)
        self.confirmations.start()
        Every(self.env, settings.member_list_publish_interval, self._publish_periodically)
        self.splitbrain.start(merge_runs, go=go)
        self.join.start()

    def receive(self, message: Message) -> None:
        """A message from my own address, other than a heartbeat, is of an incarnation before me: nobody is there to be
        answered."""
        kind = type(message)
        if kind is Heartbeat or message.sender.address != self.me.address:
            self._handlers[kind](message)

    def _handle(self, message: Message) -> None:
        self._handlers[type(message)](message)

    def link_up(self, to: Address) -> None:
        self.connections.link_up(to)
        self.join.link_up(to)
        self.admission.link_up(to)
        self.partitions.link_up(to)

    def link_down(self, to: Address) -> None:
        if self.links.is_up(to):  # else it has not come up yet
            self.batches.link_down(to)
        self.connections.link_down(to)
        self.join.link_down(to)

    def command(self, command: Command) -> None:
        if isinstance(command, LeaveCommand):
            self.leave.leave()
        elif not isinstance(command, GroupCommand):
            self.partitions.command(command)

    def _round(self) -> None:
        lateness = self.heartbeats.round()
        self.confirmations.check(lateness)
        self.disconnection.check(lateness)

    def _publish_periodically(self) -> None:
        self.updates.publish(change=False)

    def hearing(self) -> tuple[HearsOfMembers, ...]:
        """In this order; then the partitions, unless a master that leaves stops."""
        return (
            self.addresses,
            self.connections,
            self.heartbeats,
            self.confirmations,
            self.stale_joins,
            self.disconnection,
            self.splitbrain,
            self.member_list,
        )

    def _installed(self, added: list[Member], removed: list[Member]) -> None:
        for part in self.hearing():
            part.members_changed(added, removed)
        if self.leave.stops_as_master():
            return
        self.partitions.members_changed(added, removed, heard_of_table=self.mastership.heard_of_table)

    def _on_who_is_master(self, message: WhoIsMaster) -> None:
        self.join.heard(message.sender.address)
        self.admission.on_who_is_master(message)

    def _on_master_response(self, message: MasterResponse) -> None:
        if self.membership.joined:
            self.splitbrain.on_master_response(message)
        else:
            self.join.on_master_response(message)

    def _on_join_request(self, message: JoinRequest) -> None:
        self.join.heard(message.sender.address)
        self.admission.on_join_request(message)

    def _on_finalize_join(self, message: FinalizeJoin) -> None:
        if self.membership.joined:
            # An admission repeated to a node that is a member already is one more copy of the list.
            self.following.on_members_update(MembersUpdate(message.sender, message.target, message.view))
        else:
            self.join.on_finalize_join(message)

    def _on_answer(
        self,
        message: StartupVoteAnswer
        | LeaveAnswer
        | ClaimAccepted
        | ClaimRefused
        | MergeValidationAnswer
        | PrepareMergeAnswer
        | MergeClustersAnswer
        | ChangeAddressesAnswer
        | TakeAddressesAnswer,
    ) -> None:
        self.requests.answered(message.request, message)


def _nothing(_: object) -> None:
    """A group's message has no business in a cluster."""
