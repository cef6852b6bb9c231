"""How a member tells another one that a member is silent, and how a silent master is replaced (rulings 5.3).

Only the master declares that a member has failed. So a member that watches another one tells the master. If the master
is silent, it tells the next one in line. If that one does not answer, it tells the one after it, until it is next in
line itself."""

from __future__ import annotations

from collections.abc import Callable

from shaketable.node.config import MASTER_AND_LIKELY
from shaketable.node.core.env import Micros
from shaketable.node.events import SuspectReportHeard
from shaketable.node.gms.doubts import Doubts
from shaketable.node.gms.group import Group
from shaketable.node.gms.probes import Probes
from shaketable.node.gms.publishing import Publishing
from shaketable.node.gms.reports import Reports
from shaketable.node.gms.sender import Sender
from shaketable.node.gms.witness import Witness
from shaketable.node.messages import (
    Address,
    HealthState,
    Member,
    Notification,
    ReignTold,
    Seat,
    SuspectReport,
    SuspectReportTaken,
    Uuid,
)
from shaketable.node.why import Because, Why, because


class Succession:
    def __init__(
        self,
        group: Group,
        *,
        reports: Reports,
        sender: Sender,
        probes: Probes,
        witness: Witness,
        doubts: Doubts,
        publishing: Publishing,
        probe_all: Callable[[], None],
        give_up: Callable[[Because], None],
    ) -> None:
        """`give_up`: my master, for this reason."""
        self._group = group
        self._env = group.env
        self._sender = sender
        self._probes = probes
        self._witness = witness
        self._doubts = doubts
        self._publishing = publishing
        self._probe_all = probe_all
        self._give_up = give_up
        self._swims = group.settings.swims
        self._silent: dict[Uuid, Seat] = {}
        """whom I cannot reach, of those who lead or would lead before me"""
        self._unreached: dict[Uuid, Seat] = {}
        """under SWIM, where nobody's silence is watched, the others that I could not reach when I tried last"""
        self._looking: dict[Uuid, Micros] = {}
        """who follows nobody, and when it last asked me for a master: it takes no report"""
        self._perhaps_late: set[Uuid] = set()
        """who asked once in the stay in which I know it"""
        self._reports = reports
        self._another_leads: Micros | None = None
        """since when I know of another master, which is none of mine"""
        self._spared: dict[Uuid, bool] = {}
        """masters that I do not reach, but another member did"""
        self._has_spoken = False
        """my master, by any message at all, since I doubt it"""
        self._tried_again = False
        """whether I have probed it once more for that"""
        self.stopping: dict[Uuid, bool] = {}
        """who has said that it shuts down; whether with the whole group"""

    def silent(self, seat: Seat, reason: Because, silence: Micros | None = None) -> None:
        """I watch it, and can reach it no more."""
        group = self._group
        if group.leads:
            self._doubts.doubt(seat, reason, silence)
            self._doubts.confirm(seat, group.me.uuid)
        elif seat.member == group.master:
            self.master_is_silent(reason, silence)
        elif group.master_seat is not None:
            if self._swims:
                self._unreached[seat.member.uuid] = seat
            self._report(seat, group.master_seat, reason, silence)

    def master_is_silent(self, reason: Because, silence: Micros | None = None) -> None:
        group = self._group
        master = group.master_seat
        if master is None or group.leads or self._witness.is_asked:
            return
        self._silent[master.member.uuid] = master
        if self._has_been_left():
            self._give_up(because(Why.MASTER_SILENT))
            return
        candidate = group.candidate(self._not_to_follow_it())
        if candidate is not None and candidate.member == group.me:
            if master.member.uuid in self._spared:
                self._ask_one_more(master, lambda: self._doubt_it(master, reason, silence))
            else:
                self._doubt_it(master, reason, silence)
                self._doubts.confirm(master, group.me.uuid)
        elif candidate is not None:
            self._report(master, candidate, reason, silence)

    def _doubt_it(self, master: Seat, reason: Because, silence: Micros | None) -> None:
        if not self._doubts.is_mine(master):
            self._has_spoken = self._tried_again = False
        self._doubts.doubt(master, reason, silence)

    def another_leads(self) -> None:
        """By word of anybody. That may be a matter of a moment, or of another part of a split."""
        if self._another_leads is None:
            self._another_leads = self._env.now()

    def looks_for_a_master(self, member: Member, stay: int) -> None:
        """In the stay in which I know it, it may have asked before it was added, and its question was slower. So such a
        question counts when it is repeated: then it has not heard that it was added."""
        seat = self._group.seat_of(member)
        if seat is not None and stay <= seat.stay and member.uuid not in self._perhaps_late:
            self._perhaps_late.add(member.uuid)
        else:
            self._looking[member.uuid] = self._env.now()

    def forget(self, seat: Seat) -> None:
        """It is in the view no more, or came anew: it has found its master."""
        self._looking.pop(seat.member.uuid, None)
        self._unreached.pop(seat.member.uuid, None)
        self._perhaps_late.discard(seat.member.uuid)

    def _not_to_follow_it(self) -> list[Uuid]:
        """The members that I cannot reach, and those that follow nobody. One of my view that gave way to another part's
        master that is gone waits for my master as long as I say that it leads."""
        return [*self._silent, *(uuid for uuid, asked in self._looking.items() if self._group.still_looks(asked))]

    def _has_been_left(self) -> bool:
        """I cannot reach my master, and in all the time that it takes to follow it those who follow another master
        have not come for me."""
        if self._another_leads is None:
            return False
        patience = self._group.settings.patience_with_a_silent_master(len(self._group.view))
        return self._env.now() - self._another_leads > patience

    def verified(self, seat: Seat) -> None:
        """It was in doubt, and a second probe has failed too."""
        group = self._group
        if group.leads:
            self._dead(seat)
        elif seat.member == group.master and self._tried_again:
            self._follow(seat)
        elif seat.member == group.master:
            self._ask_one_more(seat, lambda: self._follow(seat))

    def _follow(self, master: Seat) -> None:
        """Unless somebody has told meanwhile that it lives: then it is missed anew, or it is not. If the master itself
        has sent me anything since I doubt it, my links to it may be sound again. That may have been an old message: so
        I probe it once more."""
        if not self._doubts.suspects(master):
            self._silent.clear()
        elif self._has_spoken and not self._tried_again:
            self._tried_again = True
            self._doubts.verify_again(master)
        else:
            self.take_over(master, because(Why.MASTER_DEAD))

    def stops(self, member: Member, state: HealthState) -> None:
        """It has said that it shuts down, or that it has: whoever misses it, it has not failed (S7)."""
        group, known = self._group, self.stopping.get(member.uuid, False)
        self.stopping[member.uuid] = known or state == "group stopping"
        seat = group.seat_of(member)
        if state != "stopped" or seat is None:
            return
        if group.leads:
            self._end(seat)
        elif seat.member == group.master:
            candidate = group.candidate([*self._not_to_follow_it(), seat.member.uuid])
            if candidate is not None and candidate.member == group.me:
                self.take_over(seat, because(Why.MASTER_STOPPED))

    def takes_its_place(self, before: Seat) -> None:
        """Another incarnation of this member is to be added, and this one had said that it shuts down."""
        if before.member.uuid in self.stopping:
            self._end(before)

    def take_over(self, former: Seat, reason: Because) -> None:
        """Leadership first, then what became of the one before."""
        others = [seat for seat in {**self._silent, **self._unreached}.values() if seat.member != former.member]
        ends = [end for end in self._publishing.ends_of_late() if not self._has_only_stopped(end)]
        self._publishing.take_the_lead(reason, former)
        self._end(former)
        self._publishing.repeat(ends)
        for seat in others:
            present = self._group.seat_of(seat.member)
            if present is not None:
                self._doubts.doubt(present, because(Why.SILENT_AT_A_CHANGE))
                self._doubts.confirm(present, self._group.me.uuid)
        if self._group.settings.gms_detection == MASTER_AND_LIKELY:
            self._probe_all()

    def _has_only_stopped(self, end: Notification) -> bool:
        """It was declared dead, came back unknown to me, and has said since that it shuts down."""
        return end.change == "failure" and end.about is not None and end.about.member.uuid in self.stopping

    def heard_from(self, member: Member) -> None:
        self._silent.pop(member.uuid, None)
        self._unreached.pop(member.uuid, None)
        master = self._group.master_seat
        if master is not None and member == master.member:
            if not self._doubts.suspects(master):
                self._silent.clear()  # if it is missed again, those who would follow it are asked again
            self._another_leads = None
            self._has_spoken = True

    def reached(self, seat: Seat) -> None:
        """By a heartbeat of its own, or by a probe."""
        if seat.member == self._group.master:
            self._witness.cancel()
        self._doubts.heard_from(seat)

    def master_changed(self) -> None:
        self._silent.clear()
        self._unreached.clear()
        self._another_leads = None
        self._spared.clear()
        self._looking.clear()
        self._perhaps_late.clear()
        self._reports.cancel()
        self._witness.cancel()

    def hinted(self, seat: Seat) -> None:
        """By a watchdog: nothing is verified."""
        self._dead(seat)

    # Reports

    def _report(self, suspect: Seat, to: Seat, reason: Because, silence: Micros | None) -> None:
        def nobody_there() -> None:
            if to.member == self._group.master and self._swims:
                # Its sender may be slow itself, and reports more often than a watcher in a ring.
                self._probes.probe(to.member, lambda: None, lambda why: self._still_silent(to.member, why))
            elif to.member == self._group.master:
                self.master_is_silent(because(Why.NO_REPORT_TAKEN))
            elif suspect.member.uuid in self._silent:  # it has told nothing meanwhile
                self._silent[to.member.uuid] = to
                self.master_is_silent(reason, silence)

        self._reports.send(suspect, to, nobody_there)

    def on_suspect_report(self, message: SuspectReport) -> None:
        """A member that cannot decide takes no report, so that the sender turns to the next one."""
        group, sender = self._group, message.sender
        knows_sender, suspect = group.seat_of(sender) is not None, group.seat_of(message.suspect.member)
        if group.reign is None:
            return
        if group.leads and not knows_sender:
            self._publishing.send_again(sender, 0)  # it believes to be a member
            return
        if not group.leads and message.suspect.member != group.master:
            self._sender.send(sender.address, ReignTold(group.me, group.stamp, group.reign))
            if not knows_sender:
                return
        self._sender.send(sender.address, SuspectReportTaken(group.me, group.stamp, message.request))
        if suspect is None or not knows_sender:
            return
        self._env.report(SuspectReportHeard(message.sender, suspect.member))
        reason = because(Why.NOT_HEARD_BY, message.sender.address)
        if group.leads and (self._swims or not self._doubts.was_wrong(suspect)):
            self._doubts.doubt(suspect, reason)
            self._doubts.confirm(suspect, sender.uuid)
        elif group.leads:
            # It has lived, and was doubted for nothing: its reporter alone may have lost its way to it.
            self._probes.probe(suspect.member, lambda: None, lambda why: self._still_missed(suspect.member, why))
        elif suspect.member == group.master and self._doubts.is_mine(suspect):
            self._doubts.confirm(suspect, sender.uuid)
        elif suspect.member == group.master:
            # Its reporter may only have lost its own way to it: nothing is said before I have tried mine.
            self._probes.probe(suspect.member, lambda: None, lambda why: self._still_silent(suspect.member, why))

    def _still_missed(self, suspect: Member, why: Because) -> None:
        """A member that leads no more, or knows of its end by now, says nothing of it."""
        present = self._group.seat_of(suspect)
        if self._group.leads and present is not None:
            self._doubts.doubt(present, why)

    def _still_silent(self, master: Member, why: Because) -> None:
        if master == self._group.master:
            self.master_is_silent(why)

    def _ask_one_more(self, master: Seat, gone: Callable[[], None]) -> None:
        uuid = master.member.uuid

        def still_reached(by: Address) -> None:
            self._silent.clear()
            self._spared[uuid] = True
            self._doubts.reprieve(master, because(Why.STILL_REACHED, by))

        def no_more() -> None:
            self._spared.pop(uuid, None)
            gone()

        self._witness.ask(master, self._not_to_follow_it(), still_reached, no_more)

    # The end of a member

    def _dead(self, seat: Seat) -> None:
        present = self._group.seat_of(seat.member)
        if present is not None:
            if present.member.uuid not in self.stopping:
                self._doubts.announce(present, "dead")
            self._end(present)

    def _end(self, seat: Seat) -> None:
        stops = self.stopping.get(seat.member.uuid)
        present = self._group.seat_of(seat.member)
        if present is not None:
            self._publishing.end(present, "failure" if stops is None else "planned shutdown", bool(stops))
