"""The systems that can be named: ours, those that are built in, and those of other packages.

Another package registers a `System` under the entry point group `shaketable.systems`, by the name that `--system`
takes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Final, NamedTuple

import msgspec

from shaketable.harness.errors import SystemRefused
from shaketable.harness.records import NODE, UnderTest
from shaketable.harness.systems.contract import FILE
from shaketable.harness.systems.ours import SHAKETABLE
from shaketable.harness.systems.system import System
from shaketable.harness.systems.theirs import load, package_of

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
    return (SHAKETABLE.name, *sorted({*BUILT_IN, *_entries()} - {SHAKETABLE.name}))


def chosen(asked: str) -> Chosen:
    """`asked` is a name, NAME:VERSION, a system.toml, or "node:" and a command; "": ours. SystemRefused: it is none of
    them."""
    name, colon, version = (asked, "", "") if asked.startswith(NODE) else asked.partition(":")
    if colon and not name:
        raise SystemRefused(asked, f"no name comes before the colon: give one, as in hazelcast:{version}")
    system = (_unnamed(name) or named(name)) if name else SHAKETABLE
    told = system.under_test
    versions = tuple(dict.fromkeys(filter(None, (*system.versions, told.version))))
    known = f"{told.called} can be had as {', '.join(versions) or 'it is, without a version'}"
    if colon and not version:
        raise SystemRefused(name, f"no version comes after the colon: {known}")
    if version and version not in versions:
        raise SystemRefused(asked, known)
    return Chosen(system, msgspec.structs.replace(told, version=version) if version else told)


def _unnamed(asked: str) -> System | None:
    """A command or a file; None: it is a name."""
    if not asked.startswith(NODE) and not asked.endswith(FILE):
        return None
    from shaketable.harness.systems.contract.system import system_of  # only where it is asked for

    return system_of(asked)


def named(name: str) -> System:
    """SystemRefused: there is none, it cannot be loaded, or several packages call theirs so."""
    entries = _entries().get(name, ())
    others = [package_of(entry) for entry in entries]
    if others and (name == SHAKETABLE.name or name in BUILT_IN):
        mend = "uninstall it, or give its system another name"
        raise SystemRefused(name, f"{others[0]} calls its system so, and this is a name of shaketable: {mend}")
    if len(others) > 1:
        raise SystemRefused(name, f"{' and '.join(others)} both call their system so: uninstall one of them")
    if name == SHAKETABLE.name:
        return SHAKETABLE
    if name in BUILT_IN:
        built_in: System = EntryPoint(name, BUILT_IN[name], GROUP).load()
        return built_in
    if not entries:
        raise SystemRefused(name, f"there is no such system; there are {', '.join(names())}")
    return load(entries[0])


@cache
def _entries() -> dict[str, list[EntryPoint]]:
    """Those of other packages, by their names."""
    found: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=GROUP):
        found.setdefault(entry.name, []).append(entry)
    return found
