"""A member that only does what a test tells it: it makes the simulated world's own behaviour visible."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tests.reasons import reason_in

from shaketable.harness.faults.actions import Action, NoEffect, Receipt, Start
from shaketable.harness.worlds.sim.env import SimEnv
from shaketable.harness.worlds.sim.world import SimWorld
from shaketable.node.config import DEFAULT, Settings
from shaketable.node.core.commands import Command, LeaveCommand
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.events import Leaving, Started, Stopped
from shaketable.node.messages import Address, Heartbeat, Member, MemberList, MembersUpdate, Message


class Puppet:
    """All that comes to it is in `heard`, with the true time: "heartbeat 3", "up n2", "down n2", "timer"."""

    def __init__(self, world: SimWorld, env: SimEnv, address: Address) -> None:
        self.world = world
        self.env = env
        self.me = Member(address, f"{env.name}/{world.nodes[env.name].life}")
        self.heard: list[tuple[Micros, str]] = []
        self.on_message: Callable[[Message], None] = lambda message: None

    def hears(self, what: str) -> None:
        self.heard.append((self.world.time, what))

    def start(self, *, go: Callable[[Member], None] | None = None) -> None:
        """`go` is how a member of a cluster becomes its next identity; one of a group is given none."""
        self.env.report(Started(self.me))

    def receive(self, message: Message) -> None:
        name = type(message).__name__.lower()
        number = (
            message.version
            if isinstance(message, Heartbeat)
            else message.view.version
            if isinstance(message, MembersUpdate)
            else 0
        )
        self.hears(f"{name} {number}")
        self.on_message(message)

    def link_up(self, to: Address) -> None:
        self.hears(f"up {self.world.observed.names[to]}")

    def link_down(self, to: Address) -> None:
        self.hears(f"down {self.world.observed.names[to]}")

    def command(self, command: Command) -> None:
        self.hears("leave" if isinstance(command, LeaveCommand) else "command")


class Stage:
    """Some puppets in a simulated world, all linked."""

    def __init__(self, *names: str, seed: int = 1, linked: bool = True, settings: Settings = DEFAULT) -> None:
        self.world = SimWorld(seed, settings, self._make)  # type: ignore[arg-type]
        self.receipts: list[Receipt | NoEffect] = []
        self.act(Start(names, names))
        if linked:
            self.run(SECOND)
            for name in names:
                self[name].heard.clear()

    def _make(self, env: SimEnv, address: Address, addresses: Sequence[Address], settings: Settings) -> Puppet:
        return Puppet(self.world, env, address)

    def __getitem__(self, name: str) -> Puppet:
        member: Any = self.world.nodes[name].member
        assert isinstance(member, Puppet)
        return member

    def act(self, action: Action) -> None:
        self.world.act(action, self.receipts.append)

    def run(self, time: Micros) -> None:
        """So long, whether or not there is anything to do."""
        end = self.world.time + time
        passed: list[bool] = []
        self.world.call_later(time, lambda: passed.append(True))
        self.world.run(lambda: bool(passed))
        assert self.world.time == end

    def address(self, name: str) -> Address:
        return self.world.nodes[name].address

    def send(self, sender: str, to: str, *numbers: int) -> None:
        """Heartbeats with these numbers, in one step."""
        node = self.world.nodes[sender]

        def step() -> None:
            for number in numbers:
                node.env.send(self.address(to), Heartbeat(self[sender].me, "", None, number, 0))

        self.world.heap.later(0, node, step)

    def send_list(self, sender: str, to: str, number: int) -> None:
        node, me = self.world.nodes[sender], self[sender].me
        update = MembersUpdate(me, "", MemberList(number, me.uuid, (me,)))
        self.world.heap.later(0, node, lambda: node.env.send(self.address(to), update))

    def said(self, name: str) -> list[str]:
        """What this puppet has heard since it was last asked, without the times."""
        said = [what for _, what in self[name].heard]
        self[name].heard.clear()
        return said

    def when(self, name: str) -> list[Micros]:
        return [time for time, _ in self[name].heard]


def told(stage: Stage, kind: type) -> int:
    return sum(type(record.event) is kind for record in stage.world.records)


def leave_at_once(stage: Stage, name: str) -> None:
    env = stage.world.nodes[name].env
    env.report(Leaving())
    env.report(Stopped(*reason_in("left")))
