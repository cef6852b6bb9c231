"""Where our files for a user are: what they set, what is remembered, what saves time (by the XDG rules). And where we
are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

CONFIG: Final = ("XDG_CONFIG_HOME", ".config")
STATE: Final = ("XDG_STATE_HOME", ".local/state")
CACHE: Final = ("XDG_CACHE_HOME", ".cache")
NOWHERE: Final = os.devnull
"""nothing is below it"""


def here() -> str:
    """The working folder; `NOWHERE` if it was removed."""
    try:
        return os.getcwd()  # noqa: PTH109 - once a run, and a Path takes ten times as long
    except FileNotFoundError:
        return NOWHERE


def our_folder(of: tuple[str, str]) -> Path:
    """It need not be there."""
    variable, usual = of
    base = os.environ.get(variable)
    # A relative path there is to be ignored.
    root = Path(base) if base and Path(base).is_absolute() else Path.home() / usual
    return root / "shaketable"
