"""What a system may do otherwise than ours, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

OTHERWISE: Final[Mapping[str, str]] = {
    "one_by_one": "those who have to leave by one decision leave in a list each",
    "any_best": "of equally large lists any may stay",
    "keeps_links": "a link to a member that was removed may stay",
    "untimed_losses": "nothing is promised of how soon a lost connection is suspected",
    "uneven_owners": "members may own unequally many partitions",
    "by_silence": "a member that was removed learns it by silence alone",
    "comes_back": "one that was removed comes back as soon as it is heard",
    "asks_others": "a member that one of the others hears stays",
    "own_detector": "failures are found in a way of its own",
}
"""All that a system may do otherwise than ours, by its flag of `UnderTest` (records.py)."""
