"""Marks of what no sound run is known to come to, and why not. They stay in the list: the code guards against it, and a
campaign that reaches one has found out something."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

GUARDS: Final[Mapping[str, str]] = {
    "join ignored: another address": "identities are drawn anew at each start",
    "join ignored: no master any more": "a master ceases to lead only by a merge, and that waits while somebody joins",
    "explicit suspicion: for a merge": "nobody asks an address that is in its own list",
    "sometimes: a claim was given up": "a candidate refuses other claims, and follows nobody before its own is over",
    "partial: changed meanwhile": "a decision takes one step, unless a great many members are in question",
    "table refused: another of this version": "a new master begins two versions above the newest that anybody holds",
    "migration refused: newer table": "a master changes no table while a commit is on its way",
    "migration refused: not the owner": "whoever asks takes the owner from the row that is compared first",
    "migration refused: data missing": "that all was sent is said when the last chunk has been acknowledged",
    "merge failed: refused": "the other cluster would have to have become another one since it answered",
    "notification ignored: not the master": "whoever makes one leads, and says that it is its own",
    "suspect: in doubt before I led": "whom the old master doubted is told of as in doubt, and not suspected once more",
}
