"""A link whose other end accepts and never answers: its sender stays connected in vain, its other links are swift."""

from __future__ import annotations

import asyncio
from pathlib import Path
from statistics import median

import psutil
from tests.harness.worlds.real.world_helpers import stage
from tests.lengths import LONG

from shaketable.harness.faults.links import LinkState
from shaketable.harness.worlds.real.probes import FOR_EVER
from shaketable.node.core.env import MILLISECOND, SECOND

pytestmark = LONG

HANGS, OTHERS = ("n1", "n2"), ("n3", "n4")
LOOKS = 30
"""one each 0.1 s: so long that several handshakes begin, hang and are given up"""


async def test_a_handshake_that_hangs_delays_nothing_on_other_links(tmp_path: Path, choice: str) -> None:
    async with stage(tmp_path, choice) as s:
        await s.form("n1", "n2", *OTHERS)
        cut, _ = await s.link_fault(HANGS, state=LinkState(cut=True))
        hole, _ = await s.link_fault(HANGS, state=LinkState(blackhole=True))
        await s.end(cut)
        process, port = psutil.Process(s.pid("n1")), s.world._links.port(HANGS)

        def connected() -> bool:
            mine = [c for c in process.net_connections("tcp4") if c.raddr and c.raddr.port == port]
            return any(c.status == psutil.CONN_ESTABLISHED for c in mine)

        await s.until(connected)
        nodes, probes = s.world._cast.nodes, s.world._probes
        delays: list[int] = []
        seen_connected = 0
        for _ in range(LOOKS):
            for other in OTHERS:
                delay = await probes.send(nodes["n1"], nodes[other], 0, 5 * SECOND)
                assert delay is not None, "its other links are up"
                assert delay != FOR_EVER
                delays.append(delay)
            seen_connected += connected()
            assert not probes.link(HANGS).up
            await asyncio.sleep(0.1)
        assert seen_connected > LOOKS // 2, "it is the handshake that hangs, not the connection that is refused"
        # One that waited for the handshake would mostly wait for about half a second.
        assert median(delays) < 100 * MILLISECOND
        assert await s.end(hole) == "a probe arrived in time"
        assert probes.link(HANGS).up
