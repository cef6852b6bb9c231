"""`shaketable systems`: whose members can be shaken, what each tells, and which scripts can be run against it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from shaketable.harness.checks.result import counted
from shaketable.harness.console.screen import Screen, indented
from shaketable.harness.errors import UserError
from shaketable.harness.records import UnderTest
from shaketable.harness.runs.fitting import Kind, why_not
from shaketable.harness.runs.run import Options
from shaketable.harness.scripting.scripts import Script
from shaketable.harness.scripting.targets import scripts_named, scripts_of_ours
from shaketable.harness.systems.registry import chosen, names
from shaketable.harness.systems.system import System
from shaketable.harness.visible import visible

MOST_REASONS = 6
"""of a kind, that are told"""
_DOES = ("list", "install")


def systems(options: argparse.Namespace) -> int:
    screen = Screen()
    if options.does not in _DOES:
        if options.system:
            raise UserError(f"systems {options.does}: give {' or '.join(_DOES)}, and then the name of a system")
        options.does, options.system = "list", options.does
    if options.does == "install":
        for name in [options.system] if options.system else names():
            system, under_test = chosen(name)
            system.install(under_test, screen.say)
            screen.say(f"{under_test.full_name} is ready: shaketable run kill-the-master --system {name}")
        return 0
    scripts = scripts_named(options.scripts) if options.scripts else scripts_of_ours()
    if options.system:
        _tell(options.system, scripts, screen)
        return 0
    troubles = [_trouble_of(name, scripts, screen) for name in names()]
    return 2 if any(troubles) else 0


def _trouble_of(name: str, scripts: Sequence[Script], screen: Screen) -> bool:
    """One that another package spoils does not hide the others."""
    try:
        _tell(name, scripts, screen)
    except UserError as error:
        screen.print(Text(name, "bold"))
        screen.print(indented(Text(f"cannot be loaded: {visible(str(error))}"), 2))
        screen.print(Text(""))
        return True
    return False


def _tell(name: str, scripts: Sequence[Script], screen: Screen) -> None:
    system, under_test = Options("real", system=name).chosen
    about, of_scripts = list(_about(system, under_test)), list(_scripts(name, scripts))  # all of its own code has run
    screen.print(Text(under_test.full_name, "bold").append(f"   --system {name}", "dim"))
    for line in about:
        screen.print(indented(Text(line), 2))
    for before, line in of_scripts:
        screen.print(indented(_hanging(before, line), 2))
    screen.print(Text(""))


def _hanging(before: str, line: str) -> Text | Table:
    """A line that is too long goes on below itself, not below what stands before it."""
    if not before:
        return Text(line)
    table = Table.grid()
    table.add_column(width=len(before), no_wrap=True)
    table.add_column()
    table.add_row(Text(before), Text(line))
    return table


def _about(system: System, under_test: UnderTest) -> Iterator[str]:
    missing = system.missing(under_test)
    if missing:
        yield f"cannot be run here: {missing}"
    elif under_test.is_ours:
        yield "can be run here"
    elif system.ready(under_test):
        yield "can be run here: it is installed"
    else:
        yield f"can be run here, and is fetched and built first (shaketable systems install {under_test.asked})"
    if len(system.versions) > 1:
        yield f"versions: {', '.join(system.versions)} (as {system.name}:{system.versions[0]})"
    if not under_test.is_ours and not system.simulated:
        yield "real processes only: it has no simulated world"
    if under_test.tells is None:
        yield "tells every kind of event"
    else:
        inferred = f", {len(under_test.infers)} of them inferred" if under_test.infers else ""
        yield f"tells {counted(len(under_test.tells), 'kind')} of event{inferred}: {', '.join(under_test.tells)}"
    if under_test.promises is not None:
        yield f"promises: {', '.join(under_test.promises)}"


def _scripts(name: str, scripts: Sequence[Script]) -> Iterator[tuple[str, str]]:
    """What stands before each line, and the line."""
    options = Options("real", system=name)
    reasons: dict[Kind, dict[str, int]] = {}
    left = 0
    for script in scripts:
        if unfit := why_not(script, options):
            left += 1
            of_kind = reasons.setdefault(unfit.kind, {})
            of_kind[unfit.why] = of_kind.get(unfit.why, 0) + 1
    count = counted(len(scripts), "script")
    yield "", f"runs {len(scripts) - left} of {count}; not the others:" if left else f"runs all {count}"
    for kind, whys in sorted(reasons.items(), key=lambda each: -sum(each[1].values())):
        yield f"  {sum(whys.values()):>4}  ", kind.value
        if kind in (Kind.VERB, Kind.SETTINGS):
            often = sorted(whys.items(), key=lambda each: (-each[1], each[0]))
            for why, number in often[:MOST_REASONS]:
                yield f"        {number:>4}  ", why
            if rest := sum(number for _, number in often[MOST_REASONS:]):
                yield f"        {rest:>4}  ", "for other reasons"
