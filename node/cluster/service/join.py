"""Joining, the joiner's side: find the master among the configured addresses, ask to be admitted, be told the list.

A joiner asks every address which node is master. A member answers with its master's address. The master admits by
finalize join. If there is no master yet, the nodes that start at once vote: the one with the smallest address hash asks
all that showed a sign of life, and founds the cluster when all consent. A node founds a cluster alone only if no
configured address ever showed a sign of life. If one did, it waits for an answer up to the longest join time. So a busy
machine does not make two clusters out of one. A joiner that is told that its configuration does not fit stops. A joiner
that is told that it looks for another cluster looks elsewhere. Neither disturbs a member."""

from __future__ import annotations

from functools import partial

from shaketable.node.cluster.service.addresses import JoinAddresses
from shaketable.node.cluster.service.links import Links
from shaketable.node.cluster.service.suspicion import Suspicion
from shaketable.node.cluster.service.views import Membership
from shaketable.node.core.env import Every, Micros
from shaketable.node.core.requests import Ask, Requests
from shaketable.node.events import Joined, JoinRefusedBy, Merged, MergeFailed, Stopped
from shaketable.node.messages import (
    Address,
    ClusterMismatch,
    ConfigMismatch,
    FinalizeJoin,
    Identity,
    JoinRequest,
    MasterResponse,
    Member,
    MemberList,
    Message,
    StartupVote,
    StartupVoteAnswer,
    WhoIsMaster,
)
from shaketable.node.why import Because, Why, because


class Join:
    """The joiner's side, up to the moment when it is a member."""

    def __init__(
        self,
        membership: Membership,
        *,
        addresses: JoinAddresses,
        requests: Requests,
        links: Links,
        suspicion: Suspicion,
    ) -> None:
        self._membership = membership
        self._env = membership.env
        self._addresses = addresses
        self._requests = requests
        self._links = links
        self._suspicion = suspicion
        self._master: Address | None = None
        """who will admit me, as far as I was told"""
        self._master_asked = 0
        self._requested: Address | None = None
        """whom I asked last to admit me: it may be slow, and do so when I look for others already"""
        self._heard_from: dict[Address, Micros] = {}
        """and how much longer that counts once my link there is down: it may have been under way when that broke"""
        self._refused_by: dict[Address, bool] = {}
        """who belongs to another cluster"""
        self._began: Micros = 0
        self._round_due: Micros = 0
        self._patience_left: Micros = 0
        self._vote: dict[Address, Ask] = {}
        """my own start-up vote: whose answer is awaited"""
        self._voters: tuple[Address, ...] = ()
        self._consented_to: tuple[Address, Micros] | None = None
        """whom I let found the cluster, and until when nobody else"""
        self._rounds: Every | None = None
        self._into: Member | None = None
        """after a merge: whom alone I ask at first"""
        self._merges = False
        """I come from another part of this cluster"""

    def merge_into(self, target: Member) -> None:
        """Called before `start`."""
        self._into = target
        self._merges = True

    def start(self) -> None:
        settings = self._membership.settings
        self._began = self._env.now()
        if self._into is not None:
            self._rounds = Every(self._env, settings.join_retry, self._round)
            self._env.call_later(settings.max_join_merge_target, lambda: self._give_up_target(Why.NOT_ADMITTED))
            self._turn_to(self._into.address)
            return
        if not self._addresses.possible():
            self._found(because(Why.NO_OTHER_ADDRESS))
            return
        self._patience_left = settings.join_patience
        self._round_due = self._began + settings.join_retry
        self._rounds = Every(self._env, settings.join_retry, self._round)
        self._ask_all()

    def link_up(self, address: Address) -> None:
        """An address that can be reached now is asked now, not at the next round."""
        if not self._searching:
            return
        if self._master == address:
            self._request_join()
        elif self._master is None and address in self._addresses and address not in self._refused_by:
            self._ask(address)

    def link_down(self, address: Address) -> None:
        """An address that was heard counts as alive until I find that it cannot be reached."""
        self._heard_from.pop(address, None)

    def heard(self, address: Address) -> None:
        """A sign of life, of whatever kind."""
        if self._searching and address in self._addresses:
            self._heard_from[address] = self._membership.settings.join_patience

    @property
    def _searching(self) -> bool:
        return self._rounds is not None and not self._membership.joined

    def _candidates(self) -> list[Address]:
        return [a for a in self._addresses.possible() if a not in self._refused_by]

    def _give_up_target(self, why: Why) -> None:
        """From now on I look for a master as a node does that starts."""
        if not self._searching or self._into is None:
            return
        self._env.report(MergeFailed(*because(why, self._master)))
        settings = self._membership.settings
        self._into = self._master = None
        self._began = self._env.now()
        self._patience_left = settings.join_patience
        self._round_due = self._began + settings.join_retry
        self._ask_all()

    def _round(self) -> None:
        if not self._searching:
            return
        settings, now = self._membership.settings, self._env.now()
        if self._into is not None:
            self._request_join()
            return
        # Patience is counted in rounds that ran in time: a starved process has not looked around while it slept.
        passed = settings.join_retry if now - self._round_due <= settings.join_retry else 0
        self._patience_left -= passed
        self._round_due = now + settings.join_retry
        for address, left in list(self._heard_from.items()):
            if self._links.is_down(address) and left <= passed:
                del self._heard_from[address]
            elif self._links.is_down(address):
                self._heard_from[address] = left - passed
        if self._master is not None:
            self._master_asked += 1
            if self._master_asked * settings.join_retry > settings.join_patience or not self._links.is_up(self._master):
                self._master = None
        if self._master is not None:
            self._request_join()
        elif self._patience_left <= 0:
            self._found_or_vote()
        if self._searching and self._master is None:
            self._ask_all()

    def _ask_all(self) -> None:
        for address in self._candidates():
            self._ask(address)

    def _ask(self, address: Address) -> None:
        self._env.send(address, WhoIsMaster(self._membership.me, self._membership.config))

    def _request_join(self) -> None:
        assert self._master is not None
        self._requested = self._master
        self._env.send(self._master, JoinRequest(self._membership.me, self._membership.config))

    def on_master_response(self, message: MasterResponse) -> None:
        if not self._searching:
            return
        self.heard(message.sender.address)
        mine = self._membership.me.address
        if message.master == mine or (self._master == message.master and message.sender.address != message.master):
            return
        told_by_my_master = message.sender.address == self._master
        if self._master is None or told_by_my_master or not self._links.is_up(self._master):
            self._turn_to(message.master)

    def _turn_to(self, master: Address) -> None:
        self._master = master
        self._master_asked = 0
        self._request_join()

    def on_cluster_mismatch(self, message: ClusterMismatch) -> None:
        """Another cluster: it is asked no more, but mine may be at another address."""
        address = message.sender.address
        if not self._searching or message.target != self._membership.me.uuid or address in self._refused_by:
            return
        self._refused_by[address] = True
        self._env.report(JoinRefusedBy(message.sender, *message.reason))
        if self._master == address:
            self._give_up_target(Why.REFUSES_ME)
            self._master = None

    def on_config_mismatch(self, message: ConfigMismatch) -> None:
        """My own cluster, and I do not fit it. Nothing will change that but another configuration. But a node that
        comes from another part of it fits: one that says no was started otherwise since, and is of another cluster to
        me."""
        if not self._searching or message.target != self._membership.me.uuid:
            return
        if self._merges:
            self.on_cluster_mismatch(ClusterMismatch(message.sender, message.target, message.reason))
            return
        self._stop()
        self._env.report(Stopped(*because(Why.REFUSED_BY, message.sender.address, message.reason), refused=True))

    def on_finalize_join(self, message: FinalizeJoin) -> None:
        ms = self._membership
        sender, view = message.sender, message.view
        if not self._searching or sender.address != self._requested:
            self._suspicion.explicitly_suspect(
                Identity(sender, sender.address, view.version), because(Why.STRANGE_JOIN)
            )
            return
        if message.target != ms.me.uuid or ms.me not in view.members:
            return
        ms.joined = True
        self._stop()
        ms.clock_offset = message.cluster_time - self._env.now()
        ms.follow(sender, because(Why.FINALIZE_JOIN))
        ms.install(view, because(Why.FINALIZE_JOIN))
        self._env.report(Joined(False, *because(Why.ADMITTED, sender.address)))
        if self._into is not None:
            self._env.report(Merged(sender))

    # Founding a cluster

    def _alive(self) -> list[Address]:
        """The configured addresses that showed a sign of life."""
        return [a for a in self._candidates() if self._links.is_up(a) or a in self._heard_from]

    def _found_or_vote(self) -> None:
        now, settings = self._env.now(), self._membership.settings
        if self._consented_to is not None and now < self._consented_to[1]:
            return
        if now - self._began >= settings.max_join:
            self._found(because(Why.LONGEST_JOIN_TIME))
            return
        if self._vote:
            return
        alive = self._alive()
        if not alive:
            self._found(because(Why.NOBODY_OF_MINE_ALIVE if self._refused_by else Why.NOBODY_ALIVE))
        elif all(_order(self._membership.me.address) < _order(a) for a in alive):
            self._call_vote(alive)

    def _call_vote(self, voters: list[Address]) -> None:
        settings, me = self._membership.settings, self._membership.me
        self._voters = tuple(voters)
        for voter in voters:
            self._vote[voter] = self._requests.ask(
                lambda to=voter: to,  # type: ignore[misc]
                partial(StartupVote, me),
                on_answer=partial(self._on_vote, voter),
                on_silence=self._end_vote,
                retry=settings.join_retry,
                budget=settings.startup_vote_timeout,
            )

    def _on_vote(self, voter: Address, answer: Message) -> bool:
        if not isinstance(answer, StartupVoteAnswer):
            return False
        if not answer.granted:
            self._end_vote()
            return True
        self._vote.pop(voter, None)
        # Meanwhile a master may have answered, or somebody have come up who was not asked: the next round looks again.
        unasked = [a for a in self._alive() if a not in self._voters]
        if not self._vote and self._searching and self._master is None and not unasked:
            self._found(because(Why.CONSENTED))
        return True

    def _end_vote(self) -> None:
        """No consensus: somebody is silent, refused, or knows a master. The next round looks again."""
        for ask in self._vote.values():
            ask.cancel()
        self._vote.clear()

    def on_startup_vote(self, message: StartupVote) -> None:
        ms, sender = self._membership, message.sender.address
        self.heard(sender)
        now = self._env.now()
        to, until = self._consented_to or (sender, now)
        free = self._searching and not self._vote and (to == sender or now >= until)
        granted = free and self._master in (None, sender)
        if granted:
            self._consented_to = (sender, now + ms.settings.startup_vote_timeout)
        self._env.send(sender, StartupVoteAnswer(ms.me, message.request, granted))

    def _found(self, reason: Because) -> None:
        ms = self._membership
        ms.joined = True
        self._stop()
        ms.follow(ms.me, because(Why.FOUNDED))
        ms.install(MemberList(1, ms.me.uuid, (ms.me,)), because(Why.FOUNDED))
        self._env.report(Joined(True, *reason))

    def _stop(self) -> None:
        self._end_vote()
        if self._rounds is not None:
            self._rounds.cancel()


def _order(address: Address) -> tuple[int, Address]:
    """The start-up tie-break of the real system: the smallest hash of an address is the candidate."""
    host, _, port = address.rpartition(":")
    value = 0
    for letter in host:
        value = (31 * value + ord(letter)) & 0xFFFFFFFF
    value = (31 * int(port) + value) & 0xFFFFFFFF
    return (value - (1 << 32) if value >= 1 << 31 else value, address)
