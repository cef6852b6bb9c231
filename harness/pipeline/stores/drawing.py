"""Which scripts draw their faults by the seed. One seed draws much the same plan in all of them, in all files."""

from __future__ import annotations

from typing import Final

NEMESIS: Final = "nemesis"
"""what the names of scripts begin with that play a fault plan"""
_NAMES: Final = (NEMESIS, "storm")


def draws_its_faults(script: str) -> bool:
    """By its name; each seed of it is another story."""
    return any(word in script for word in _NAMES)


def plays_a_plan(script: str) -> bool:
    return script.startswith(NEMESIS)
