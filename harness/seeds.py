"""Which numbers are seeds: of a negative one Python draws the same as without its sign, and a store keeps 64 bits."""

from __future__ import annotations

import argparse
from typing import Final

MOST_SEED: Final = 2**62
"""some seeds after it still fit"""
GIVE: Final = f"give a whole number from 0 to {MOST_SEED}"


def is_seed(number: object) -> bool:
    return type(number) is int and 0 <= number <= MOST_SEED


def seed(text: str) -> int:
    """As a command line has it."""
    number = int(text) if text.removeprefix("-").isdecimal() and len(text) <= len(str(MOST_SEED)) else None
    if number is None or not is_seed(number):
        raise argparse.ArgumentTypeError(f"'{text}': {GIVE}")
    return number
