"""What the museum shows: each fault that was planted on purpose, its story, and the check that names its rule.

The old behaviours are those of the texts and of Shoal's code (the setting `legacy_fault`). A script that comes with
shaketable tells each of them. To show faults of your own, name a file that has EXHIBITS = [(check, script, member),
...]. The member is what makes nodes in the place of ours."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import msgspec

from shaketable.harness.checks.registry import CHECK_NAMES
from shaketable.harness.errors import UserError
from shaketable.harness.runs.run import Options
from shaketable.harness.scripting.scripts import Script
from shaketable.node.config import NO_LEGACY_FAULT
from shaketable.node.config import choices as faults

CANARY: Final = faults.UNORDERED_UPDATES
"""is shown in every run of the tests: were it not caught, nothing that passes would mean anything"""
EXHIBITS: Final = "EXHIBITS"
_HAZELCAST: Final = "github.com/hazelcast/hazelcast issues"

INCIDENTS: Final[Mapping[str, str]] = {
    faults.UNORDERED_UPDATES: f"{_HAZELCAST} 9486, mended in 3.9",
    faults.MISSED_REMOVAL: f"{_HAZELCAST} 9501, mended in 3.9",
    faults.STALE_OVERWRITE: "mended in 3.9 with the mastership claim",
    faults.OWN_TABLES: f"of the family of {_HAZELCAST} 5444, mended in 3.7",
    faults.STALE_TABLE: f"of the family of {_HAZELCAST} 5444, mended in 3.7",
    faults.LONE_DECISIONS: f"of the family of {_HAZELCAST} 5444, mended in 3.7",
    faults.CLEARED_BACKUPS: f"{_HAZELCAST} 5444: half of the data lost, mended in 3.7",
    faults.LATE_BACKUPS: f"{_HAZELCAST} 5444: half of the data lost, mended in 3.7",
    faults.ONLY_CONFIGURED: f"{_HAZELCAST} 17489 and 18661, mended in 5.2",
    faults.SILENT_FOLLOWERS: f"{_HAZELCAST} 17489, mended in 5.2",
    faults.ONE_SIDED_SEARCH: f"{_HAZELCAST} 17490, mended in 5.2",
    faults.STALE_NOTIFICATIONS: "Shoal, MasterNode.processChangeEvent, by its code",
    faults.UNSTORED_NOTIFICATIONS: "Shoal, ReliableMulticast and VirtualMulticastSender.doBroadcast, by its code",
    faults.UNVERIFIED_DOUBTS: "Shoal, the successor's HealthMonitor, by its code",
    faults.LOST_FAILURE: "Shoal, master and appointed successor, by its code",
    faults.TWO_TIE_BREAKS: "Shoal, two rules for colliding masters, by its code",
    faults.NO_ALL_CLEAR: "Shoal, NO_LONGER_INDOUBT is never told, by its code",
    faults.SWAPPED_MASTERS: "Shoal, each master adopts the other, by its code",
    faults.SERIAL_SENDER: "Shoal, VirtualMulticastSender sends to one after the other, by its code",
}
"""Where it comes from: numbers of the original projects' trackers where there are some."""


class Exhibit(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    title: str
    """what happens in its story"""
    family: str
    rule: str
    """the check that names the rule; "": none does, and the story itself asks"""
    file: str
    script: str
    fault: str = ""
    """the legacy fault, if it is one"""
    source: str = ""
    """of one of somebody's own: the file, and which one there"""
    place: int = 0
    incident: str = ""


def legacy_exhibits(scripts: Iterable[Script]) -> list[Exhibit]:
    """One for each of the scripts that play with a legacy fault."""
    found = []
    for script in scripts:
        settings = Options("sim").settings(script)
        if settings.legacy_fault != NO_LEGACY_FAULT:
            found.append(
                Exhibit(
                    name=settings.legacy_fault,
                    title=script.title,
                    family=settings.family,
                    rule=script.expects_violation or "",
                    file=script.file,
                    script=script.name,
                    fault=settings.legacy_fault,
                    incident=INCIDENTS.get(settings.legacy_fault, ""),
                )
            )
    return found


def own_exhibits(file: str) -> list[Exhibit]:
    """Those of a file that somebody names."""
    found = []
    for place, (rule, script, member) in enumerate(_given(file)):
        settings = Options("sim").settings(script)
        found.append(
            Exhibit(
                name=getattr(member, "__name__", str(member)),
                title=(getattr(member, "__doc__", None) or script.title).splitlines()[0],
                family=settings.family,
                rule=rule,
                file=script.file,
                script=script.name,
                source=file,
                place=place,
            )
        )
    return found


def member_of(exhibit: Exhibit) -> tuple[Script, Any]:
    """Of one of somebody's own: its script, and what makes its nodes."""
    _, script, member = _given(exhibit.source)[exhibit.place]
    return script, member


@cache
def _given(file: str) -> Sequence[tuple[str, Script, Any]]:
    given = getattr(_loaded(file), EXHIBITS, None)
    wrong = f"{file} has no list {EXHIBITS} of (check, script, member)"
    if not isinstance(given, list) or not given:
        raise UserError(wrong)
    for each in given:
        if not (isinstance(each, tuple) and len(each) == 3 and isinstance(each[1], Script) and callable(each[2])):
            raise UserError(wrong)
        if each[0] not in CHECK_NAMES:
            raise UserError(f"{file}: there is no check {each[0]!r}; there are {', '.join(CHECK_NAMES)}")
    return given


def _loaded(file: str) -> ModuleType:
    """Its imports are looked for here as well, as a test's helpers are."""
    path = Path(file).resolve()
    if not path.is_file():
        raise UserError(f"there is no file {file}")
    spec = importlib.util.spec_from_file_location(f"shaketable_exhibits_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise UserError(f"{file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise UserError(f"{file}: {type(error).__name__}: {error}: it cannot be loaded") from None
    finally:
        sys.path.remove(here)
    return module
