"""A fault plan as a chaos script that a person can read: plain verbs, the protocol's own times, and why in its head.

The script makes the same calls at the same times as playing the plan does, so it fails as the plan did. Deeds that the
run left out are left out here too, because a script does not check whether a deed is possible."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from shaketable.harness.faults.verb import DATAGRAM, EVENT, MESSAGE, STOP_WORK
from shaketable.harness.nemesis.came_upon import NOTHING, Met
from shaketable.harness.nemesis.deeds import JOIN, KINDS, Moment, formation_of, moments_of
from shaketable.harness.nemesis.endings import ENDINGS
from shaketable.harness.nemesis.plan import Plan, Setting
from shaketable.harness.runs.run import Options
from shaketable.harness.scripting.calls import in_units, value_of, written
from shaketable.harness.scripting.scripts import Script, own_settings
from shaketable.harness.scripting.text import in_a_docstring, wrapped
from shaketable.node.config import GMS, Settings, by_our_names, read_settings, without_secrets
from shaketable.node.core.env import Micros

INDENT: Final = "    "

_AT: Final = (
    "formed = cluster.seen.now()",
    "",
    "async def at(time: int) -> None:",
    f'{INDENT}"""So long after all had formed; at once, if that is over."""',
    f"{INDENT}await cluster.sleep(max(0, formed + time - cluster.seen.now()))",
    "",
)


@dataclass(frozen=True, slots=True)
class Why:
    """What a reader of the script wants to know first."""

    title: str
    paragraphs: Sequence[str]
    """how it failed, by which seed, what the rule is"""
    commands: Sequence[str]


def script_text(
    plan: Plan,
    why: Why,
    *,
    name: str,
    about: Sequence[str],
    settings: Mapping[str, Setting],
    of: Settings,
    without_the_rest: Collection[int] = (),
    waits_for: Mapping[int, Met] = NOTHING,
) -> str:
    """`settings` are the script's own, `of` those with which it failed; `without_the_rest`: deeds of which it left out
    what follows the first call; `waits_for`: deeds that came upon something, and when: it goes on when they have."""
    times = _Times(of)
    body = list(_Body(plan, times, without_the_rest, waits_for).lines())
    units = [unit for unit in ("MILLISECOND", "SECOND") if re.search(rf"\b{unit}\b", "\n".join(body))]
    lines = [
        f'"""{in_a_docstring(why.title)}',
        "",
        *[wrapped(in_a_docstring(paragraph)) + "\n" for paragraph in why.paragraphs],
        *[f"{INDENT}{in_a_docstring(command)}" for command in why.commands],
        '"""',
        "",
        f"from shaketable import {', '.join([*units, 'Cluster', 'endings', 'script'])}",
        "",
        "",
        *_marked(about, settings),
        f"async def {name}(cluster: Cluster) -> None:",
        f'{INDENT}"""{in_a_docstring(why.title)}"""',
        *[f"{INDENT}{line}" if line else "" for line in [*times.named(body), *body]],
    ]
    return "\n".join(lines) + "\n"


def settings_written(script: Script, options: Options) -> dict[str, Setting]:
    """Those of a script that is written after another one: its own, and what the command line gave."""
    given = by_our_names(options.values)
    own = {**by_our_names(own_settings(script.settings, read_settings(options.preset_name, given))), **given}
    settings = without_secrets(own).items()
    return {name: each if isinstance(each, str | int | float) else str(each) for name, each in settings}


def command_of(path: Path, options: Options) -> str:
    """By which a script that was written is run: its settings stand in it."""
    preset = [] if options.preset is None else [f"--preset {options.preset}"]
    return " ".join(["shaketable run", shlex.quote(str(path)), f"--world sim --seed {options.seed}", *preset])


def _marked(about: Sequence[str], settings: Mapping[str, Setting]) -> Iterator[str]:
    said = json.dumps(list(about))
    if not settings:
        yield f"@script(about={said})"
        return
    yield "@script("
    yield f"{INDENT}about={said},"
    yield f"{INDENT}settings={{"
    yield from (f"{INDENT}{INDENT}{value_of(setting)}: {value_of(value)}," for setting, value in settings.items())
    yield f"{INDENT}}},"
    yield ")"


class _Times:
    """How a time is written: in the protocol's own, where it is a multiple of one, or in seconds."""

    def __init__(self, settings: Settings) -> None:
        names = (
            {"window": "detection_window", "period": "gms_heartbeat_period"}
            if settings.family == GMS
            else {"timeout": "heartbeat_timeout", "interval": "heartbeat_interval"}
        )
        self._names = {name: (setting, int(getattr(settings, setting))) for name, setting in names.items()}
        self._used: dict[str, bool] = {}

    def __call__(self, time: Micros) -> str:
        for name, (_, unit) in self._names.items():
            if time and time % unit == 0:
                self._used[name] = True
                return name if time == unit else f"{time // unit} * {name}"
        return in_units(time)

    def named(self, body: Sequence[str]) -> list[str]:
        """A line for each of these names that the body uses."""
        return [f"{name} = cluster.settings.{self._names[name][0]}" for name in self._names if name in self._used]


class _Body:
    def __init__(
        self, plan: Plan, times: _Times, without_the_rest: Collection[int], waits_for: Mapping[int, Met]
    ) -> None:
        self._plan = plan
        self._came_upon = waits_for
        self._waits_for = dict(waits_for)
        self._times = times
        self._moments = [m for m in moments_of(plan) if m.first or m.deed not in without_the_rest]
        ended = [moment.deed for moment in self._moments if moment.of_what_began]
        caught = [n for n in waits_for if KINDS[plan.deeds[n].verb].comes_upon in (MESSAGE, DATAGRAM)]
        at_work = [n for n, deed in enumerate(plan.deeds) if KINDS[deed.verb].ends == STOP_WORK and n not in ended]
        self._at_work = at_work
        self._names = self._named(dict.fromkeys([*ended, *caught, *at_work]))

    def lines(self) -> Iterator[str]:
        for call in formation_of(self._plan):
            yield f"await {written(call, self._times)}"
        if any(moment.at for moment in self._moments) or self._plan.storm:
            yield from _AT
        last: Micros = 0
        for moment in self._moments:
            if moment.at > last:
                yield f"await at({self._times(moment.at)})"
                last = moment.at
            yield from self._waiting(moment)
            yield self._line(moment)
        if self._plan.storm > last:
            yield f"await at({self._times(self._plan.storm)})"
        works = f", [{', '.join(self._names[number] for number in self._at_work)}]" if self._at_work else ""
        yield f"await endings.{ENDINGS[self._plan.ending].__name__}(cluster{works})"

    def _waiting(self, moment: Moment) -> Iterator[str]:
        """Waits first for all that the run had come upon when this was done. In virtual time that has been."""
        ends = None if moment.first else moment.deed
        for number in [number for number, met in self._waits_for.items() if met.at < moment.at or number == ends]:
            met, deed = self._waits_for.pop(number), self._plan.deeds[number]
            within = "within=cluster.bounds.settle()"
            if KINDS[deed.verb].comes_upon == EVENT:
                yield f"await cluster.until_held({value_of(deed.on[0])}, {value_of(deed.options['event'])}, {within})"
            elif deed.verb == JOIN:
                joined = f"cluster.that.follows({value_of(deed.on[0])}, {value_of(met.master)})"
                yield f"await cluster.until({joined}, {within})"
            else:
                yield f"await cluster.until(cluster.that.caught({self._names[number]}), {within})"

    def _line(self, moment: Moment) -> str:
        if moment.of_what_began:
            return f"await cluster.{moment.call.verb}({self._names[moment.deed]})"
        given = f"{self._names[moment.deed]} = " if moment.first and moment.deed in self._names else ""
        call = moment.call
        if moment.first and moment.deed in self._came_upon:
            surely = {name: value for name, value in call.options.items() if name != "perhaps"}
            call = msgspec.structs.replace(call, options=surely)
        return f"{given}await {written(call, self._times)}"

    def _named(self, deeds: Collection[int]) -> dict[int, str]:
        """A name for what the first call of each of these gives: "cut", or "cut_2" if there are several."""
        names: dict[int, str] = {}
        for number in sorted(deeds):
            verb = self._plan.deeds[number].verb
            same = sum(self._plan.deeds[other].verb == verb for other in names)
            names[number] = f"{verb}_{same + 1}" if same else verb
        return names
