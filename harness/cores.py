"""How many cores there are for this process."""

from __future__ import annotations

import os


def cores_here() -> int:
    """macOS does not tell which cores a process may use: all count there."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
