"""Runs as pieces of bytes: whoever plays them, processes of this machine or Spark, the same comes of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

Show = Callable[[int, int], None]
"""is told how many runs of a wave are over, and how many it has"""
Play = Callable[[Sequence[bytes], Show], list[bytes]]
"""a wave: what came of each run, in their order"""
Playing = Callable[[], AbstractContextManager[Play]]
"""who plays them; they are there from then on until all is over"""
