"""An index gives each record a code, so that much is known of it without decoding it.

Records with the same code have the same kind and incarnation, and of operations the same client and outcome, too."""

from __future__ import annotations

Told = tuple[str, str, str, str]
"""kind, incarnation, client and outcome; the last two are "" where there is none"""


class Codes(dict[Told, int]):
    """From 1 on; 0 is for a record of which nothing is known."""

    def __missing__(self, told: Told) -> int:
        code = self[told] = len(self) + 1
        return code
