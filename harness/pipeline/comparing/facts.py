"""What comparing needs of one run."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from shaketable.harness.records import OURS, UnderTest


class RunFacts(msgspec.Struct, frozen=True, kw_only=True):
    outcome: str
    file: str = ""
    """of its script"""
    why: str = ""
    again: str = ""
    history_hash: str = ""
    kept: bool = True
    """its history is in the store"""
    settings: Mapping[str, str] = {}
    """all of the run, by outside names; {}: not known"""
    means: Mapping[str, float] = {}
    """of each measure that it has, the mean"""
    checks: tuple[str, ...] = ()
    """of each reason why it has not passed the check; "" of one about anything else"""
    untold: tuple[str, ...] = ()
    """the checks that are not told"""
    system: UnderTest = OURS
    """its name, version and title"""

    def only_by_untold(self, other: RunFacts) -> bool:
        """It has not passed, and only by checks that are not told on one side: that tells nothing of the two."""
        return bool(self.checks) and {*self.untold, *other.untold}.issuperset(self.checks)
