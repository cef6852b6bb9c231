"""`shaketable tui` over an engine that only stands in for one.

python -m tests.bench.tui_shown RECORDING EVENTS_A_SECOND"""

from __future__ import annotations

import sys

from shaketable.tui.command import show
from shaketable.tui.engine import client
from shaketable.tui.engine.protocol import Begin

if __name__ == "__main__":
    stand_in = (sys.executable, "-m", "tests.bench.tui_stand_in", *sys.argv[1:])
    setattr(client, "COMMAND", stand_in)  # noqa: B010
    sys.exit(show(client.Engine(Begin(world="sim", seed=1, nodes=50))))
