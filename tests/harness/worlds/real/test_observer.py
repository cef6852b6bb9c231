"""What the harness hears of a node's process, to its last word."""

from __future__ import annotations

import asyncio
import os
import socket
import struct
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.waiting import HANG

from shaketable.harness.records import Record
from shaketable.harness.systems.dialogue import Dialogue, Lines, Records
from shaketable.harness.worlds.real import observer
from shaketable.harness.worlds.real.observer import Observer, Peer
from shaketable.node.process import control

TOKEN = b"token"


class Heard:
    def __init__(self, dialogue: Callable[[], Dialogue] = Records) -> None:
        self._dialogue = dialogue
        self.peer: asyncio.Future[Peer] = asyncio.get_running_loop().create_future()
        self.said: list[control.Said] = []
        self.broken: list[str] = []

    def node_ready(self, peer: Peer) -> Dialogue | None:
        self.peer.set_result(peer)
        return self._dialogue()

    def not_understood(self, node: str, what: str) -> None:
        self.broken.append(what)

    def node_said(self, peer: Peer, said: control.Said) -> None:
        self.said.append(said)

    def reported(self, record: Record) -> None:
        raise AssertionError("it has reported nothing")

    def node_broken(self, peer: Peer, reason: str) -> None:
        self.broken.append(reason)


def test_an_order_to_a_process_that_is_gone_does_not_cost_its_last_words(tmp_path: Path) -> None:
    async def told() -> Heard:
        heard = Heard()
        watching = Observer(str(tmp_path / "observer"), TOKEN, heard)
        await watching.start()
        node = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        node.connect(watching.path)
        node.sendall(control.encode_record(control.Ready(TOKEN, "n1", 1)))
        peer = await asyncio.wait_for(heard.peer, HANG)
        # All in one turn of the loop, which so has not read when it finds that it cannot write.
        node.sendall(control.encode_record(control.Running()))
        node.close()
        peer.order(control.Stop())
        await asyncio.wait_for(peer.last_word, HANG)
        await watching.close()
        return heard

    heard = asyncio.run(told())
    assert heard.said == [control.Running()]
    assert heard.broken == []


class HeldBack(Lines):
    """Takes each line for a number, and tells only at the end that it was odd."""

    def order(self, order: control.Order) -> tuple[bytes, Sequence[control.Said]]:
        return b"", ()

    def hear(self, line: bytes) -> list[control.Said]:
        if not line.isdigit():
            raise control.BrokenStream(f"no number: {line!r}")
        self._odd = line.decode()
        return [control.Done(int(line))]

    def ended(self) -> list[control.Said]:
        self.trouble(f"{self._odd} is odd")
        return [control.Running()]


def test_what_a_node_said_before_it_broke_off_is_told_and_what_was_held_back_as_well(tmp_path: Path) -> None:
    async def told() -> Heard:
        heard = Heard(HeldBack)
        watching = Observer(str(tmp_path / "observer"), TOKEN, heard)
        await watching.start()
        with connected(watching) as line:
            line.sendall(control.encode_record(control.Ready(TOKEN, "n1", 1)) + b"1\n3\nfour\n5\n")
            peer = await asyncio.wait_for(heard.peer, HANG)
            await asyncio.wait_for(peer.last_word, HANG)
        await watching.close()
        return heard

    heard = asyncio.run(told())
    assert heard.said == [control.Done(1), control.Done(3), control.Running()]
    assert heard.broken == ["no number: b'four'", "3 is odd"]


# Strangers


Attack = Callable[[socket.socket], object]


def deep(size: int) -> bytes:
    return struct.pack("!L", size) + b"\x91" * size


ATTACKS: dict[str, Attack] = {
    "a record without end": lambda line: line.sendall(struct.pack("!L", 1 << 23) + bytes(1 << 16)),
    "a record that is too long": lambda line: line.sendall(struct.pack("!L", (1 << 32) - 1)),
    "lists in lists": lambda line: line.sendall(deep(observer.LARGEST_GREETING)),
    "no map": lambda line: line.sendall(struct.pack("!L", 1) + b"\xc1"),
    "no letters": lambda line: line.sendall(struct.pack("!L", 8) + b"\x81\xa4type\xa1\xff"),
    "a form that comes later": lambda line: line.sendall(control.encode_record(control.Running())),
    "another token": lambda line: line.sendall(control.encode_record(control.Ready(b"tokem", "n1", 1))),
}


@asynccontextmanager
async def observing(folder: Path) -> AsyncIterator[tuple[Observer, Heard, list[dict[str, Any]]]]:
    """With what the loop would print: nothing may come of strangers but that they are hung up."""
    complaints: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
    heard = Heard()
    watching = Observer(str(folder / "observer"), TOKEN, heard)
    await watching.start()
    try:
        yield watching, heard, complaints
    finally:
        await watching.close()


async def hung_up(line: socket.socket) -> bool:
    """Whether the other end is closed; a reset is an end, too."""
    line.setblocking(False)
    try:
        return await asyncio.wait_for(asyncio.get_running_loop().sock_recv(line, 1), HANG) == b""
    except ConnectionError:
        return True


def connected(watching: Observer) -> socket.socket:
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    line.connect(watching.path)
    return line


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_a_stranger_is_hung_up_at_its_first_bad_word(attack: Attack, tmp_path: Path) -> None:
    async def attacked() -> None:
        async with observing(tmp_path) as (watching, heard, complaints):
            with connected(watching) as line:
                attack(line)
                assert await hung_up(line)
            assert (heard.broken, complaints) == ([], [])
            assert not watching.strangers

    asyncio.run(attacked())


def test_a_node_that_nests_too_deeply_is_broken_and_no_more(tmp_path: Path) -> None:
    async def attacked() -> None:
        async with observing(tmp_path) as (watching, heard, complaints):
            with connected(watching) as line:
                line.sendall(control.encode_record(control.Ready(TOKEN, "n1", 1)))
                await asyncio.wait_for(heard.peer, HANG)
                line.sendall(deep(100_000))
                assert await hung_up(line)
            assert len(heard.broken) == 1
            assert complaints == []

    asyncio.run(attacked())


def test_so_many_strangers_at_once_and_the_oldest_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def attacked() -> None:
        monkeypatch.setattr(observer, "MOST_STRANGERS", 3)
        async with observing(tmp_path) as (watching, heard, complaints):
            lines = [connected(watching) for _ in range(4)]
            assert await hung_up(lines[0])
            lines[3].setblocking(True)
            lines[3].sendall(control.encode_record(control.Ready(TOKEN, "n1", 1)))
            await asyncio.wait_for(heard.peer, HANG)
            assert len(watching.strangers) == 2  # a node is none
            for line in lines:
                line.close()
            assert complaints == []

    asyncio.run(attacked())


def test_a_stranger_that_says_nothing_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def attacked() -> None:
        monkeypatch.setattr(observer, "UNTIL_THE_TOKEN", 0.01)
        async with observing(tmp_path) as (watching, _, complaints):
            with connected(watching) as line:
                assert await hung_up(line)
            assert complaints == []

    asyncio.run(attacked())


def test_a_node_that_is_known_is_kept_however_long_it_says_nothing(tmp_path: Path) -> None:
    async def kept() -> None:
        async with observing(tmp_path) as (watching, heard, _):
            with connected(watching) as node:
                node.sendall(control.encode_record(control.Ready(TOKEN, "n1", 1)))
                peer = await asyncio.wait_for(heard.peer, HANG)
                assert peer._patience is not None
                assert peer._patience.cancelled()

    asyncio.run(kept())


@pytest.mark.skipif(not hasattr(socket, "SO_PEERCRED"), reason="the system does not tell whose a connection is")
def test_another_user_is_hung_up_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def attacked() -> None:
        ours = os.geteuid()
        async with observing(tmp_path) as (watching, heard, complaints):
            monkeypatch.setattr(os, "geteuid", lambda: ours + 1)
            with connected(watching) as line:
                assert await hung_up(line)
            assert not heard.peer.done()
            assert complaints == []

    asyncio.run(attacked())
