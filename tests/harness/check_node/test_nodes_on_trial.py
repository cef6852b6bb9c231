"""A node on trial is gone when it has ended and its last words are heard: these may still lie in its line."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from shaketable.harness.check_node.stage import Trial
from shaketable.harness.check_node.told import THE_LINE, Broken
from shaketable.harness.systems.contract.described import Described
from shaketable.node.config import DEFAULT

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
