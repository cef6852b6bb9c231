"""Where our files for a user are: what they set, what is remembered, what saves time (by the XDG rules)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

CONFIG: Final = ("XDG_CONFIG_HOME", ".config")
STATE: Final = ("XDG_STATE_HOME", ".local/state")
CACHE: Final = ("XDG_CACHE_HOME", ".cache")


def our_folder(of: tuple[str, str]) -> Path:
    """It need not be there."""
    variable, usual = of
    base = os.environ.get(variable)
    # A relative path there is to be ignored.
    root = Path(base) if base and Path(base).is_absolute() else Path.home() / usual
    return root / "shaketable"
