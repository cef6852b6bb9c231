"""How long the search for the members that leave may have taken: a decision tells only how much work it was."""

from __future__ import annotations

from typing import Final

from shaketable.node.core.env import Micros

SEARCH: Final[Micros] = 10
"""a generous measure of how long a unit of a search's work may take, the pauses in it included"""
