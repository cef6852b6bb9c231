"""The chaos scripts that we ship. Of the matrix of crashes, more than a hundred cells that are told by one body, some
stand for all where a test is not about the matrix; test_migration_crashes.py plays each."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import shaketable.chaos
from shaketable.harness.scripts import load_scripts

ALL: Final = load_scripts([Path(path) for path in shaketable.chaos.__path__][:1])
MATRIX: Final = [script for script in ALL if Path(script.file).name == "migration_crashes.py"]
SHIPPED: Final = [script for script in ALL if script not in MATRIX or script in MATRIX[::16]]
