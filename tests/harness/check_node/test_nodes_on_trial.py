"""A node on trial is gone when it has ended and its last words are heard: these may still lie in its line."""

from __future__ import annotations

import asyncio
import socket
import sys
from pathlib import Path

from shaketable.harness.check_node.stage import Trial
from shaketable.harness.check_node.told import LINKS, THE_LINE, Broken
from shaketable.harness.systems.contract.described import Described
from shaketable.node.config import DEFAULT
from shaketable.node.process import control

SAYS_READY_AND_ENDS = """\
import os
os.write(int(os.environ["SHAKETABLE_FD"]), b'{"type":"ready","contract":1}\\n')
"""


def test_a_node_is_not_gone_before_its_last_words_are_heard(tmp_path: Path) -> None:
    asyncio.run(_ends_unheard(tmp_path))


async def _ends_unheard(tmp_path: Path) -> None:
    program = tmp_path / "node.py"
    program.write_text(SAYS_READY_AND_ENDS)
    trial = Trial(Described(command=f"{sys.executable} {program}"), tmp_path, DEFAULT, 1, tmp_path)
    (node,) = trial.nodes
    told = node.spawn()
    node.turn_away()
    assert node.process is not None
    node.process.wait()
    assert (node.alive, node.gone, told.ready) == (False, False, False)
    node.may_end()
    node.listen_to_it()
    await trial.until(lambda: node.gone, lambda: Broken("it is never gone", THE_LINE))
    assert told.ready
    await trial.close()


REACHES_BY_IPV6 = """\
import socket, time
reached = socket.socket(socket.AF_INET6)
reached.connect(("::ffff:127.0.0.1", {port}))
time.sleep(1000)
"""


def test_a_way_past_the_links_by_a_socket_of_ipv6_is_seen(tmp_path: Path) -> None:
    asyncio.run(_reaches_by_ipv6(tmp_path))


async def _reaches_by_ipv6(tmp_path: Path) -> None:
    with socket.create_server((control.LOOPBACK, 0)) as there:
        port = there.getsockname()[1]
        program = tmp_path / "node.py"
        program.write_text(REACHES_BY_IPV6.format(port=port))
        trial = Trial(Described(command=f"{sys.executable} {program}"), tmp_path, DEFAULT, 1, tmp_path)
        (node,) = trial.nodes
        node.spawn()
        reached = (control.LOOPBACK, port)
        try:
            await trial.until(lambda: reached in node.connections(), lambda: Broken("it is not seen", LINKS))
        finally:
            await trial.close()
