"""Imported by the server process that nodes are forked from, and by nothing else: ties that process to its harness.

Its nodes are tied to it in the same way, so that all of them end with the harness, those that are stopped as well."""

from __future__ import annotations

import os

from shaketable.node.process.main import HARNESS
from shaketable.node.process.tied import die_with

_harness = os.environ.get(HARNESS)
if _harness is not None:
    die_with(int(_harness))
