"""Plays a fault plan on a cluster, in either world: each deed at its time, whatever else goes on.

A deed may be impossible at its time, because what it needs was taken out of the plan or has ended. It is left out then,
and the history says so in words. The run does not become unknown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from shaketable.harness.faults.node_kinds import KILL, LEAVE, RESTART
from shaketable.harness.faults.verb import STOP_WORK
from shaketable.harness.nemesis.deeds import (
    KINDS,
    TALK,
    Moment,
    Standing,
    broken_by,
    formation_of,
    moments_of,
    why_not,
)
from shaketable.harness.nemesis.endings import ENDINGS, alive
from shaketable.harness.nemesis.plan import Plan, to_json
from shaketable.harness.records import Record, StepBegan
from shaketable.harness.scripting.calls import Call
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.verbs.data import Work
from shaketable.harness.scripting.verbs.telling import leaves_out, leaves_out_the_rest, plays
from shaketable.node.core.env import SECOND, Micros

A_MOMENT = SECOND
"""after which whoever sends has noticed that a link is down, or up again"""


async def play(cluster: Cluster, plan: Plan) -> None:
    """Forms the plan's cluster, does each deed at its time, and then what its ending says."""
    plays(cluster, len(plan.deeds), to_json(plan))
    for call in formation_of(plan):
        await perform(cluster, call)
    player = _Player(cluster, plan)
    await player.play(moments_of(plan))
    await player.end_of_storm()
    await ENDINGS[plan.ending](cluster, player.works())


async def perform(cluster: Cluster, call: Call, *first: object) -> Any:
    return await getattr(cluster, call.verb)(*first, *call.arguments, **call.options)


def left_out_in(records: Iterable[Record]) -> list[int]:
    """The numbers of the deeds of a plan that a run left out from their beginning."""
    return [deed for r in records if isinstance(r.event, StepBegan) for deed in r.event.left_out]


def rest_left_out_in(records: Iterable[Record]) -> list[int]:
    """Of those that it began, and then left out the rest."""
    return [deed for r in records if isinstance(r.event, StepBegan) for deed in r.event.rest_left_out]


class _Player:
    def __init__(self, cluster: Cluster, plan: Plan) -> None:
        self._cluster = cluster
        self._plan = plan
        self._formed = cluster.seen.now()
        self._last: Micros = 0
        self._begun: dict[int, Any] = {}
        """by number of the deed, what its first call gave"""
        self._ended: dict[int, Micros] = {}
        self._asleep: dict[str, int] = {}
        """by which deed"""
        self._leaving: dict[str, bool] = {}
        self._anew: dict[str, Micros] = {}
        """when it was started again: others may take its old links for whole until they hear of their end"""

    async def play(self, moments: Iterable[Moment]) -> None:
        for moment in moments:
            if moment.at > self._last:
                await self.at(moment.at)
                self._last = moment.at
            await self._do(moment)

    async def at(self, time: Micros) -> None:
        """So long after all had formed; at once, if that is over."""
        await self._cluster.sleep(max(0, self._formed + time - self._cluster.seen.now()))

    async def end_of_storm(self) -> None:
        if self._plan.storm > self._last:
            await self.at(self._plan.storm)

    def works(self) -> list[Work]:
        """Clients that are still at work."""
        return [given for given in self._begun.values() if isinstance(given, Work)]

    async def _do(self, moment: Moment) -> None:
        cluster, deed, call = self._cluster, self._plan.deeds[moment.deed], moment.call
        if moment.first:
            why = why_not(deed, self._standing())
            if why:
                leaves_out(cluster, moment.deed, f"{deed.verb} {' '.join((*deed.on, *deed.to))}: {why}")
                return
            self._begun[moment.deed] = None
        elif moment.deed not in self._begun:
            return
        elif not self._makes_sense(call):
            leaves_out_the_rest(cluster, moment.deed, f"{call.verb} {deed.on[0]}")
            return
        if moment.of_what_began:
            given = self._begun[moment.deed]
            self._ended[moment.deed] = cluster.seen.now()
            if call.verb == STOP_WORK:
                self._begun[moment.deed] = None
            await perform(cluster, call, given)
        else:
            given = await perform(cluster, call)
            if moment.first:
                self._begun[moment.deed] = given
        self._note_who_sleeps(moment)

    def _makes_sense(self, call: Call) -> bool:
        """The later steps of a deed: other deeds may have started the node, or killed it, meanwhile."""
        if call.verb not in (RESTART.verb, KILL.verb, TALK):
            return True
        return self._cluster.seen.view(str(call.arguments[0])).ended == (call.verb == RESTART.verb)

    def _note_who_sleeps(self, moment: Moment) -> None:
        deed, verb = self._plan.deeds[moment.deed], moment.call.verb
        name = deed.on[0] if deed.on else ""
        if verb in KINDS and KINDS[verb].sleeps_at_once:
            self._asleep[name] = moment.deed
        elif verb == LEAVE.verb:
            self._leaving[name] = True
        elif verb in (KILL.verb, RESTART.verb):
            self._asleep.pop(name, None)
            self._leaving.pop(name, None)
            self._anew[name] = self._cluster.seen.now()
        elif self._asleep.get(name) == moment.deed:
            self._asleep.pop(name)

    def _standing(self) -> Standing:
        cluster = self._cluster
        known, running = cluster.seen.nodes(), alive(cluster)
        views = {name: cluster.seen.view(name) for name in running}
        held = {name: True for name, seen in views.items() if seen.held_at}
        joined = [name for name in running if views[name].joined]
        asleep = {**held, **dict.fromkeys(self._asleep, True)}
        recently = cluster.seen.now() - A_MOMENT
        old = [name for name in running if self._anew.get(name, recently) <= recently]
        ups = {(a, b): views[a].links_up.get(views[b].address, False) for a in old for b in old if a != b}
        on = [self._plan.deeds[n] for n in self._begun if self._ended.get(n, cluster.seen.now()) > recently]
        broken = frozenset(link for deed in on for link in broken_by(deed, known))
        return Standing(known, running, asleep, self._leaving, joined, ups, broken)
