"""Faults of nodes: kill, pause, resume, leave, restart, clock, load; inside them: drop, hold_back, delay, hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from shaketable.harness.conditions import cluster as conditions
from shaketable.harness.errors import ScriptError
from shaketable.harness.faults.actions import Kill, Leave, Restart
from shaketable.harness.faults.node_kinds import (
    CLOCK,
    DELAY,
    DROP,
    HOLD,
    HOLD_BACK,
    KILL,
    LEAVE,
    LOAD,
    RESTART,
)
from shaketable.harness.faults.table import ClockFault, Hold, Load, MessageFault, Pause
from shaketable.harness.faults.verb import FaultKind
from shaketable.harness.records import StepKind
from shaketable.harness.scripting.fault_book import Injected
from shaketable.harness.scripting.verbs.base import Verbs, checked, whole
from shaketable.harness.scripting.verbs.where import where_of
from shaketable.node import events, messages
from shaketable.node.core.env import Micros

MESSAGE_KINDS: Final = tuple(sorted(str(kind.__struct_config__.tag) for kind in messages.KINDS))
_NO_PLACE_TO_HOLD: Final = (events.Event, events.Failed, events.Held, events.Released)
EVENT_NAMES: Final = tuple(
    sorted(
        name
        for name, kind in vars(events).items()
        if isinstance(kind, type) and issubclass(kind, events.Event) and kind not in _NO_PLACE_TO_HOLD
    )
)
NO_VALUES: Final[Mapping[str, object]] = {}


class NodeVerbs(Verbs):
    async def kill(self, name: str) -> None:
        """SIGKILL: a crash."""
        await self._faults.once(KILL, Kill(self._known(name)))

    async def leave(self, name: str, *, wait: bool = True) -> None:
        """Graceful shutdown. Returns when the node has ended, or at once with `wait=False`. A paused node cannot
        leave."""
        leaving = self._faults.once(LEAVE, Leave(self._known(name)))
        if wait:
            await leaving
        else:
            self._driver.also(leaving, lambda result, error: None)  # what came of it is in the book

    async def restart(self, name: str) -> None:
        """Starts a killed or left node again, at the same address with a new identity. Does not wait until it has
        joined."""
        await self._faults.once(RESTART, Restart(self._known(name)))
        await self._have_started(name)

    async def pause(self, name: str) -> Injected:
        """A long GC pause: the node executes nothing, and its clock runs on."""
        return await self._faults.begin(Pause(self._known(name)))

    async def resume(self, name: str) -> None:
        """Ends every pause of this node."""
        pauses = self._faults.pauses_of(self._known(name))
        if not pauses:
            raise ScriptError(f"{name} is not paused")
        for number in pauses:
            await self._faults.end(number)

    async def clock(self, name: str, *, jump: Micros = 0, rate_ppm: int = 0) -> Injected:
        """The node's clock jumps ahead by `jump`, or runs `rate_ppm` millionths fast (slow if negative). `heal` ends
        the drift; a jump stays."""
        self._known(name)
        checked(CLOCK, jump=jump, rate_ppm=rate_ppm)
        return await self._faults.begin(ClockFault(name, jump, rate_ppm))

    async def load(self, busy: int = 4) -> Injected:
        """Every node, also one that starts later, gets one part in `busy` + 1 of the time, and waits for its turn.

        No bound allows for that: give more time to what must come true meanwhile."""
        checked(LOAD, busy=busy)
        return await self._faults.begin(Load(busy))

    async def drop(
        self, kind: str, *, sender: str, to: Sequence[str] = (), count: int | None = None, perhaps: bool = False
    ) -> Injected:
        """Messages of this kind from `sender` are lost. "membersupdate" is one of the [kinds of
        messages](kinds.md#messages). If there are none the verdict is unknown, except with `perhaps`."""
        return await self._filter(DROP, kind, sender, to, count, perhaps)

    async def hold_back(
        self, kind: str, *, sender: str, to: Sequence[str] = (), count: int | None = None, perhaps: bool = False
    ) -> Injected:
        """Such messages wait until the fault is healed, and then arrive after later ones."""
        return await self._filter(HOLD_BACK, kind, sender, to, count, perhaps)

    async def delay(
        self,
        kind: str,
        by: Micros,
        *,
        sender: str,
        to: Sequence[str] = (),
        count: int | None = None,
        perhaps: bool = False,
    ) -> Injected:
        """Such messages leave `by` later, and later ones do not wait for them."""
        return await self._filter(DELAY, kind, sender, to, count, perhaps, by)

    async def _filter(
        self,
        does: FaultKind,
        kind: str,
        sender: str,
        to: Sequence[str],
        count: int | None,
        perhaps: bool,
        delay: Micros | None = None,
    ) -> Injected:
        receivers = self._receivers(sender, to)
        checked(does, count=count, **({} if delay is None else {"by": delay}))
        fault = MessageFault(sender, does, (message_named(kind),), receivers, count, delay or 0)
        return await self._faults.begin(fault, perhaps=perhaps)

    async def hold(
        self,
        name: str,
        event: str,
        *,
        after: int | None = None,
        nth: int = 1,
        where: Mapping[str, object] = NO_VALUES,
        perhaps: bool = False,
    ) -> Injected:
        """The node stops at its `nth` event of this kind ([kinds of events](kinds.md#events)): before the messages of
        that step leave, or after `after` of them. If the event never comes the verdict is unknown, except with
        `perhaps`.

        `where={"role": "destination"}`: only such events count. Give a member as the name of its node, and a reason as
        its kind: `{"why": "not-newer"}` ([kinds of reasons](kinds.md#reasons))."""
        self._known(name)
        meant = where_of(event_named(event), where, lambda peer: self._world.observed.nodes[self._known(peer)].address)
        checked(HOLD, after=after, nth=nth)
        return await self._faults.begin(Hold(name, event, after, nth, meant), perhaps=perhaps)

    async def until_held(self, name: str, event: str, *, within: Micros) -> None:
        """Goes on when the node holds there."""
        condition = conditions.is_held(self._known(name), event_named(event))
        self._step(f"until {condition.label}", StepKind.WAITS)
        await self._met(condition, whole(within, "within"))


def message_named(name: str) -> str:
    if name not in MESSAGE_KINDS:
        raise ScriptError(f"there is no message {name}; there are {', '.join(MESSAGE_KINDS)}")
    return name


def event_named(name: str) -> str:
    if name not in EVENT_NAMES:
        raise ScriptError(f"there is no event {name} to hold at; there are {', '.join(EVENT_NAMES)}")
    return name
