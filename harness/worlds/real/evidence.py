"""What shows that a link is as it was asked to be: each way to see it answers this, and words it for the receipt."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Final, NamedTuple, Protocol

from shaketable.harness.faults.links import LinkState
from shaketable.harness.faults.table import Link
from shaketable.node.core.env import Micros

EVIDENCE_LIMIT: Final = 10.0
"""seconds; what cannot be seen by then did not happen"""
READ_BACK: Final = "read back only"
"""the link server says so, and nothing else shows it"""
Ask = Callable[[], Awaitable[None]]
"""asks the link server for a change, and reads back that it is made"""


class Seen(NamedTuple):
    """How we know that a change came about."""

    how: str
    made: Micros | None
    """when it was made (CLOCK_MONOTONIC), if it is seen only when the nodes say something to each other"""


class Evidence(Protocol):
    """Looks at the links before the change, asks for it, and answers for each how we know that it came about. It raises
    `NoEffect` if that cannot be seen although it should be."""

    waits: bool
    """for what the nodes say to each other; else it makes them say something"""

    async def of(
        self, links: Iterable[Link], before: Mapping[Link, LinkState], now: Mapping[Link, LinkState], change: Ask
    ) -> list[str]: ...

    async def of_resets(self, links: Iterable[Link], change: Ask) -> list[str]: ...

    async def drained(self, link: Link, state: LinkState, limit: Micros) -> bool:
        """Whether all that was sent over this link is seen to have arrived."""


def in_words(seen: Iterable[str]) -> str:
    """The evidence of many links in one sentence, each kind of it once."""
    counts: dict[str, int] = {}
    for each in seen:
        counts[each] = counts.get(each, 0) + 1
    if len(counts) == 1 and sum(counts.values()) == 1:
        return next(iter(counts))
    return "; ".join(f"{count} link{'s' if count > 1 else ''}: {each}" for each, count in counts.items())
