"""What is known of a run before it begins: its options and its script, the command that shows it again, and where it
will be recorded."""

from __future__ import annotations

import itertools
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from shaketable.harness.console.values import VARIABLE, is_secret
from shaketable.harness.errors import SystemRefused, UserError
from shaketable.harness.records import option_for
from shaketable.harness.systems.registry import chosen
from shaketable.harness.verdicts.verdict import USUAL_PRESET
from shaketable.node.config import SettingError, Settings, by_our_names, read_settings, without_secrets
from shaketable.node.plugged import check_plugged
from shaketable.tui.engine.protocol import Begin

if TYPE_CHECKING:  # what runs a script takes a moment to load, and a screen that is driven by hand needs none of it
    from shaketable.harness.runs.run import Options
    from shaketable.harness.scripting.scripts import Script

RECORDINGS: Final = Path("runs")
USUAL_NODES: Final = 5
MOST_NODES: Final = 100
USUAL_SPEED: Final = 1.0
BY_HAND: Final = "fast"
"""the usual preset of a session that is driven by hand"""
FOR_EVER: Final = 1e7
"""seconds: the limit of a session that is driven by hand"""


class Known(NamedTuple):
    """Before a run begins."""

    script: str
    """its name, or "" """
    settings: dict[str, str | int | float | bool]


def parts_of(begin: Begin) -> tuple[Options, Script | None]:
    """None: it is driven by hand."""
    from shaketable.harness.runs.run import Options

    by_hand = not begin.script
    options = Options(
        world=begin.world,
        seed=begin.seed,
        preset=_preset(begin),
        values=begin.values,
        limit=FOR_EVER if by_hand else None,
        toxiproxy=begin.toxiproxy,
        system=begin.system,
    )
    return options, None if by_hand else script_named(begin.script, begin.world)


def look_at(begin: Begin) -> Known:
    """One sentence says what is wrong with any of it. By hand that takes no time: a screen waits for this."""
    system, under_test = chosen(begin.system)
    if not under_test.is_ours:
        from shaketable.harness.checks.known import check_names

        check_names(under_test)
    system.check_world(begin.world)
    if begin.script:
        from shaketable.harness.runs.fitting import why_not

        options, script = parts_of(begin)
        assert script is not None
        its_settings = options.settings(script)
        if unfit := why_not(script, options):
            raise UserError(f"{script.name} cannot be run with {under_test.full_name}: {unfit.why}")
        return Known(script.name, its_settings.outside())
    try:
        settings = _read_by_hand(begin)
        check_plugged(settings)
    except SettingError as error:
        raise UserError(f"{error}; `shaketable settings` lists them all") from None
    if unfit_settings := system.unfit(settings):
        raise SystemRefused(system.name, unfit_settings)
    return Known("", settings.outside())


def known_unseen(begin: Begin) -> Known:
    """Where nobody has looked at it: what a script has is known when it begins."""
    if begin.script:
        return Known(begin.script, {})
    try:
        return Known("", _read_by_hand(begin).outside())
    except SettingError:
        return Known("", {})  # it is said where it is looked at


def _read_by_hand(begin: Begin) -> Settings:
    values = by_our_names(begin.values)
    return read_settings(_preset(begin) or "", {**chosen(begin.system).system.settings, **values})


def preset_of(begin: Begin) -> str:
    return _preset(begin) or USUAL_PRESET[begin.world]


def _preset(begin: Begin) -> str | None:
    return begin.preset or chosen(begin.system).system.preset or (None if begin.script else BY_HAND)


def script_named(name: str, world: str) -> Script:
    """Just one, and one for this world."""
    from shaketable.harness.scripting.targets import scripts_named

    found = scripts_named([name])
    if len(found) > 1:
        some = ", ".join(script.name for script in found[:3])
        raise UserError(f"{name} holds {len(found)} scripts ({some} …): name one of them, as {name}::{found[0].name}")
    why_not = found[0].why_not_in(world)
    if why_not:
        raise UserError(f"{found[0].name} cannot be run in this world: {why_not}")
    return found[0]


def again(begin: Begin) -> str:
    """The command that shows such a run, for people."""
    return shlex.join(["shaketable", *words_of(msgspec.structs.replace(begin, values=without_secrets(begin.values)))])


def words_of(begin: Begin) -> list[str]:
    words = ["tui"]
    words += ["--script", begin.script] if begin.script else ["--nodes", str(begin.nodes)]
    words += ["--world", begin.world] if begin.world != "real" else []
    words += option_for(begin.system) if begin.system else []
    words += ["--seed", str(begin.seed)]
    words += ["--preset", begin.preset] if begin.preset else []
    for name, value in begin.values.items():
        words += ["--set", f"{name}={value}"]
    words += ["--toxiproxy", begin.toxiproxy] if begin.toxiproxy else []
    if begin.world == "sim" and begin.speed != USUAL_SPEED:
        words += ["--speed", "max" if begin.speed is None else f"{begin.speed:g}"]
    return words


def words_without_secrets(begin: Begin) -> tuple[list[str], dict[str, str]]:
    """Of a process of ours, whose command line every user can read; and what has to be in its environment."""
    values, variables = dict(begin.values), dict[str, str]()
    for number, name in enumerate(name for name in begin.values if is_secret(name)):
        variable = f"SHAKETABLE_SECRET_{number}"
        variables[variable] = begin.values[name]
        values[name] = f"{VARIABLE}{variable}"
    return words_of(msgspec.structs.replace(begin, values=values)), variables


def new_folder(name: str) -> Path:
    """For one run alone, also where two begin at the same moment."""
    now = time.strftime("%Y%m%d-%H%M%S")
    for number in itertools.count(1):
        folder = RECORDINGS / (f"{name}-{now}" if number == 1 else f"{name}-{now}-{number}")
        try:
            folder.mkdir(mode=0o700, parents=True)
        except FileExistsError:
            if not folder.is_dir():
                raise
        else:
            break
    return folder
