"""The members that I watch are looked at each period (text 5.2.2), after my own heartbeats have left.

A member that has been silent for the detection window is probed. If that fails, a master takes the matter up itself.
Any other member tells the member that is to decide."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from shaketable.node.config import INFERRED
from shaketable.node.core.env import Every, Micros
from shaketable.node.events import HeartbeatTargets, ProbeFailed, RoundLate
from shaketable.node.gms.beats import Beats
from shaketable.node.gms.carrying import IS_WELL
from shaketable.node.gms.group import Group
from shaketable.node.gms.probes import Probes
from shaketable.node.gms.swim import Swim
from shaketable.node.gms.watching import Watch, watch
from shaketable.node.messages import GroupMessage, HealthMessage, HealthState, Member, Seat, Uuid
from shaketable.node.why import Because

NOBODY = Watch((), ())


class Health:
    def __init__(
        self,
        group: Group,
        *,
        beats: Beats,
        probes: Probes,
        silent: Callable[[Seat, Because, Micros], None],
        heard: Callable[[Seat], None],
        swim: Swim,
    ) -> None:
        """`silent`: it could not be reached by a probe either; `heard`: somebody was, who may be in doubt."""
        self._group = group
        self._env = group.env
        self._beats = beats
        self._probes = probes
        self._silent = silent
        self._was_heard = heard
        self._period = group.settings.gms_heartbeat_period
        self._window = group.settings.detection_window
        self._swim = swim
        self._swims = group.settings.swims
        self._infers = group.settings.gms_detection == INFERRED
        self._watch = NOBODY
        self._watched: Mapping[Uuid, bool] = {}
        self._heard: dict[Uuid, Micros] = {}
        self._states: dict[Uuid, HealthState] = {}
        self._signs: dict[Uuid, Micros] = {}
        """when each was really heard: by a heartbeat, or by what is as good"""
        self._probing: dict[Uuid, bool] = {}
        self._master_heard: Micros = 0
        self._due: Micros = 0

    def start(self) -> None:
        self._due = self._env.now() + self._period
        Every(self._env, self._period, self._tick)

    # What comes in

    def on_health_message(self, message: HealthMessage) -> None:
        seat = self._group.seat_of(message.sender)
        if seat is not None:
            self._states[seat.member.uuid] = message.state
            self._sign_of(seat.member)
            if not self._swims:  # a doubt is refuted by its number
                self._was_heard(seat)

    def infer(self, message: GroupMessage) -> None:
        """Any message of a member that I watch is as good as a heartbeat, if it is the same incarnation, and was
        well."""
        uuid = message.sender.uuid
        if self._infers and uuid in self._watched and self._states.get(uuid) in IS_WELL:
            self._sign_of(message.sender)

    def _sign_of(self, member: Member) -> None:
        self._heard[member.uuid] = self._signs[member.uuid] = self._env.now()

    def master_is_there(self) -> None:
        self._master_heard = self._env.now()

    @property
    def watched(self) -> Mapping[Uuid, bool]:
        return self._watched

    # What the master hands to its followers

    @property
    def heard(self) -> Mapping[Uuid, Micros]:
        return dict(self._heard)

    def last_heard(self) -> list[tuple[Member, Micros]]:
        """Of each member: how long ago."""
        now = self._env.now()
        return [
            (seat.member, now - self._heard[seat.member.uuid])
            for seat in self._group.others
            if seat.member.uuid in self._heard
        ]

    def take_over(self, heard: Sequence[tuple[Member, Micros]], before: Mapping[Uuid, Micros]) -> None:
        """I have come to lead. A silent member has been silent since the master heard it, or since I did, and not only
        since now."""
        now = self._env.now()
        for member, ago in heard:
            if member.uuid in self._heard:
                self._heard[member.uuid] = max(now - ago, before.get(member.uuid, 0))

    # What changes

    def members_changed(self, came: Sequence[Seat], went: Sequence[Seat]) -> None:
        group, now, settings = self._group, self._env.now(), self._group.settings
        for seat in (*came, *went):
            for known in (self._heard, self._states, self._signs):
                known.pop(seat.member.uuid, None)
            self._beats.forget(seat)
        for seat in came:
            self._heard[seat.member.uuid] = now
        self._master_heard = now
        if self._swims:
            self._swim.turn_to(group.others)
        assert group.master is not None
        self._turn_to(
            watch(settings.gms_detection, group.me, group.master, group.view, group.rank, settings.likely_successors)
        )
        if any(seat.member == group.me for seat in came):
            self._beats.begin()

    def left_alone(self) -> None:
        """I have no master: I send nothing, and watch nobody."""
        self._turn_to(NOBODY)
        self._swim.turn_to(())
        self._heard.clear()
        self._states.clear()
        self._signs.clear()

    def probe_all(self) -> None:
        """I have come to lead: who failed together with the one before is found at once (text 5.2.2.2)."""
        for seat in self._group.others:
            self._probe(seat)

    def _turn_to(self, to: Watch) -> None:
        before, self._watch = self._watch, to
        watched = {seat.member.uuid: True for seat in to.watched}
        for uuid in watched:
            if uuid not in self._watched:  # who was watched by somebody else until now: its time begins
                self._heard[uuid] = self._env.now()
        self._watched = watched
        self._beats.go_to(to.to)
        now = addresses(to.to), addresses(to.watched)
        if now != (addresses(before.to), addresses(before.watched)):
            self._env.report(HeartbeatTargets(*now))

    # Each period

    def _tick(self) -> None:
        group, now = self._group, self._env.now()
        lateness, self._due = now - self._due, now + self._period
        if lateness > self._window // 2:
            self._start_afresh(now)
        if lateness > min(self._period, self._window // 2):
            self._env.report(RoundLate(lateness, lateness > self._window // 2))
        if not group.joined:
            return
        if self._swims:  # a ping is told with the periods that are over
            self._swim.tick()
        self._beats.beat()
        if self._swims:
            return
        for seat in self._watch.watched:
            if self._is_silent(seat):
                self._probe(seat)
        self._look_after_the_master(now)

    def _is_silent(self, seat: Seat) -> bool:
        missed = (self._env.now() - self._heard[seat.member.uuid]) // self._period
        return missed >= self._group.settings.gms_max_missed

    def _look_after_the_master(self, now: Micros) -> None:
        """A member that gets no heartbeat of the master, and nothing else for two windows, asks for a sign (rulings
        5.3)."""
        master = self._group.master_seat
        if master is None or self._group.leads or master.member.uuid in self._watched:
            return
        if now - self._master_heard >= 2 * self._window:
            self._probe(master)

    def _probe(self, seat: Seat) -> None:
        uuid = seat.member.uuid
        if uuid in self._probing:
            return
        self._probing[uuid] = True
        began, heard = self._env.now(), self._heard.get(uuid)

        def reached() -> None:
            del self._probing[uuid]
            present = self._group.seat_of(seat.member)
            if present is not None:
                self._was_heard(present)

        def failed(why: Because) -> None:
            del self._probing[uuid]
            present = self._group.seat_of(seat.member)
            last = self._master_heard if seat.member == self._group.master else 0
            if present is None:
                return  # it is gone
            if max(last, self._signs.get(uuid, 0)) > began:  # it was heard meanwhile; and since then?
                if uuid in self._watched and self._is_silent(present):
                    self._probe(present)
                return
            silence = self._env.now() - (heard if heard is not None and uuid in self._watched else self._master_heard)
            self._env.report(ProbeFailed(seat.member, *why, silence))
            self._silent(present, why, silence)

        self._probes.probe(seat.member, reached, failed)

    def _start_afresh(self, now: Micros) -> None:
        """I was asleep: that nobody was heard meanwhile says nothing."""
        self._heard = dict.fromkeys(self._heard, now)
        self._master_heard = now


def addresses(seats: Sequence[Seat]) -> tuple[str, ...]:
    return tuple(seat.member.address for seat in seats)
