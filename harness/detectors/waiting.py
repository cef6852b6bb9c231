"""A line for a user who sits before a terminal and waits."""

from __future__ import annotations

import sys


def progress(said: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{said}")
        sys.stderr.flush()
