"""The tables of faults in docs/, made of the rows: for who reads what they are, who writes scripts, who draws plans."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path

from tests.where import DOCS

from shaketable.harness.faults.kinds import KINDS
from shaketable.harness.faults.parameters import HOW, ONE_WAY, WORD_OF_A_MESSAGE, WORD_OF_AN_EVENT, Parameter
from shaketable.harness.faults.verb import ALL, CLIENTS, LINK, LINKS, NODE, PARTS, SENDER, Effect, FaultKind
from shaketable.harness.nemesis.deeds import KINDS as DEEDS

WORDS = (ONE_WAY, HOW, WORD_OF_A_MESSAGE, WORD_OF_AN_EVENT)
UNITS = {"bytes/s": "bytes a second", "%": "percent", "ppm": "millionths", "times": "a number"}
EFFECTS = {
    Effect.SILENCES: "silences its links",
    Effect.SHIFTS: "shifts times",
    Effect.STOPS: "stops nodes",
    Effect.SETS_CLOCK: "sets a clock",
}


def made_anew(page: str, name: str, rows: Callable[[], Iterator[str]]) -> str:
    table = "\n".join(rows())
    page, found = re.subn(
        rf"(<!-- {name}: [^\n]*-->\n).*?(<!-- end of {name} -->)",
        lambda marks: f"{marks[1]}\n{table}\n\n{marks[2]}",
        page,
        flags=re.DOTALL,
    )
    assert found == 1, name
    return page


def meanings() -> Iterator[str]:
    yield from ("| fault | what it means | to the checks | real world | simulated |", "|---|---|---|---|---|")
    for kind in KINDS.values():
        verbs = f"`{kind.verb}`" + (f", `{kind.undone[0]}`" if kind.undone else "")
        yield f"| {verbs} | {kind.sentence} | {_effect(kind)} | {kind.real} | {kind.simulated} |"


def values() -> Iterator[str]:
    yield from ("| fault | values |", "|---|---|")
    for kind in KINDS.values():
        given = "; ".join(_value(each) for each in kind.parameters if each.name not in WORDS)
        if given:
            yield f"| {_called(kind)} | {given} |"


def deeds() -> Iterator[str]:
    yield from ("| deed | |", "|---|---|")
    of = (LINK, LINKS, NODE, PARTS, SENDER, ALL, CLIENTS)
    faults = sorted((deed for verb, deed in DEEDS.items() if verb in KINDS), key=lambda deed: of.index(deed.of))
    for target, group in groupby(faults, key=lambda deed: deed.of):
        yield f"| {' '.join(f'`{deed.verb}`' for deed in group)} | {target} |"
    for verb, deed in DEEDS.items():
        if verb not in KINDS:
            yield f"| `{verb}` | {deed.sentence} |"


TABLES: dict[Path, tuple[str, Callable[[], Iterator[str]]]] = {
    DOCS / "architecture.md": ("faults", meanings),
    DOCS / "writing-scripts.md": ("faults", values),
    DOCS / "shrinking.md": ("deeds", deeds),
}


def _effect(kind: FaultKind) -> str:
    return ", ".join(words for effect, words in EFFECTS.items() if effect in kind.effect) or "–"


def _called(kind: FaultKind) -> str:
    return f"`{kind.verb}`" if kind.make is None else f'`inject("{kind.verb}", ...)`'


def _value(parameter: Parameter) -> str:
    unit = "a time" if parameter.is_time else UNITS[parameter.unit]
    least = f"{parameter.least_typed:g} {parameter.unit}" if parameter.is_time else f"{parameter.least}"
    most = f"{parameter.most}"
    said = [
        unit,
        *[f"at least {least}"] * (parameter.least not in (0, 1) if parameter.is_time else parameter.least is not None),
        *[f"at most {most}"] * (parameter.most is not None),
        *[parameter.steps] * bool(parameter.steps),
        *[f"no more than `{parameter.no_more_than}`"] * bool(parameter.no_more_than),
    ]
    return f"`{parameter.name}`: {', '.join(said)}"
