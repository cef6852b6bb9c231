"""A system that another package registers: looked at before anything of it is used. An error of its code is told as its
own, not as a fault of ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.metadata import EntryPoint
from typing import ParamSpec, TypeVar

from shaketable.harness.errors import UserError, shortened
from shaketable.harness.records import UnderTest
from shaketable.harness.systems.system import System
from shaketable.node.config import SettingError, by_our_names, read_settings

P = ParamSpec("P")
R = TypeVar("R")


@cache
def load(entry: EntryPoint) -> System:
    """UserError: it cannot be loaded, or is not what it should be."""
    try:
        system = entry.load()
    except (Exception, SystemExit) as error:
        raise UserError(f"--system {entry.name}: {entry.value} cannot be loaded: {_said(error)}") from error
    if not isinstance(system, System) or not isinstance(system.under_test, UnderTest):
        raise UserError(f"--system {entry.name}: {entry.value} is no System")
    if wrong := _wrong(entry.name, system):
        raise UserError(f"--system {entry.name}: {package_of(entry)} {wrong}")
    return _guarded(system, package_of(entry))


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


def _guarded(system: System, package: str) -> System:
    def guarded(what: str, call: Callable[P, R]) -> Callable[P, R]:
        def guard(*given: P.args, **named: P.kwargs) -> R:
            try:
                return call(*given, **named)
            except UserError:
                raise
            except Exception as error:
                told = f"its `{what}` has raised {_said(error)}"
                raise UserError(f"--system {system.name}: {told}; this is a fault of {package}") from error

        return guard

    return replace(
        system,
        members=guarded("members", system.members),
        unfit=guarded("unfit", system.unfit),
        cannot=guarded("cannot", system.cannot),
        retold=guarded("retold", system.retold),
        install=guarded("install", system.install),
        missing=guarded("missing", system.missing),
        ready=guarded("ready", system.ready),
    )


def _said(error: BaseException) -> str:
    return shortened(" ".join(f"{type(error).__name__}: {error}".split()))
