"""A system that another package registers: looked at before anything of it is used."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint

from shaketable.harness.errors import SystemRefused
from shaketable.harness.records import UnderTest
from shaketable.harness.systems.system import System
from shaketable.harness.systems.their_code import guarded, said_by
from shaketable.harness.systems.their_values import wrong_values
from shaketable.node.config import SettingError, by_our_names, read_settings


@cache
def load(entry: EntryPoint) -> System:
    """SystemRefused: it cannot be loaded, or is not what it should be."""
    try:
        system = entry.load()
    except (Exception, SystemExit) as error:
        raise SystemRefused(entry.name, f"{entry.value} cannot be loaded: {said_by(error)}") from error
    if not isinstance(system, System) or not isinstance(system.under_test, UnderTest):
        raise SystemRefused(entry.name, f"{entry.value} is no System")
    package = package_of(entry)
    if wrong_value := next(wrong_values(system), ""):
        raise SystemRefused(entry.name, f"{wrong_value}; this is a fault of {package}")
    if wrong := _wrong(entry.name, system):
        raise SystemRefused(entry.name, f"{package} {wrong}")
    return guarded(system, package)


def package_of(entry: EntryPoint) -> str:
    return f"the package {entry.dist.name}" if entry.dist is not None else entry.module


def _wrong(name: str, system: System) -> str:
    told = system.under_test
    if told.name != name:
        return f"registers {told.name!r} by another name than its own: the entry point has to be called {told.name}"
    try:
        read_settings(system.preset or "default", by_our_names(system.settings))
    except SettingError as error:
        return f"has settings that nobody can have: {error}"
    return ""
