"""`shaketable replay` and `shaketable tui`: from their arguments to the screens. Textual is loaded last of all."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Final

from shaketable.harness.errors import UserError
from shaketable.harness.recording.directory import RUN
from shaketable.tui.source import Recorded, Source

MOST_NAMED: Final = 3
"""of the runs of a folder that holds several"""


def run(options: argparse.Namespace) -> int:
    if options.command == "replay":
        source = Recorded(run_in(Path(options.run)))
        needs_a_terminal()
        return show(source)
    raise UserError("tui: not yet")


def show(source: Source) -> int:
    from shaketable.tui.app import ShaketableApp

    return ShaketableApp(source).run() or 0


def needs_a_terminal() -> None:
    """Served to a browser the screens have none, and need none."""
    if "TEXTUAL_DRIVER" in os.environ:
        return
    streams = (sys.__stdin__, sys.__stdout__, sys.__stderr__)
    if not all(stream is not None and stream.isatty() for stream in streams):
        raise UserError("the screens need a terminal: standard input, output and error must all be one")


def run_in(folder: Path) -> Path:
    """The run that is recorded there: the folder is its own, or a report's with just one."""
    if (folder / RUN).exists() or not folder.is_dir():
        return folder
    found = sorted(path.parent for pattern in (f"*/{RUN}", f"runs/*/{RUN}") for path in folder.glob(pattern))
    if len(found) > 1:
        named = ", ".join(map(str, found[:MOST_NAMED])) + (" …" if len(found) > MOST_NAMED else "")
        raise UserError(f"{folder} holds {len(found)} runs, give one of them: {named}")
    return found[0] if found else folder
