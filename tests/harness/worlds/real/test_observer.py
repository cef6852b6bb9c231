"""What the harness hears of a node's process, to its last word."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

from tests.waiting import HANG

from shaketable.harness.records import Record
from shaketable.harness.worlds.real.observer import Observer, Peer
from shaketable.node.process import control

TOKEN = b"token"


class Heard:
    def __init__(self) -> None:
        self.peer: asyncio.Future[Peer] = asyncio.get_running_loop().create_future()
        self.said: list[control.Said] = []
        self.broken: list[str] = []

    def node_ready(self, peer: Peer) -> bool:
        self.peer.set_result(peer)
        return True

    def node_said(self, peer: Peer, said: control.Said) -> None:
        self.said.append(said)

    def reported(self, record: Record) -> None:
        raise AssertionError("it has reported nothing")

    def node_broken(self, peer: Peer, reason: str) -> None:
        self.broken.append(reason)


def test_an_order_to_a_process_that_is_gone_does_not_cost_its_last_words(tmp_path: Path) -> None:
    async def told() -> Heard:
        heard = Heard()
        observer = Observer(str(tmp_path / "observer"), TOKEN, heard)
        await observer.start()
        node = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        node.connect(observer.path)
        node.sendall(control.encode_record(control.Ready(TOKEN, "n1", 1)))
        peer = await asyncio.wait_for(heard.peer, HANG)
        # All in one turn of the loop, which so has not read when it finds that it cannot write.
        node.sendall(control.encode_record(control.Running()))
        node.close()
        peer.order(control.Stop())
        await asyncio.wait_for(peer.last_word, HANG)
        await observer.close()
        return heard

    heard = asyncio.run(told())
    assert heard.said == [control.Running()]
    assert heard.broken == []
