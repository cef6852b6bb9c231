"""A step's reports leave before its messages; a hold stops both where it was told to; a step that raises ends it.

The member is a stand-in that does what the test says; the harness's end of the control socket is the test."""

from __future__ import annotations

import asyncio
import os
import random
import resource
import socket
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, cast

import pytest
from tests.node.process.process_helpers import TOKEN, A, B, in_loop, message
from tests.reasons import reason_in
from tests.waiting import HANG, until

from shaketable.node.config import FAST
from shaketable.node.core.commands import StopWorkCommand, TakeStockCommand
from shaketable.node.core.env import Env
from shaketable.node.events import Event, Failed, FilterMatched, Held, LinkDown, LinkUp, Released, Stopped
from shaketable.node.messages import Address, Member, Message
from shaketable.node.process import control
from shaketable.node.process.driver import FAILED, LEFT, Driver, Start
from shaketable.node.process.line import Line
from shaketable.node.process.orders import Orders
from shaketable.node.shaking.filters import FilterAct
from shaketable.node.shaking.shell import Sent


class StandIn:
    """A member: each call is noted, and `act` is what it then does."""

    def __init__(self, env: Env, address: Address, *_: object) -> None:
        self.env = env
        self.me = Member(address, "uuid")
        self.act: Callable[[Env], None] = lambda env: None
        self.calls: list[str] = []

    def _called(self, what: str) -> None:
        self.calls.append(what)
        self.act(self.env)

    def start(self, *, go: Callable[[Member], None]) -> None:
        self._called("start")

    def receive(self, message: Message) -> None:
        self._called("receive")

    def link_up(self, to: Address) -> None:
        self._called(f"up {to}")

    def link_down(self, to: Address) -> None:
        self._called(f"down {to}")

    def command(self, command: object) -> None:
        self._called("command")


class Harness:
    """The other end of the control socket, read by a thread: a node that holds blocks the loop."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.path)
        self._listener.listen()
        self._connection: socket.socket
        self.said: list[control.Said] = []
        self.on_event: Callable[[Event], None] = lambda event: None
        self._thread = threading.Thread(target=self._read, daemon=True)

    def accept(self) -> None:
        self._connection, _ = self._listener.accept()
        self._thread.start()

    def _read(self) -> None:
        splitter = control.Splitter()
        with suppress(OSError):
            while data := self._connection.recv(1 << 16):
                for body in splitter.feed(data):
                    said = control.said_decoder.decode(body)
                    self.said.append(said)
                    if isinstance(said, control.Reported):
                        self.on_event(control.event_decoder.decode(said.event))

    @property
    def events(self) -> list[Event]:
        reported = [said for said in self.said if isinstance(said, control.Reported)]
        assert [said.sequence for said in reported] == list(range(1, len(reported) + 1))
        return [control.event_decoder.decode(said.event) for said in reported]

    def order(self, order: control.Order) -> None:
        self._connection.sendall(control.encode_record(order))

    def close(self) -> None:
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._thread.join(HANG)
        self._connection.close()
        self._listener.close()


class Rig:
    def __init__(self, harness: Harness) -> None:
        self.harness = harness
        self.line = Line(harness.path, lost=lambda: None)
        harness.accept()
        self.exits: list[int] = []
        self.sent: list[tuple[Address, Message, int]] = []
        """with how much had been said by then"""
        self.goes: list[int] = []
        """how many messages each time"""
        start = Start(A, (A, B), FAST, "seed", 0, TOKEN)
        self.driver = Driver(start, self.line, self.exits.append, cast(Any, StandIn))
        self.member: StandIn = cast(Any, self.driver)._member.member
        self.orders = Orders(self.driver, self.line, lambda: self.exits.append(0))
        cast(Any, self.driver.transport).send = self._send

    def _send(self, to: Address, *messages: Sent) -> bool:
        self.sent.extend((to, message, cast(Any, self.driver.shell)._sequence) for message, _ in messages)
        self.goes.append(len(messages))
        return True

    @property
    def numbers(self) -> list[int]:
        return [cast(Any, message).request for _, message, _ in self.sent]

    def step(self, act: Callable[[Env], None]) -> None:
        self.member.act = act
        self.driver.received(message(0), 0)


@asynccontextmanager
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    harness = Harness(tmp_path / "control")
    try:
        made = Rig(harness)
        yield made
        made.driver.transport.close()
    finally:
        harness.close()


def sends(*numbers: int) -> Callable[[Env], None]:
    def act(env: Env) -> None:
        for n in numbers:
            env.send(B, message(n))
        env.report(LinkUp(B))
        env.report(LinkDown(B))

    return act


@in_loop
async def test_reports_leave_before_messages(tmp_path: Path) -> None:
    async with rig(tmp_path) as r:
        r.step(sends(1, 2))
        await until(lambda: len(r.harness.events) == 2)
        assert r.numbers == [1, 2]
        assert all(said == 2 for _, _, said in r.sent)


@in_loop
async def test_what_comes_in_the_middle_of_a_step_waits_for_its_end(tmp_path: Path) -> None:
    async with rig(tmp_path) as r:

        def act(env: Env) -> None:
            r.member.act = lambda env: None
            r.driver.link_changed(B, True)
            r.member.calls.append("end of the first")

        r.step(act)
        assert r.member.calls == ["receive", "end of the first", f"up {B}"]


@in_loop
async def test_a_step_that_raises_is_told_in_its_own_words_and_ends_the_node(tmp_path: Path, capfd: Any) -> None:
    async with rig(tmp_path) as r:

        def act(env: Env) -> None:
            env.report(LinkUp(B))
            env.send(B, message(1))
            raise KeyError("n7")

        line = act.__code__.co_firstlineno + 3
        r.step(act)
        said = Failed(f"KeyError: 'n7' (test_driver_steps.py:{line})")
        await until(lambda: r.harness.events == [LinkUp(B), said])
        assert (r.exits, r.sent) == ([FAILED], [])
        assert "Traceback" in capfd.readouterr().err
        r.driver.received(message(1), 0)
        assert r.member.calls == ["receive"]


@in_loop
async def test_who_reports_that_it_stopped_ends_after_its_messages(tmp_path: Path) -> None:
    async with rig(tmp_path) as r:

        def act(env: Env) -> None:
            env.report(Stopped(*reason_in("left")))
            env.send(B, message(4))

        r.step(act)
        assert (r.exits, r.numbers) == ([LEFT], [4])


@in_loop
async def test_a_hold_before_and_after_some_messages(tmp_path: Path) -> None:
    async with rig(tmp_path) as r:
        sent_at: list[list[int]] = []

        def held(event: Event) -> None:
            if isinstance(event, Held):
                sent_at.append(r.numbers)
                r.harness.order(control.Release(1, 1 if event.handed_over == 0 else 2))

        r.harness.on_event = held
        r.orders.carry_out(control.ArmHold(1, 2, "LinkDown", after=2))
        r.orders.carry_out(control.ArmHold(2, 1, "LinkUp"))
        r.step(sends(1, 2, 3))
        assert sent_at == [[], [1, 2]]
        assert r.goes == [2, 1], "in one go what the hold lets out"
        assert r.numbers == [1, 2, 3]
        await until(lambda: len(r.harness.events) == 6)
        assert r.harness.events[2:] == [
            Held(1, "LinkUp", 0),
            Released(1, "LinkUp"),
            Held(2, "LinkDown", 2),
            Released(2, "LinkDown"),
        ]


@in_loop
async def test_a_hold_after_more_messages_than_there_are_holds_after_all(tmp_path: Path) -> None:
    async with rig(tmp_path) as r:
        r.harness.on_event = lambda event: r.harness.order(control.Release(1, 5)) if isinstance(event, Held) else None
        r.orders.carry_out(control.ArmHold(1, 5, "LinkUp", after=9))
        r.step(sends(1, 2))
        await until(lambda: Held(5, "LinkUp", 2) in r.harness.events)


@in_loop
async def test_a_node_that_holds_answers_its_control_socket_and_nothing_else(tmp_path: Path) -> None:
    async with rig(tmp_path) as r:

        def held(event: Event) -> None:
            if isinstance(event, Held):
                for order in (
                    control.Probe(9, B),
                    control.TakeSnapshot(7),
                    control.LeaveGracefully(8),
                    control.Release(10, 1),
                ):
                    r.harness.order(order)

        r.harness.on_event = held
        r.orders.carry_out(control.ArmHold(1, 1, "LinkUp"))
        r.step(sends(1))
        assert r.member.calls == ["receive", "command"]
        await until(lambda: control.Done(10) in r.harness.said)
        assert control.ProbeSent(9, None) in r.harness.said
        assert any(isinstance(said, control.Snapshot) and said.order == 7 for said in r.harness.said)


@in_loop
async def test_a_process_with_more_than_a_thousand_open_files_can_hold(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 2000:
        pytest.skip("this user may not open so many files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2000), hard))
    with ExitStack() as files:
        files.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        while (descriptor := os.open(os.devnull, os.O_RDONLY)) < 1100:
            files.callback(os.close, descriptor)
        files.callback(os.close, descriptor)
        async with rig(tmp_path) as r:
            r.harness.on_event = lambda event: (
                r.harness.order(control.Release(1, 1)) if isinstance(event, Held) else None
            )
            r.orders.carry_out(control.ArmHold(1, 1, "LinkUp"))
            r.step(sends(1))
            assert r.exits == []
            await until(lambda: Released(1, "LinkUp") in r.harness.events)
            r.line.flush(1)


@in_loop
async def test_the_end_of_a_hold_that_was_never_come_to_says_so(tmp_path: Path) -> None:
    async with rig(tmp_path) as r:
        r.orders.carry_out(control.ArmHold(1, 1, "LinkUp"))
        r.orders.carry_out(control.Release(2, 1))
        r.step(sends(1))
        await until(lambda: control.Done(2, "it never came to hold there") in r.harness.said)
        assert not any(isinstance(event, Held) for event in r.harness.events)


@in_loop
async def test_filters_drop_hold_back_and_delay(tmp_path: Path) -> None:
    async with rig(tmp_path) as r:
        acts = (FilterAct.DROP, 1, 0), (FilterAct.HOLD_BACK, 2, 0), (FilterAct.DELAY, 3, 20_000)
        for fault, (does, count, delay) in enumerate(acts, 1):
            r.orders.carry_out(control.ArmFilter(fault, fault, does, ("leaverequest",), (B,), count, delay))
        r.step(sends(1, 2, 3, 4))
        assert r.numbers == [4]
        r.orders.carry_out(control.DisarmFilter(4, 2))
        assert r.numbers == [4, 2]
        await until(lambda: r.numbers == [4, 2, 3])
        await until(lambda: FilterMatched(3, "leaverequest", B) in r.harness.events)
        assert [e.fault for e in r.harness.events if isinstance(e, FilterMatched)] == [1, 2, 3]


@in_loop
async def test_the_clock_jumps_and_timers_follow(tmp_path: Path) -> None:
    async with rig(tmp_path) as r:
        ran: list[int] = []
        due = r.driver.shell.now() + 60_000_000
        r.driver.shell.call_later(60_000_000, lambda: ran.append(r.driver.shell.now()))
        r.orders.carry_out(control.SetClock(1, 60_000_000, 1000))
        await until(lambda: ran)
        assert ran[0] >= due


@in_loop
async def test_its_draws_come_from_the_seed_alone(tmp_path: Path) -> None:
    async with rig(tmp_path) as r:
        assert r.driver.shell.rng.random() == random.Random("seed").random()


@in_loop
async def test_a_harness_that_does_not_read_blocks_no_step(tmp_path: Path) -> None:
    listener = socket.socket(socket.AF_UNIX)
    with listener:
        listener.bind(str(tmp_path / "deaf"))
        listener.listen()
        line = Line(str(tmp_path / "deaf"), lost=lambda: None)
        line.attach(asyncio.get_running_loop(), lambda: None)
        connection, _ = listener.accept()
        with connection:
            for n in range(20_000):
                line.say(control.Done(n, "x" * 40))
            splitter = control.Splitter()
            numbers: list[int] = []
            connection.setblocking(False)
            ends = asyncio.get_running_loop().time() + HANG
            while len(numbers) < 20_000 and asyncio.get_running_loop().time() < ends:
                with suppress(BlockingIOError):
                    bodies = splitter.feed(connection.recv(1 << 20))
                    numbers += [cast(control.Done, control.said_decoder.decode(body)).order for body in bodies]
                await asyncio.sleep(0)
            assert numbers == list(range(20_000))


def test_what_was_said_survives_the_kill_of_who_said_it(tmp_path: Path) -> None:
    """It is in the kernel's buffer when `say` returns, before any message can have been handed over."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "control"))
        listener.listen()
        line = Line(str(tmp_path / "control"), lost=lambda: None)
        connection, _ = listener.accept()
        with connection:
            connection.setblocking(False)
            line.say(control.Done(7))
            (body,) = control.Splitter().feed(connection.recv(1000))
            assert control.said_decoder.decode(body) == control.Done(7)


@in_loop
async def test_a_command_is_a_step_of_its_own_and_waits_while_the_node_holds(tmp_path: Path) -> None:
    async with rig(tmp_path) as r:
        r.orders.carry_out(control.Command(3, TakeStockCommand()))
        assert r.member.calls == ["command"]

        def held(event: Event) -> None:
            if isinstance(event, Held):
                r.harness.order(control.Command(4, StopWorkCommand("c")))
                r.harness.order(control.Release(5, 1))

        r.harness.on_event = held
        r.orders.carry_out(control.ArmHold(1, 1, "LinkUp"))
        r.step(sends(1))
        assert r.member.calls == ["command", "receive", "command"]
        await until(lambda: [d for d in (3, 4, 5) if control.Done(d) not in r.harness.said] == [])
