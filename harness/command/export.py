"""`shaketable export`: a recorded run for Perfetto or ShiViz."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from shaketable.harness.causes.shiviz import shiviz
from shaketable.harness.causes.trace import trace
from shaketable.harness.errors import UserError
from shaketable.harness.history.history import History
from shaketable.harness.runs.directory import read_run, run_in
from shaketable.harness.whole_files import write_whole


def export(options: argparse.Namespace) -> int:
    run = read_run(run_in(Path(options.run)))
    history = History(run.records)
    if not history.records:
        raise UserError(f"{run.directory} holds no events: there is nothing to export")
    told = trace(history) if options.format == "trace" else "".join(shiviz(history)).encode()
    if options.out:
        write_whole(Path(options.out), told)
    else:
        sys.stdout.buffer.write(told)
    return 0
