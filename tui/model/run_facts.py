"""What is known of a run beside its history: what it was begun with, how its processes do, how it ended."""

from __future__ import annotations

import msgspec

from shaketable.harness.records import OURS, UnderTest


class RunFacts(msgspec.Struct, frozen=True):
    """What is known of a run before its first event."""

    script: str
    """its name, or "" where it is driven by hand"""
    world: str
    fabric: str
    seed: int
    preset: str
    settings: dict[str, str | int | float | bool] = {}
    directory: str = ""
    """where it is recorded"""
    again: str = ""
    """the shell command that repeats it"""
    title: str = ""
    about: tuple[str, ...] = ()
    """the checks that the script is about"""
    expects: tuple[str, ...] = ()
    """those that it expects to be broken"""
    system: UnderTest = OURS
    cannot: dict[str, str] = {}
    """what its members cannot do, and why: by the verb; or by the verb and a value of it, as "hold Leaving", where it
    is this value alone"""


class Vitals(msgspec.Struct, frozen=True):
    """How a node's process is doing: CPU in percent of a core, memory in bytes."""

    cpu: float
    rss: int
    pid: int = 0


class Ended(msgspec.Struct, frozen=True):
    """How the run ended: "passed", "failed", "unknown"; or "stopped" where it was driven by hand."""

    outcome: str
    reasons: tuple[str, ...] = ()
