"""Histories as another system than ours would tell them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from shaketable.harness.records import HARNESS_EVENTS, Record, RunBegan, UnderTest


def other(**what: Iterable[str]) -> UnderTest:
    plain = UnderTest(name="other", version="5.7", title="Other")
    return msgspec.structs.replace(plain, **{name: tuple(value) for name, value in what.items()})


def of_system(records: Sequence[Record], system: UnderTest) -> list[Record]:
    """The same run, of this system: only what it tells."""
    told = None if system.tells is None else frozenset(system.tells)
    made = []
    for record in records:
        event = record.event
        if isinstance(event, RunBegan):
            made.append(record._replace(event=msgspec.structs.replace(event, system=system)))
        elif told is None or type(event) in HARNESS_EVENTS or type(event).__name__ in told:
            made.append(record)
    return made
