"""What a member of a group can be asked to do from outside."""

from __future__ import annotations

from shaketable.node.config import WATCHDOG
from shaketable.node.core.commands import (
    Command,
    GroupShutdownCommand,
    GroupStartCommand,
    HintCommand,
    LeaveCommand,
    TalkCommand,
)
from shaketable.node.events import Stopped
from shaketable.node.gms.discovery import Discovery
from shaketable.node.gms.group import Group
from shaketable.node.gms.group_start import GroupStarting
from shaketable.node.gms.sender import Sender
from shaketable.node.gms.shutdown import Shutdown
from shaketable.node.gms.talking import Talking
from shaketable.node.messages import FailureHint
from shaketable.node.why import Why, because


class Orders:
    def __init__(
        self,
        group: Group,
        *,
        sender: Sender,
        shutdown: Shutdown,
        starting: GroupStarting,
        talking: Talking,
        discovery: Discovery,
    ) -> None:
        self._group = group
        self._sender = sender
        self._shutdown = shutdown
        self._starting = starting
        self._talking = talking
        self._discovery = discovery

    def command(self, command: Command) -> None:
        group = self._group
        match command:
            case LeaveCommand() if group.seat.kind == WATCHDOG:
                group.env.report(Stopped(*because(Why.WATCHDOG)))
            case LeaveCommand():
                self._shutdown.leave()
            case GroupShutdownCommand():
                self._shutdown.leave_all()
            case GroupStartCommand():
                self._starting.begin(command.expected)
            case HintCommand():
                hint = FailureHint(group.me, group.stamp, command.failed)
                self._sender.to_all(self._discovery.configured, hint)
            case TalkCommand():
                self._talking.begin(command.every)
