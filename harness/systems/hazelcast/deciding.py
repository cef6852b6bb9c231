"""Decisions of the master on partial disconnections, and the reports that they rest on.

Hazelcast removes those who leave one after the other, and logs each as its turn comes. That they belong to one
decision is seen by the time: the lines of one stand close together. So what comes after the first of them waits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from shaketable.harness.systems.hazelcast.lines import Line
from shaketable.harness.systems.hazelcast.state import State
from shaketable.harness.systems.hazelcast.words import members_in
from shaketable.node.core.env import MILLISECOND, Micros
from shaketable.node.events import DisconnectionResolved, SuspicionsReported
from shaketable.node.messages import Member, Uuid

TOGETHER: Final[Micros] = 300 * MILLISECOND
"""Removals that follow each other sooner are of one decision. Between two of those there is a heartbeat interval. The
agent ticks once when nothing was told for as long: a shorter time of its would leave the last of them untold."""


class Decisions:
    def __init__(self, state: State) -> None:
        self._state = state
        self._reports: dict[Uuid, tuple[Member, tuple[Member, ...]]] = {}

    def reported(self, line: Line) -> None:
        state = self._state
        peer = state.known(members_in(line.said["peer"])[0])
        suspected = tuple(state.known(each) for each in members_in(line.said["suspected"]))
        if self._reports.get(peer.uuid, (peer, ()))[1] != suspected:
            state.tell(SuspicionsReported(peer, suspected))
        self._reports[peer.uuid] = peer, suspected

    def decided(self, leave: Sequence[Member]) -> None:
        """All who leave by one decision; told before the first of them is removed."""
        state = self._state
        listed = {member.uuid for member in state.members}
        reports = tuple(
            (peer, still)
            for peer, suspected in self._reports.values()
            if peer.uuid in listed and (still := tuple(each for each in suspected if each.uuid in listed))
        )
        gone = tuple(member for member in state.members if member in leave)
        state.tell(DisconnectionResolved(state.version, state.members, reports, (), gone, 0))
        self._reports = {}
