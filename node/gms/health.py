"""Heartbeats: mine leave each period, and those of whom I watch are looked for (text 2.2).

Who has been silent for the detection window is probed; what follows when that fails depends on who it is: the master
takes the matter up itself, anybody else tells who is to decide."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from shaketable.node.config import INFERRED, MASTER_AND_LIKELY
from shaketable.node.env import Every, Micros
from shaketable.node.events import HeartbeatsCounted, HeartbeatTargets, ProbeFailed, RoundLate
from shaketable.node.gms.group import Group
from shaketable.node.gms.probes import Probes
from shaketable.node.gms.sender import Sender
from shaketable.node.gms.watching import Watch, watch
from shaketable.node.messages import GroupMessage, HealthMessage, HealthState, Member, ReignTold, Seat, Uuid

IS_WELL: tuple[HealthState, ...] = ("alive", "alive and ready")
"""Only who has last said so can be inferred to live on."""


class Health:
    def __init__(
        self,
        group: Group,
        sender: Sender,
        probes: Probes,
        silent: Callable[[Seat, str, Micros], None],
        back: Callable[[Seat], None],
    ) -> None:
        """`silent`: it could not be reached by a probe either; `back`: somebody is heard, who may be in doubt."""
        self._group = group
        self._env = group.env
        self._sender = sender
        self._probes = probes
        self._silent = silent
        self._back = back
        self._period = group.settings.gms_heartbeat_period
        self._window = group.settings.detection_window
        self._infers = group.settings.gms_detection == INFERRED
        self._watch = Watch((), ())
        self._watched: Mapping[Uuid, bool] = {}
        self._heard: dict[Uuid, Micros] = {}
        self._states: dict[Uuid, HealthState] = {}
        self._probing: dict[Uuid, bool] = {}
        self._master_heard: Micros = 0
        self._due: Micros = 0
        self._periods = self._sent = self._spared = 0

    def start(self) -> None:
        self._due = self._env.now() + self._period
        Every(self._env, self._period, self._tick)

    # What comes in

    def on_health_message(self, message: HealthMessage) -> None:
        seat = self._group.seat_of(message.sender)
        if seat is not None:
            self._states[seat.member.uuid] = message.state
            self.heard_from(seat)

    def infer(self, message: GroupMessage) -> None:
        """Any message of whom I watch is as good as a heartbeat, if it is the same incarnation, and was well."""
        uuid = message.sender.uuid
        if self._infers and uuid in self._watched and self._states.get(uuid) in IS_WELL:
            self._heard[uuid] = self._env.now()

    def heard_from(self, seat: Seat) -> None:
        self._heard[seat.member.uuid] = self._env.now()
        self._back(seat)

    def master_is_there(self) -> None:
        self._master_heard = self._env.now()

    def last_heard(self) -> list[tuple[Member, Micros]]:
        """For who follows me as the master: how long ago each was heard."""
        now = self._env.now()
        return [
            (seat.member, now - self._heard[seat.member.uuid])
            for seat in self._group.others
            if seat.member.uuid in self._heard
        ]

    def take_over(self, heard: Sequence[tuple[Member, Micros]]) -> None:
        now = self._env.now()
        for member, ago in heard:
            self._heard[member.uuid] = max(now - ago, self._heard.get(member.uuid, 0))

    # What changes

    def members_changed(self, came: Sequence[Seat], went: Sequence[Seat]) -> None:
        group, now = self._group, self._env.now()
        for seat in went:
            self._heard.pop(seat.member.uuid, None)
            self._states.pop(seat.member.uuid, None)
        for seat in came:
            self._heard[seat.member.uuid] = now
        self._master_heard = now
        before = self._watch
        assert group.master is not None
        settings = group.settings
        self._watch = watch(
            settings.gms_detection, group.me, group.master, group.view, group.rank, settings.likely_successors
        )
        watched = {seat.member.uuid: True for seat in self._watch.watched}
        for uuid in watched:
            if uuid not in self._watched:  # who was watched by somebody else until now: its time begins
                self._heard[uuid] = now
        self._watched = watched
        if (addresses(before.to), addresses(before.watched)) != (
            addresses(self._watch.to),
            addresses(self._watch.watched),
        ):
            self._tell_count()
            self._env.report(HeartbeatTargets(addresses(self._watch.to), addresses(self._watch.watched)))
        if any(seat.member.uuid == group.me.uuid for seat in came):  # my first one goes to all (rulings 5.5)
            self._sender.to_all([seat.member.address for seat in group.others], self.message())

    def left_alone(self) -> None:
        """I have no master: I send nothing, and watch nobody."""
        self._tell_count()
        self._watch, self._watched = Watch((), ()), {}

    def probe_all(self) -> None:
        """I have come to lead: who failed together with the one before is found at once (text 2.2.2)."""
        for seat in self._group.others:
            self._probe(seat)

    def message(self) -> HealthMessage:
        group = self._group
        return HealthMessage(group.me, group.stamp, group.state, group.reign)

    # Each period

    def _tick(self) -> None:
        group, now = self._group, self._env.now()
        lateness, self._due = now - self._due, now + self._period
        if lateness > self._window // 2:
            self._start_afresh(lateness)
        if not group.joined:
            return
        self._beat(now)
        for seat in self._watch.watched:
            if (now - self._heard[seat.member.uuid]) // self._period >= group.settings.gms_max_missed:
                self._probe(seat)
        self._look_after_the_master(now)

    def _beat(self, now: Micros) -> None:
        group, message = self._group, self.message()
        spares = self._infers and group.state in IS_WELL
        for seat in self._watch.to:
            address = seat.member.address
            if spares and self._sender.said_something_since(address, now - self._period):
                self._spared += 1
            else:
                self._sender.beat(address, message)
                self._sent += 1
        self._periods += 1
        if self._periods == group.settings.gms_max_missed:
            self._tell_count()
            self._tell_reign()

    def _tell_count(self) -> None:
        if self._periods:
            self._env.report(HeartbeatsCounted(self._periods, self._sent, self._spared))
        self._periods = self._sent = self._spared = 0

    def _tell_reign(self) -> None:
        """Where no heartbeat of the master comes, its sequence id alone, once a detection window (rulings 5.1)."""
        group = self._group
        if group.leads and group.reign is not None and group.settings.gms_detection == MASTER_AND_LIKELY:
            reached = addresses(self._watch.to)
            rest = [seat.member.address for seat in group.others if seat.member.address not in reached]
            self._sender.to_all(rest, ReignTold(group.me, group.stamp, group.reign))

    def _look_after_the_master(self, now: Micros) -> None:
        """Who gets no heartbeat of the master, and nothing else for two windows, asks for a sign (rulings 5.3)."""
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
        heard = self._heard.get(uuid)

        def reached() -> None:
            del self._probing[uuid]
            if seat.member == self._group.master:
                self.master_is_there()
            self._back(seat)

        def failed(why: str) -> None:
            del self._probing[uuid]
            present = self._group.seat_of(seat.member)
            if present is None or (heard is not None and self._heard.get(uuid) != heard):
                return  # it is gone, or was heard meanwhile
            silence = self._env.now() - (heard if heard is not None and uuid in self._watched else self._master_heard)
            self._env.report(ProbeFailed(seat.member, why, silence))
            self._silent(present, why, silence)

        self._probes.probe(seat.member, reached, failed)

    def _start_afresh(self, lateness: Micros) -> None:
        """I was asleep: that nobody was heard meanwhile says nothing."""
        now = self._env.now()
        self._heard = dict.fromkeys(self._heard, now)
        self._master_heard = now
        self._env.report(RoundLate(lateness, True))


def addresses(seats: Sequence[Seat]) -> tuple[str, ...]:
    return tuple(seat.member.address for seat in seats)
