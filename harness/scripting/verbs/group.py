"""Verbs for groups (`family = "gms"`): a whole group starts or stops, a watchdog tells, an application talks.

None of these is a fault: they are steps of the script."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.harness.errors import ScriptError
from shaketable.harness.faults.actions import Command, NoEffect
from shaketable.harness.scripting.steps import Act
from shaketable.harness.scripting.verbs.base import Verbs, whole
from shaketable.node.config import GMS, WATCHDOG
from shaketable.node.core.commands import (
    GroupCommand,
    GroupShutdownCommand,
    GroupStartCommand,
    HintCommand,
    TalkCommand,
)
from shaketable.node.core.env import Micros


class GroupVerbs(Verbs):
    async def start_group(self, via: str, expected: Sequence[str]) -> None:
        """This member tells its master that a whole group starts. `expected`: the members that are still to come."""
        names = (expected,) if isinstance(expected, str) else tuple(expected)
        addresses = tuple(self._named_address(name) for name in names)
        await self._group_command(via, GroupStartCommand(addresses), f"start_group of {', '.join(names)} at {via}")

    async def stop_group(self, via: str) -> None:
        """This member makes the whole group shut down. If it is a spectator, it stays itself."""
        await self._group_command(via, GroupShutdownCommand(), f"stop_group at {via}")

    async def hint(self, watchdog: str, failed: str) -> None:
        """This watchdog tells all members that a member has failed."""
        await self._group_command(watchdog, HintCommand(self._named_address(failed)), f"hint of {failed} at {watchdog}")

    async def talk(self, *names: str, every: Micros) -> None:
        """The applications of these members send something to every other member, once `every` so much time. 0: they
        stop."""
        for name in names:
            await self._group_command(name, TalkCommand(whole(every, "a time between messages")), f"talk of {name}")

    def _named_address(self, name: str) -> str:
        """The address of a node that runs, or that other nodes were told of already (`knowing`)."""
        named = self._world.observed.nodes.get(name)
        return named.address if named is not None else self._world.observed.nodes[self._known(name)].address

    async def _group_command(self, node: str, command: GroupCommand, step: str) -> None:
        if self.settings.family != GMS:
            raise ScriptError(f'{step.split()[0]} is for a group: the script needs settings={{"family": "gms"}}')
        if not isinstance(command, HintCommand) and self._settings_of(node).gms_member_type == WATCHDOG:
            raise ScriptError(f"{step}: {node} is a watchdog, which is in no view, and can only hint")
        receipt = await Act(Command(self._known(node), command), step)
        if isinstance(receipt, NoEffect):
            raise ScriptError(f"{step}: {receipt}")
