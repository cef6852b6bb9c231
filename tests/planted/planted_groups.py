"""Planted bugs of a group: members that break one guarantee each, and the scripts in which it shows."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import script
from shaketable.node.config import LIFEGUARD, MASTER_AND_LIKELY, RING, SWIM, Settings
from shaketable.node.core.env import SECOND, Env
from shaketable.node.events import Event, Signalled
from shaketable.node.gms import GroupMember
from shaketable.node.messages import Address, HealthMessage, Message, Pong, Seat
from shaketable.node.why import Because

GROUP: Final = {"family": "gms"}


async def _formed(cluster: Cluster) -> None:
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.sleep(5 * cluster.settings.gms_heartbeat_period)


async def _rest(cluster: Cluster) -> None:
    await cluster.sleep(cluster.bounds.group.settle() + SECOND)


@script(about=["same notifications", "view sequence", "joins in order"], settings=GROUP)
async def one_misses_a_notification(cluster: Cluster) -> None:
    """n3 misses that n5 is added, and gets it when it asks."""
    await _formed(cluster)
    await cluster.drop("notified", sender="n1", to=["n3"], count=1)
    await cluster.start("n5")
    await _rest(cluster)


@script(
    about=["suspected first", "no false failure", "every failure told", "one view", "group detection"], settings=GROUP
)
async def a_member_dies(cluster: Cluster) -> None:
    """n3 is killed, and all hear of it."""
    await _formed(cluster)
    await cluster.kill("n3")
    await _rest(cluster)


@script(about=["every failure told", "leadership agrees", "one master"], settings=GROUP)
async def the_first_master_dies(cluster: Cluster) -> None:
    """The master is killed, and n2 follows it."""
    await _formed(cluster)
    await cluster.kill("n1")
    await _rest(cluster)


@script(about=["rejoin", "every failure told"], settings=GROUP)
async def a_member_comes_back_unseen(cluster: Cluster) -> None:
    """n3 is restarted before anybody misses it."""
    await _formed(cluster)
    await cluster.kill("n3")
    await cluster.restart("n3")
    await _rest(cluster)


@script(about=["shutdown is no failure"], settings=GROUP)
async def a_member_shuts_down(cluster: Cluster) -> None:
    """n3 leaves, and that is a planned shutdown."""
    await _formed(cluster)
    await cluster.leave("n3")
    await cluster.sleep(5 * SECOND)


@script(about=["one master", "one view", "same notifications"], settings=GROUP)
async def a_group_splits_and_heals(cluster: Cluster) -> None:
    """Two and two cannot reach each other, each pair has a master, and in the end all have one."""
    await _formed(cluster)
    split = await cluster.split(["n1", "n2"], ["n3", "n4"], how="cut")
    await cluster.sleep(cluster.bounds.group.take_over_and_failures(1, 1))
    await cluster.heal(split)
    await _rest(cluster)


@script(about=["group detection"], settings=GROUP)
async def another_member_is_out_of_reach(cluster: Cluster) -> None:
    """n2 is behind a black hole, and nothing stands between n3 and the others."""
    await _formed(cluster)
    await cluster.isolate("n2", how="blackhole")
    await _rest(cluster)


@script(about=["message cost", "no false failure"], settings=GROUP)
async def nothing_happens(cluster: Cluster) -> None:
    """A group of four is left alone."""
    await _formed(cluster)
    await _rest(cluster)


@script(about=["message cost"], settings={**GROUP, "gms_detection": MASTER_AND_LIKELY})
async def nothing_happens_to_few_heartbeats(cluster: Cluster) -> None:
    """A group of four is left alone, whose master sends to two of them."""
    await _formed(cluster)
    await cluster.sleep(20 * cluster.settings.gms_heartbeat_period)


@script(about=["group detection"], settings={**GROUP, "gms_detection": RING})
async def a_member_of_a_ring_dies(cluster: Cluster) -> None:
    """n3 is killed in a ring; n4 misses it, and tells the master."""
    await _formed(cluster)
    await cluster.kill("n3")
    await _rest(cluster)


@script(about=["group detection"], settings={**GROUP, "gms_detection": SWIM})
async def a_member_dies_under_swim(cluster: Cluster) -> None:
    """n3 is killed; somebody pings it in vain, and it does not answer to the doubt."""
    await _formed(cluster)
    await cluster.kill("n3")
    await _rest(cluster)


@script(about=["group detection"], settings={**GROUP, "gms_detection": SWIM})
async def a_member_is_away_under_swim(cluster: Cluster) -> None:
    """n3 is cut off for longer than a suspect has, and comes back."""
    await _formed(cluster)
    silence = await cluster.isolate("n3", how="blackhole")
    await cluster.until(cluster.that.suspects("n1", "n3"), within=cluster.bounds.group.failure())
    await cluster.sleep(cluster.settings.suspicion_wait(4) * 2)
    await cluster.heal(silence)
    await _rest(cluster)


@script(about=["message cost", "no false failure"], settings={**GROUP, "gms_detection": LIFEGUARD})
async def nothing_happens_under_lifeguard(cluster: Cluster) -> None:
    """A group of four is left alone."""
    await _formed(cluster)
    await cluster.sleep(20 * cluster.settings.gms_heartbeat_period)


class TakesWhatComes(GroupMember):
    """Same notifications: whatever is there is taken, though what was to come before it is not."""

    def __init__(self, env: Env, address: Address, addresses: list[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        notifications = self.notifications

        def take_all() -> None:
            for sequence in sorted(notifications._waiting):
                notifications._take(*notifications._waiting.pop(sequence))

        notifications._take_what_is_due = take_all  # type: ignore[method-assign]


class UsesANumberTwice(GroupMember):
    """View sequence: that somebody is ready is published by the number of what was published before."""

    def __init__(self, env: Env, address: Address, addresses: list[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        publishing = self.publishing
        ready, following = publishing.ready, publishing._next

        def repeat(seat: Seat) -> None:
            publishing._next = lambda: following() - 1  # type: ignore[method-assign]
            ready(seat)
            publishing._next = following  # type: ignore[method-assign]

        publishing.ready = repeat  # type: ignore[method-assign]


class _Telling(GroupMember):
    """Its application is told something else."""

    def __init__(self, env: Env, address: Address, addresses: list[Address], settings: Settings) -> None:
        report = env.report

        def tell(event: Event) -> None:
            for said in self.instead(event) if isinstance(event, Signalled) else [event]:
                report(said)

        env.report = tell  # type: ignore[method-assign]
        super().__init__(env, address, addresses, settings)

    def instead(self, signal: Signalled) -> list[Event]:
        return [signal]


class FollowsInItsOwnMind(_Telling):
    """Leadership agrees: whoever suspects its master tells at once who will follow, itself."""

    def instead(self, signal: Signalled) -> list[Event]:
        mine = Signalled("GROUP_LEADERSHIP", self.me, 0, self.me.uuid)
        suspects = signal.signal == "FAILURE_SUSPECTED" and signal.peer == self.group.master
        return [signal, mine] if suspects else [signal]


class TellsNoJoin(_Telling):
    """Joins in order: that somebody is ready says enough."""

    def instead(self, signal: Signalled) -> list[Event]:
        return [] if signal.signal == "JOIN" else [signal]


class SeesNoRejoin(GroupMember):
    """Rejoin: an incarnation that takes the place of another one is added like any other."""

    def __init__(self, env: Env, address: Address, addresses: list[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        publish = self.publishing._publish

        def forget(*args: Any, rejoin: int | None = None, **named: Any) -> None:
            publish(*args, rejoin=None, **named)

        self.publishing._publish = forget  # type: ignore[method-assign]


class BelievesAtOnce(GroupMember):
    """Suspected first: who could not be reached by a probe is dead."""

    def __init__(self, env: Env, address: Address, addresses: list[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        doubt = self.doubts.doubt

        def bury(seat: Seat, reason: Because, silence: int | None = None) -> None:
            if self.group.leads:
                self.succession.verified(seat)
            else:
                doubt(seat, reason, silence)

        self.doubts.doubt = bury  # type: ignore[method-assign]


class DeafToTheThird(GroupMember):
    """No false failure: what n3 says of its health is lost on all others."""

    def receive(self, message: Message) -> None:
        if not (isinstance(message, HealthMessage | Pong) and message.sender.address.endswith(":5703")):
            super().receive(message)


class MissesTheThird(DeafToTheThird):
    """Group detection: the same, and n3 has no part in what happens."""


class TakesOverInSilence(GroupMember):
    """Every failure told: who follows a dead master takes it off the view, and tells nobody that it has failed."""

    def __init__(self, env: Env, address: Address, addresses: list[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        lead = self.publishing.take_the_lead

        def lead_without(reason: Because, former: Seat | None = None) -> None:
            if former is not None:
                self.group.set_view(tuple(seat for seat in self.group.view if seat != former))
            lead(reason, former)

        self.publishing.take_the_lead = lead_without  # type: ignore[method-assign]


class CallsItAFailure(GroupMember):
    """Shutdown is no failure: whoever is gone has failed."""

    def __init__(self, env: Env, address: Address, addresses: list[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        end = self.publishing.end
        self.publishing.end = lambda seat, change, whole_group=False: end(seat, "failure")  # type: ignore[method-assign]


class NeverAsksAround(GroupMember):
    """One master: a master asks nobody whether there is another one."""

    def __init__(self, env: Env, address: Address, addresses: list[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        self.collisions._ask_around = lambda: None  # type: ignore[method-assign]


class KeepsTheDead(GroupMember):
    """One view: who was verified to be dead stays in the view for ever (B7 of rulings 5.8)."""

    def __init__(self, env: Env, address: Address, addresses: list[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        self.succession._end = lambda seat: None  # type: ignore[method-assign]


class BeatsTwice(GroupMember):
    """Message cost: each heartbeat leaves twice, to be sure."""

    def __init__(self, env: Env, address: Address, addresses: list[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        beat = self.sender.beat

        def beat_twice(to: Address, message: Message) -> None:
            beat(to, message)
            beat(to, message)
            self.beats._sent += 1

        self.sender.beat = beat_twice  # type: ignore[method-assign]


class SendsToAll(GroupMember):
    """Message cost: the master sends its heartbeats to all, whatever the policy says."""

    def __init__(self, env: Env, address: Address, addresses: list[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        go_to = self.beats.go_to
        self.beats.go_to = lambda to: go_to(self.group.others if self.group.leads else to)  # type: ignore[method-assign]


class _Otherwise(GroupMember):
    """By another setting than its own."""

    changed: ClassVar[dict[str, float]] = {}

    def __init__(self, env: Env, address: Address, addresses: list[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings.with_values(self.changed))


class VerifiesTooSoon(_Otherwise):
    """Group detection: a second probe follows the first one at once."""

    changed: ClassVar = {"gms_verify_timeout_seconds": 0.5}


class WaitsTooLong(_Otherwise):
    """Group detection: three times as many heartbeats may be missed."""

    changed: ClassVar = {"gms_max_missed": 9}


class GivesNoTime(_Otherwise):
    """Group detection: a suspect is dead before it can have answered."""

    changed: ClassVar = {"swim_suspicion_periods": 0.1}


class WaitsForAnAnswer(_Otherwise):
    """Group detection: a suspect has ten times as long to answer."""

    changed: ClassVar = {"swim_suspicion_periods": 50}


class NeverPings(GroupMember):
    """Group detection: nobody is pinged, so nobody is missed."""

    def __init__(self, env: Env, address: Address, addresses: list[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        self.swim.tick = lambda: None  # type: ignore[method-assign]


class PingsTwo(GroupMember):
    """Message cost: two members are pinged in each period."""

    def __init__(self, env: Env, address: Address, addresses: list[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        tick = self.swim.tick

        def tick_twice() -> None:
            tick()
            tick()

        self.swim.tick = tick_twice  # type: ignore[method-assign]


GROUP_CASES = [
    ("same notifications", one_misses_a_notification, TakesWhatComes),
    ("view sequence", one_misses_a_notification, UsesANumberTwice),
    ("leadership agrees", the_first_master_dies, FollowsInItsOwnMind),
    ("joins in order", one_misses_a_notification, TellsNoJoin),
    ("rejoin", a_member_comes_back_unseen, SeesNoRejoin),
    ("suspected first", a_member_dies, BelievesAtOnce),
    ("no false failure", nothing_happens, DeafToTheThird),
    ("every failure told", the_first_master_dies, TakesOverInSilence),
    ("shutdown is no failure", a_member_shuts_down, CallsItAFailure),
    ("one master", a_group_splits_and_heals, NeverAsksAround),
    ("one view", a_member_dies, KeepsTheDead),
    ("message cost", nothing_happens, BeatsTwice),
    ("message cost", nothing_happens_to_few_heartbeats, SendsToAll),
    ("group detection", a_member_dies, VerifiesTooSoon),
    ("group detection", a_member_of_a_ring_dies, WaitsTooLong),
    ("group detection", another_member_is_out_of_reach, MissesTheThird),
    ("group detection", a_member_dies_under_swim, GivesNoTime),
    ("group detection", a_member_dies_under_swim, NeverPings),
    ("group detection", a_member_dies_under_swim, WaitsForAnAnswer),
    ("group detection", a_member_is_away_under_swim, WaitsForAnAnswer),
    ("message cost", nothing_happens_under_lifeguard, PingsTwo),
]
