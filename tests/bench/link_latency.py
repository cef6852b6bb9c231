"""What a link adds: messages over a sound link through the link fabric, beside the same directly."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from pathlib import Path

import zmq
from tests.bench.figure import Figure

from shaketable.harness.worlds.real.fabric import LinkFabric, LinkPorts, free_ports

MESSAGES = 3000
SIZE = 300


def added_latency() -> Figure:
    return asyncio.run(_measure())


async def _measure() -> Figure:
    with tempfile.TemporaryDirectory(prefix="shaketable-bench-") as folder:
        fabric = LinkFabric(
            log_dir=Path(folder), say=lambda line: None, on_trouble=lambda why: None, on_restored=lambda how: None
        )
        await fabric.start()
        try:
            listen, upstream = free_ports(2)
            await fabric.open([LinkPorts("a->b", listen, upstream)])
            rounds = await asyncio.to_thread(_rounds, listen, upstream)
        finally:
            await fabric.close()
    direct, through = (statistics.median(times) for times in rounds)
    return Figure(
        f"added latency of a link through {fabric.description}, {SIZE} bytes, one way, median",
        (through - direct) / 1000,
        "us",
        at_most=150,
        spread=f"direct {direct / 1000:.0f}, through {through / 1000:.0f}",
    )


def _rounds(listen: int, upstream: int) -> tuple[list[int], list[int]]:
    """Both ways in turn, so that another load on the machine falls on both."""
    context = zmq.Context()
    router = context.socket(zmq.ROUTER)
    router.bind(f"tcp://127.0.0.1:{upstream}")
    direct, through = context.socket(zmq.DEALER), context.socket(zmq.DEALER)
    direct.connect(f"tcp://127.0.0.1:{upstream}")
    through.connect(f"tcp://127.0.0.1:{listen}")
    times: tuple[list[int], list[int]] = ([], [])
    try:
        for number in range(MESSAGES + 100):
            for dealer, kept in zip((direct, through), times, strict=True):
                began = time.perf_counter_ns()
                dealer.send(bytes(SIZE))
                router.recv_multipart()
                if number >= 100:
                    kept.append(time.perf_counter_ns() - began)
    finally:
        context.destroy(linger=0)
    return times
