"""What links carry when nothing else is done: plain ZeroMQ, DEALER to ROUTER, through the link fabric, two processes.

The measure that migrations and operations are held against. Run as a program it is one of the two processes."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import zmq

from shaketable.harness.faults.links import LinkState
from shaketable.harness.worlds.real.fabric import LinkFabric, LinkPorts, free_ports
from shaketable.node.core.env import Micros

TRIPS: Final = 3000
WARM: Final = 200


def streamed(size: int, chunk: int, latency: Micros = 0, *, one_at_a_time: bool = False) -> float:
    """Seconds from the first chunk's sending to the last one's arrival. `one_at_a_time`: the next leaves when the
    last one is acknowledged."""
    role = "answering" if one_at_a_time else "taking"
    told = asyncio.run(_between(role, "asking" if one_at_a_time else "sending", latency, size, chunk))
    return told[0]


def round_trips(size: int) -> Sequence[float]:
    """Microseconds each."""
    told = asyncio.run(_between("answering", "timing", 0, size * (TRIPS + WARM), size))
    return told[WARM:]


async def _between(receiver: str, sender: str, latency: Micros, size: int, chunk: int) -> Sequence[float]:
    with tempfile.TemporaryDirectory(prefix="shaketable-bench-") as folder:
        fabric = LinkFabric(
            log_dir=Path(folder), say=lambda line: None, on_trouble=lambda why: None, on_restored=lambda how: None
        )
        await fabric.start()
        try:
            there, at, back, to = free_ports(4)
            await fabric.open([LinkPorts("there", there, at), LinkPorts("back", back, to)])
            if latency:
                await fabric.apply_all({name: LinkState(latency=latency) for name in ("there", "back")})
            amount = (str(size), str(chunk))
            taking = _process(receiver, str(at), str(back), *amount)
            sending = _process(sender, str(to), str(there), *amount)
            said = await asyncio.to_thread(lambda: [one.communicate(timeout=120)[0] for one in (taking, sending)])
        finally:
            await fabric.close()
    begun, ended = ([float(word) for word in words.split()] for words in said)
    if sender == "timing":
        return ended
    # The receiver tells when all had come, the sender when it began: on one machine by one clock.
    return [begun[0] - ended[0]]


def _process(role: str, listen: str, connect: str, *amount: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.bench.plain", role, listen, connect, *amount]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _play(role: str, listen: int, connect: int, size: int, chunk: int) -> list[float]:
    context = zmq.Context()
    router, dealer = context.socket(zmq.ROUTER), context.socket(zmq.DEALER)
    router.bind(f"tcp://127.0.0.1:{listen}")
    dealer.connect(f"tcp://127.0.0.1:{connect}")
    count = -(-size // chunk)
    data = bytes(chunk)
    answers = role == "answering"
    try:
        if role in ("taking", "answering"):
            router.recv_multipart()
            dealer.send(b"the links are up")
            for _ in range(count):
                router.recv_multipart()
                if answers:
                    dealer.send(data if chunk < 1024 else b"it has come")
            return [time.monotonic()]
        dealer.send(b"are the links up?")
        router.recv_multipart()
        begun, took = time.monotonic(), []
        for _ in range(count):
            at = time.perf_counter()
            dealer.send(data)
            if role != "sending":
                router.recv_multipart()
                took.append((time.perf_counter() - at) * 1e6)
        return took if role == "timing" else [begun]
    finally:
        context.destroy(linger=30_000)


if __name__ == "__main__":
    told = _play(sys.argv[1], *map(int, sys.argv[2:]))
    sys.stdout.write(" ".join(map(str, told)))
