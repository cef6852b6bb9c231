"""One cluster member: wires the services below and routes messages to them.

The services do not know each other; here each gets the shared state and the few callables that it needs, and what
follows from an installed list is called in written order. A world calls a member only through `start`, `receive`,
`link_up`, `link_down` and `command`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar
from uuid import UUID

from shaketable.node.cluster.admission import Admission
from shaketable.node.cluster.batches import JoinBatches
from shaketable.node.cluster.complaint import Complaints
from shaketable.node.cluster.confirmation import MasterConfirmations
from shaketable.node.cluster.connection import Connections
from shaketable.node.cluster.detector import detector_of
from shaketable.node.cluster.disconnection import PartialDisconnection
from shaketable.node.cluster.heartbeat import Heartbeats
from shaketable.node.cluster.join import Join
from shaketable.node.cluster.leave import Leave
from shaketable.node.cluster.mastership import Consent, Mastership
from shaketable.node.cluster.stale_joins import StaleJoins
from shaketable.node.cluster.suspicion import Suspicion
from shaketable.node.cluster.updates import Updates
from shaketable.node.cluster.views import Membership
from shaketable.node.commands import Command, GroupCommand, LeaveCommand
from shaketable.node.config import Settings
from shaketable.node.env import Env, Every
from shaketable.node.events import Started
from shaketable.node.messages import (
    GROUP_MESSAGES,
    Address,
    ChangeAddresses,
    ChangeAddressesAnswer,
    ClaimAccepted,
    ClaimRefused,
    ClusterMismatch,
    ConfigMismatch,
    ExplicitSuspicion,
    FinalizeJoin,
    Heartbeat,
    HeartbeatComplaint,
    Identity,
    JoinRequest,
    LeaveAnswer,
    LeaveRequest,
    MasterConfirmation,
    MasterResponse,
    MastershipClaim,
    Member,
    MembersUpdate,
    MergeClusters,
    MergeClustersAnswer,
    MergeValidation,
    MergeValidationAnswer,
    Message,
    PrepareMerge,
    PrepareMergeAnswer,
    StartupVote,
    StartupVoteAnswer,
    TakeAddresses,
    TakeAddressesAnswer,
    TriggerExplicitSuspicion,
    WhoIsMaster,
)
from shaketable.node.partitions import HANDLERS, Partitions
from shaketable.node.post import Post
from shaketable.node.recovery import SplitBrainRecovery
from shaketable.node.requests import Requests
from shaketable.node.splitbrain.addresses import JoinAddresses
from shaketable.node.splitbrain.handler import Runs
from shaketable.node.splitbrain.member_list import MemberListChanges


class ClusterMember:
    partition_service: ClassVar[type[Partitions]] = Partitions
    join_addresses: ClassVar[type[JoinAddresses]] = JoinAddresses
    """a legacy fault has its own"""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        self.env = env
        uuid = str(UUID(int=env.rng.getrandbits(128), version=4))
        self.me = Member(address, uuid, settings.lite_member)
        self.membership = ms = Membership(env, settings, self.me)
        self.post = Post(env, address, self._handle)
        self.requests = Requests(env, self.post.send)
        self.connections = Connections(ms)
        self.suspicion = Suspicion(ms, self.connections.is_lost)
        explicitly_suspect = self.suspicion.explicitly_suspect
        self.addresses = self.join_addresses(env, address, addresses, settings)
        self.updates = Updates(ms, explicitly_suspect, self._heard_from_master)
        self.complaints = Complaints(ms, explicitly_suspect, self.updates.send_to)
        detector = detector_of(settings)
        self.disconnection = PartialDisconnection(
            ms, detector.silent_since, self.updates.remove, lambda uuid: self.partitions.state.replicas_of(uuid)
        )
        self.heartbeats = Heartbeats(
            ms,
            detector,
            self.suspicion.suspect,
            self.suspicion.heard_from,
            explicitly_suspect,
            self.complaints.complain,
            self.disconnection.reported,
        )
        self.confirmations = MasterConfirmations(
            ms, self.heartbeats.cluster_time, self.suspicion.suspect, self._confirmed_by_stranger
        )
        self.mastership = Mastership(ms, self.requests, lambda: self.updates.publish(change=True))
        self.consent = Consent(ms, self.suspicion.end, lambda: self.partitions.has_table)
        self.join = Join(
            ms,
            self.addresses,
            self.requests,
            self.connections.is_up,
            explicitly_suspect,
            self.heartbeats.set_cluster_time,
        )
        self.batches = JoinBatches(ms, lambda joiners: self.updates.add(joiners, self.heartbeats.cluster_time()))
        self.stale_joins = StaleJoins(ms)
        self.admission = Admission(
            ms,
            self.connections.is_up,
            self.connections.is_down,
            self.stale_joins.has_left,
            self.stale_joins.joined_lately,
            self.batches.admit,
            lambda joiner: self.updates.finalize(joiner, self.heartbeats.cluster_time()),
            self.suspicion.suspect,
        )
        self.partitions = self.partition_service(ms, self.requests, self.post.send, self.updates.send_to)
        self.partitions.state.cluster_time = self.heartbeats.cluster_time
        self.leave = Leave(
            ms,
            self.requests,
            self.updates.remove,
            self.partitions.may_go,
            lambda: self.partitions.bringing.to_bring > 0,
        )
        self.splitbrain = SplitBrainRecovery(
            ms,
            self.requests,
            self.addresses,
            self.suspicion.suspect,
            explicitly_suspect,
            self.updates.raise_version,
            lambda: self.batches.somebody_waits,
            lambda: self.leave.wanted,
            self.partitions.hold_migrations,
            self.partitions.migrates,
            self.partitions.going_over,
        )
        self.member_list = MemberListChanges(ms, self.requests, self.addresses)
        ms.installed = self._installed
        self.connections.suspect = self.suspicion.suspect
        self.connections.is_joining = self.batches.waits
        self.suspicion.remove = self.updates.remove
        self.suspicion.newly_suspected = self.mastership.newly_suspected
        self.suspicion.ended = self.heartbeats.trusted_again
        self._handlers: Mapping[type[Message], Callable[[Any], None]] = {
            Heartbeat: self.heartbeats.on_heartbeat,
            WhoIsMaster: self._on_who_is_master,
            MasterResponse: self._on_master_response,
            JoinRequest: self._on_join_request,
            ClusterMismatch: self.join.on_cluster_mismatch,
            ConfigMismatch: self.join.on_config_mismatch,
            FinalizeJoin: self._on_finalize_join,
            StartupVote: self.join.on_startup_vote,
            StartupVoteAnswer: self._on_answer,
            MembersUpdate: self.updates.on_members_update,
            LeaveRequest: self.leave.on_leave_request,
            LeaveAnswer: self._on_answer,
            MasterConfirmation: self.confirmations.on_master_confirmation,
            HeartbeatComplaint: self.complaints.on_heartbeat_complaint,
            TriggerExplicitSuspicion: self.complaints.on_trigger,
            ExplicitSuspicion: self.suspicion.on_explicit_suspicion,
            MastershipClaim: self.consent.on_mastership_claim,
            ClaimAccepted: self._on_answer,
            ClaimRefused: self._on_answer,
            MergeValidation: self.splitbrain.answering.on_merge_validation,
            MergeValidationAnswer: self._on_answer,
            PrepareMerge: self.splitbrain.going.on_prepare_merge,
            PrepareMergeAnswer: self._on_answer,
            MergeClusters: self.splitbrain.going.on_merge_clusters,
            MergeClustersAnswer: self._on_answer,
            ChangeAddresses: self.member_list.on_change_addresses,
            ChangeAddressesAnswer: self._on_answer,
            TakeAddresses: self.member_list.on_take_addresses,
            TakeAddressesAnswer: self._on_answer,
            **dict.fromkeys(HANDLERS, self.partitions.receive),
            **dict.fromkeys(GROUP_MESSAGES, _nothing),
        }

    def start(self, *, merge_runs: Runs | None = None) -> None:
        """`merge_runs`: when it looks for other parts of its cluster, where that follows from an identity before."""
        self.env.report(Started(self.me))
        settings = self.membership.settings
        merge_runs = merge_runs or Runs.of_a_start(self.env.now(), settings)
        self.heartbeats.start()
        Every(self.env, settings.heartbeat_interval, self._round)
        self.confirmations.start()
        Every(self.env, settings.member_list_publish_interval, self._publish_periodically)
        self.splitbrain.start(merge_runs)
        self.join.start()

    def receive(self, message: Message) -> None:
        """What else than a heartbeat comes from my own address is of an incarnation before me: nobody is there to be
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
        if self.connections.is_up(to):  # else it has not come up yet
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

    def _confirmed_by_stranger(self, stranger: Identity, reason: str) -> None:
        self.suspicion.explicitly_suspect(stranger, reason)
        self.complaints.trigger_all(stranger)

    def _publish_periodically(self) -> None:
        self.updates.publish(change=False)

    def _installed(self, added: list[Member], removed: list[Member]) -> None:
        self.addresses.members_changed(added, removed)
        self.connections.members_changed(added, removed)
        self.heartbeats.members_changed(added, removed)
        self.confirmations.members_changed(added, removed)
        self.stale_joins.members_changed(added, removed)
        self.disconnection.members_changed(removed)
        self.splitbrain.members_changed()
        self.member_list.members_changed(added, removed)
        if self.leave.stops_as_master():
            return
        self.partitions.members_changed(added, removed, heard_of_table=self.mastership.heard_of_table)

    def _heard_from_master(self, master: Member) -> None:
        self.suspicion.heard_from(master, "its member list")
        self.mastership.claim_if_due()

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
            # An admission repeated to who is a member already is one more copy of the list.
            self.updates.on_members_update(MembersUpdate(message.sender, message.target, message.view))
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
