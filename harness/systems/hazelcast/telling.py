"""From what the agent in a member tells to our events. Pure: it sees facts in their order, and has no clock.

Some events are told when a later line has made clear what an earlier one meant. They have the time of that line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from shaketable.harness.systems.hazelcast import facts
from shaketable.harness.systems.hazelcast.claiming import Claims
from shaketable.harness.systems.hazelcast.data import Data
from shaketable.harness.systems.hazelcast.deciding import TOGETHER, Decisions
from shaketable.harness.systems.hazelcast.facts import AnyFact
from shaketable.harness.systems.hazelcast.lines import Line, UnknownLine, read
from shaketable.harness.systems.hazelcast.merging import Merges
from shaketable.harness.systems.hazelcast.migrating import Migrations
from shaketable.harness.systems.hazelcast.removing import Removals
from shaketable.harness.systems.hazelcast.state import State, Told, UuidAt
from shaketable.harness.systems.hazelcast.words import address_in, list_in, members_in, without_prefix
from shaketable.node import events
from shaketable.node.core.env import MILLISECOND
from shaketable.node.messages import Address, Member
from shaketable.node.why import Because, Why, because


class Telling:
    """Of one process of one member."""

    def __init__(self, address: Address, uuid_at: UuidAt) -> None:
        self._state = State(address, uuid_at)
        self._to_join: Address = ""
        """the master that it asks to be admitted by, or whose claim it is about to accept"""
        self._founding: Because | None = None
        self._worst = "it does not say why"
        """the last of its log's most serious lines"""
        self._claims = Claims(self._state)
        self._removals = Removals(self._state)
        self._decisions = Decisions(self._state)
        self._merges = Merges(self._state)
        self._data = Data(self._state)
        self._migrations = Migrations(self._state, self._data)
        self._waiting: list[AnyFact] = []
        """since a first removal by decision"""
        self._decided_at = 0
        self._beside: list[AnyFact] = []
        """of other threads, since a removal began"""
        self._held: dict[int, str] = {}

    def hear(self, fact: AnyFact) -> list[Told]:
        """What this fact makes clear; it may be of facts before it."""
        if self._waiting:
            self._wait_for_others(fact)
        elif _decides(fact):
            self._waiting, self._decided_at = [fact], fact.t
        else:
            self._read(fact)
        return self._taken()

    def end(self) -> list[Told]:
        """It says no more: nothing is waited for any longer."""
        self._decide()
        beside, self._beside = self._beside, []
        for each in beside:
            self._read_now(each)
        return self._taken()

    def _taken(self) -> list[Told]:
        out, self._state.out = self._state.out, []
        return out

    def holds_at(self, fault: int, event: str) -> None:
        """The member was told to hold there."""
        self._held[fault] = event

    def take_troubles(self) -> list[str]:
        """Why what is told cannot be trusted, since the last time that this was asked."""
        troubles, self._state.troubles = self._state.troubles, []
        return troubles

    def _wait_for_others(self, fact: AnyFact) -> None:
        if fact.t - self._decided_at < TOGETHER:
            self._waiting.append(fact)
            if _decides(fact):
                self._decided_at = fact.t
            return
        self._decide()
        if _decides(fact):
            self._waiting, self._decided_at = [fact], fact.t
        else:
            self._read(fact)

    def _decide(self) -> None:
        waited, self._waiting = self._waiting, []
        if waited:
            self._state.now, self._state.line = waited[0].t, _shown(waited[0])
            self._decisions.decided([each for one in waited if _decides(one) for each in members_in(_text(one))])
        for each in waited:
            self._read(each)

    def _read(self, fact: AnyFact) -> None:
        """A removal and the list that follows it are one step of the thread that holds the cluster's lock. The facts
        of other threads are read after it."""
        if self._removals.under_way and not _of_membership(fact):
            self._beside.append(fact)
            if not isinstance(fact, facts.Tick | facts.Held):
                return
            self._removals.interrupted()
        else:
            self._read_now(fact)
        if not self._removals.under_way:
            beside, self._beside = self._beside, []
            for each in beside:
                self._read_now(each)

    def _read_now(self, fact: AnyFact) -> None:
        state = self._state
        state.now, state.line = max(state.now, fact.t), ""
        if fact.uuid and not state.me.uuid:
            state.start(fact.uuid)
        elif fact.uuid and not self._merges.may_be(fact.uuid):
            state.troubles.append(f"its uuid is {fact.uuid}, and its log said {state.me.uuid}")
            self._merges.former = fact.uuid
        state.line = _shown(fact)
        handler = _FACTS.get(type(fact))
        try:
            if handler is not None:
                handler(self, fact)
            else:
                self._data.hear(fact)
        except (LookupError, ValueError) as error:
            state.troubles.append(f"it tells what makes no sense ({error!r}): {fact}")

    # Its log

    def _log(self, fact: facts.Log) -> None:
        text = without_prefix(fact.text)
        if fact.level == "SEVERE":
            self._worst = text
        try:
            line = read(fact.source, text)
        except UnknownLine as unknown:
            said = f"a line of its log looks like one of ours, and no pattern knows it: {unknown}"
            self._state.troubles.append(said)
            return
        if line is not None:
            _LINES[line.name](self, line)

    def _sets_members(self, line: Line) -> None:
        state = self._state
        version, members = int(line.said["version"]), members_in(line.said["members"])
        if self._claims.finish(version, members):
            return
        if not state.joined:
            self._is_admitted(version, members)
        elif state.leads:
            self._removals.install(version, members)
        else:
            state.install(version, members, because(Why.MEMBERS_UPDATE))

    def _is_admitted(self, version: int, members: tuple[Member, ...]) -> None:
        state = self._state
        master = next((each for each in members if each.address == self._to_join), members[0])
        state.joined = True
        state.follow(master, because(Why.FINALIZE_JOIN))
        state.install(version, members, because(Why.FINALIZE_JOIN))
        state.tell(events.Joined(False, *because(Why.ADMITTED, master.address)))
        self._merges.is_admitted(master)

    def _founds(self, line: Line) -> None:
        state = self._state
        state.joined = True
        state.follow(state.me, because(Why.FOUNDED))
        state.install(1, (state.me,), because(Why.FOUNDED))
        state.tell(events.Joined(True, *(self._founding or because(Why.LONGEST_JOIN_TIME))))

    def _nobody_accepted(self, line: Line) -> None:
        self._founding = because(Why.NOBODY_ALIVE)

    def _voted(self, line: Line) -> None:
        self._founding = because(Why.CONSENTED)

    def _sets_master(self, line: Line) -> None:
        if not self._claims.starts():
            self._to_join = address_in(line.said["address"])

    def _sends_list(self, line: Line) -> None:
        state = self._state
        version, members = list_in(line.said["list"])
        change = self._removals.is_change(version)
        if len(members) > 1:
            state.tell(events.ViewPublished(version, state.me.uuid, members, len(members) - 1, change))

    def _round_is_late(self, line: Line) -> None:
        """By half of the timeout or more: its process, or the machine, stood still."""
        self._state.tell(events.RoundLate(int(line.said["jump"]) * MILLISECOND, True))

    def _suspicion_ended(self, line: Line) -> None:
        state = self._state
        peer = state.known(members_in(line.said["peer"])[0])
        if state.suspected.pop(peer.uuid, None) is not None:
            by_claim = line.said["reason"] == "Mastership claim"
            state.tell(events.SuspicionEnded(peer, *because(Why.CLAIM_ACCEPTED if by_claim else Why.HEARTBEAT)))

    def _thinks_it_is_split(self, line: Line) -> None:
        state = self._state
        peer = state.member_at(address_in(line.said["peer"]))
        if peer is not None:
            state.tell(events.MergeJudged(peer, "no", *because(Why.LISTS_OVERLAP, state.me.address)))
            self._removals.leads_another(peer)

    def _is_another(self, line: Line) -> None:
        self._removals.settle()
        self._claims.forget()
        self._migrations.forget()
        self._founding = None
        self._merges.is_another(line)

    def _timed_out(self, line: Line) -> None:
        why = because(Why.TOO_MUCH_WORK, "the", len(self._state.members))
        self._state.tell(events.DisconnectionUnresolved(self._state.version, True, 0, *why))

    def _dropped(self, line: Line) -> None:
        why = because(Why.LIST_CHANGED)
        self._state.tell(events.DisconnectionUnresolved(self._state.version, False, 0, *why))

    def _nothing(self, line: Line) -> None:
        """It is known, and says nothing that another line does not."""

    # Other facts

    def _connection(self, fact: facts.Connection) -> None:
        self._state.connection(fact.address, fact.id, up=fact.up)

    def _closed(self, line: Line) -> None:
        self._state.connection(address_in(line.said["address"]), int(line.said["id"]), up=False)

    def _leaving(self, fact: facts.Leaving) -> None:
        self._state.tell(events.Leaving())

    def _left(self, fact: facts.Left) -> None:
        self._state.tell(events.Stopped(*because(Why.LEFT)))

    def _gave_up(self, fact: facts.GaveUp) -> None:
        self._state.tell(events.Stopped(*because(Why.REFUSED_BY, "its cluster", self._worst), refused=True))

    def _failed(self, fact: facts.Failed) -> None:
        self._state.tell(events.Failed(fact.reason))

    def _lifecycle(self, fact: facts.Lifecycle) -> None:
        self._merges.lifecycle(fact.state)
        self._data.hear(fact)

    def _held_at(self, fact: facts.Held) -> None:
        self._state.tell(events.Held(fact.fault, self._held.get(fact.fault, ""), 0))

    def _released(self, fact: facts.Released) -> None:
        self._state.tell(events.Released(fact.fault, self._held.pop(fact.fault, "")))

    def _table(self, fact: facts.Table) -> None:
        self._data.hear(fact)
        self._migrations.after_table()

    def _safe(self, fact: facts.Safe) -> None:
        if fact.state == "SAFE":
            self._migrations.none_is_left()
        self._data.hear(fact)

    def _migration(self, fact: facts.Migration) -> None:
        self._migrations.step(fact)

    def _tick(self, fact: facts.Tick) -> None:
        self._removals.settle()
        self._merges.search_ends()


def _text(fact: AnyFact) -> str:
    return without_prefix(fact.text) if isinstance(fact, facts.Log) else ""


def _shown(fact: AnyFact) -> str:
    return fact.shown if isinstance(fact, facts.Log) else ""


def _of_membership(fact: AnyFact) -> bool:
    return isinstance(fact, facts.Log) and fact.source == "MembershipManager"


def _decides(fact: AnyFact) -> bool:
    return _of_membership(fact) and " because it has disconnected from some" in _text(fact)


def _of(part: str, does: str) -> Callable[[Telling, Line], None]:
    """A line that a part of the telling reads."""

    def handle(telling: Telling, line: Line) -> None:
        getattr(getattr(telling, part), does)(line)

    return handle


_LINES: Final[Mapping[str, Callable[[Telling, Line], None]]] = {
    "set members": Telling._sets_members,
    "sends list": Telling._sends_list,
    "raises version": Telling._nothing,
    "round is late": Telling._round_is_late,
    "founds": Telling._founds,
    "nobody accepted": Telling._nobody_accepted,
    "voted": Telling._voted,
    "sets master": Telling._sets_master,
    "unsets master": Telling._nothing,
    "suspected": _of("_removals", "suspected"),
    "suspicion ended": Telling._suspicion_ended,
    "heartbeats stay out": _of("_removals", "heartbeats_stay_out"),
    "removal decided": _of("_removals", "decided"),
    "removes": _of("_removals", "removes"),
    "restarted joiner": _of("_removals", "is_replaced"),
    "thinks it is split": Telling._thinks_it_is_split,
    "explicit suspicion": _of("_removals", "is_asked"),
    "explicit suspicion ignored": _of("_removals", "ignores"),
    "explicit suspicion without master": _of("_removals", "ignores"),
    "explicit suspicion unneeded": _of("_removals", "needs_not"),
    "suspicions reported": _of("_decisions", "reported"),
    "resolution timed out": Telling._timed_out,
    "resolution failed": Telling._dropped,
    "resolution dropped": Telling._dropped,
    "claim begins": _of("_claims", "begins"),
    "claim asks": _of("_claims", "asks"),
    "claim asks another": _of("_claims", "asks_another"),
    "claim learns": _of("_claims", "learns"),
    "claim leaves out": _of("_claims", "leaves_out"),
    "claim is not accepted": Telling._nothing,
    "claim is not answered": Telling._nothing,
    "claim ends": _of("_claims", "is_over"),
    "claim given up": _of("_claims", "is_over"),
    "claim failed": _of("_claims", "is_over"),
    "claim accepted": _of("_claims", "accepts"),
    "claim declined": _of("_claims", "declines"),
    "compares": _of("_merges", "compares"),
    "would merge": _of("_merges", "would_merge"),
    "stays": _of("_merges", "stays"),
    "lists overlap": _of("_merges", "lists_overlap"),
    "merges": _of("_merges", "wants_to"),
    "changes state": _of("_merges", "freezes"),
    "cannot freeze": _of("_merges", "cannot_freeze"),
    "merge put off": _of("_merges", "is_put_off"),
    "merge put off for its list": _of("_merges", "is_put_off"),
    "asks a part": _of("_merges", "asks"),
    "cannot ask a part": _of("_merges", "is_unanswered"),
    "part is silent": _of("_merges", "is_unanswered"),
    "part has failed": _of("_merges", "is_unanswered"),
    "closed": Telling._closed,
    "told to merge": _of("_merges", "is_told_to"),
    "new uuid": Telling._is_another,
    "partition lost": _of("_data", "lost"),
    "sends table": _of("_data", "sends"),
    "sends completed": _of("_data", "sends"),
    "commits": _of("_migrations", "commits"),
    "all migrated": _of("_migrations", "is_done"),
}
_FACTS: Final[Mapping[type, Callable[[Telling, Any], None]]] = {
    facts.Log: Telling._log,
    facts.Connection: Telling._connection,
    facts.Lifecycle: Telling._lifecycle,
    facts.Leaving: Telling._leaving,
    facts.Left: Telling._left,
    facts.GaveUp: Telling._gave_up,
    facts.Failed: Telling._failed,
    facts.Held: Telling._held_at,
    facts.Released: Telling._released,
    facts.Tick: Telling._tick,
    facts.Table: Telling._table,
    facts.Migration: Telling._migration,
    facts.Safe: Telling._safe,
}
HANDLED: Final = tuple(_LINES)
"""the names of the lines that are read"""
