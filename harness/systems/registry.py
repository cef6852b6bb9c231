"""The systems that can be named: ours, those that are built in, and those of other packages.

Another package registers a `System` under the entry point group `shaketable.systems`, by the name that `--system`
takes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Final, NamedTuple

import msgspec

from shaketable.harness.errors import UserError
from shaketable.harness.records import UnderTest
from shaketable.harness.systems.ours import SHAKETABLE
from shaketable.harness.systems.system import System

GROUP: Final = "shaketable.systems"
BUILT_IN: Final[Mapping[str, str]] = {
    "hazelcast": "shaketable.harness.systems.hazelcast.system:HAZELCAST",
    "jgroups": "shaketable.harness.systems.jgroups.system:JGROUPS",
}
"""beside ours, by their names: only the one that is asked for is loaded"""


class Chosen(NamedTuple):
    system: System
    under_test: UnderTest
    """in the version that was asked for"""


def names() -> tuple[str, ...]:
    return (SHAKETABLE.name, *sorted(_entries()))


def chosen(asked: str) -> Chosen:
    """`asked` is a name, or NAME:VERSION; "": ours."""
    name, _, version = asked.partition(":")
    system = named(name) if name else SHAKETABLE
    told = system.under_test
    versions = tuple(dict.fromkeys(filter(None, (*system.versions, told.version))))
    if version and version not in versions:
        known = ", ".join(versions) or "it is, without a version"
        raise UserError(f"--system {asked}: {told.called} can be had as {known}")
    return Chosen(system, msgspec.structs.replace(told, version=version) if version else told)


def named(name: str) -> System:
    if name == SHAKETABLE.name:
        return SHAKETABLE
    entry = _entries().get(name)
    if entry is None:
        raise UserError(f"--system {name}: there is no such system; there are {', '.join(names())}")
    try:
        system = entry.load()
    except Exception as error:
        raise UserError(f"--system {name}: {entry.value} cannot be loaded: {type(error).__name__}: {error}") from error
    if not isinstance(system, System):
        raise UserError(f"--system {name}: {entry.value} is no System")
    return system


@cache
def _entries() -> dict[str, EntryPoint]:
    ours = {name: EntryPoint(name, where, GROUP) for name, where in BUILT_IN.items()}
    return {**{entry.name: entry for entry in entry_points(group=GROUP)}, **ours}
