"""What is wrong with a value while it is typed, in a sentence that fits beside its field.

The verbs of a script say the same and more when the call is made; here it is said before."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from shaketable.harness.scripting.verbs.links import LEAST_RATE, SILENCES
from shaketable.harness.scripting.verbs.nodes import EVENT_NAMES, FASTEST, MESSAGE_KINDS, MOST_BUSY
from shaketable.node.messages import LARGEST_VALUE
from shaketable.tui.model.calls import DATAGRAMS, Deed, Parameter
from shaketable.tui.model.filling_in import MOST, WORDS
from shaketable.tui.model.groups import GROUPS, NODE, NODES, groups_in, names_in, wrong_with, wrong_with_names

RANGES: Final[Mapping[tuple[str, str], tuple[float, float]]] = {
    ("slow", "latency"): (1, math.inf),
    ("slow", "jitter"): (0, math.inf),
    ("thin", "rate"): (LEAST_RATE, math.inf),
    ("clock", "jump"): (-math.inf, math.inf),
    ("clock", "rate_ppm"): (-FASTEST, FASTEST),
    ("delay", "by"): (0.001, math.inf),
    ("hold", "after"): (0, math.inf),
    ("load", "busy"): (1, MOST_BUSY),
    ("work", "size"): (0, LARGEST_VALUE),
    ("work", "writes_percent"): (0, 100),
    ("work", "pause"): (0, math.inf),
    **{(verb, "percent"): (1, 100) for verb in DATAGRAMS},
    ("delay_datagrams", "by"): (0.001, math.inf),
    ("repeat_datagrams", "later"): (0, math.inf),
    ("talk", "every"): (0, math.inf),
}
"""of the numbers that need not be 1 at least"""
MOST_DIGITS: Final = 12
MOST_NAMED: Final = 4
UNITS: Final = {
    "times": "",
    "kind": "a message",
    "event": "an event",
    "how": "",
    "text": "",
    NODE: "a node",
    NODES: "nodes",
    GROUPS: "",
    "ppm": "millionths",
}


def words_for(parameter: Parameter) -> tuple[str, ...]:
    """What can be said, where that is one of a few words."""
    return {"kind": MESSAGE_KINDS, "event": EVENT_NAMES, "how": tuple(SILENCES)}.get(parameter.unit, ())


def unit_of(parameter: Parameter) -> str:
    unit = UNITS.get(parameter.unit, parameter.unit)
    return unit if parameter.usual else f"{unit} or nothing".strip().replace("nothing", "nothing: no limit", 1)


def offered(words: Sequence[str], typed: str) -> Sequence[str]:
    """Those that what is typed may become; all, where it is one of them already, or none."""
    near = [word for word in words if typed.casefold() in word.casefold()]
    return words if typed in words or not near else near


def complaint(deed: Deed, parameter: Parameter, typed: Mapping[str, str], known: Collection[str] = ()) -> str:
    """ "": it can be done so. `known`: the nodes that there are, where somebody knows."""
    text = typed.get(parameter.name, parameter.usual).strip()
    if not text:
        return f"for example {parameter.usual}" if parameter.usual else ""
    if parameter.unit == GROUPS:
        return wrong_with(groups_in(text), known)
    if parameter.unit == NODES:
        return wrong_with_names(names_in(text), known)
    if parameter.unit == NODE:
        return wrong_with_names([text], known)
    if parameter.unit in WORDS:
        return _about_word(parameter, text)
    number = _number(text)
    if number is None or len(text) > MOST_DIGITS:
        return "a number, please"
    if parameter.factor == 1 and number != int(number):
        return "a whole number, please"
    if not (number * parameter.factor).is_integer():
        return "too exact: whole microseconds"
    if abs(number * parameter.factor) > MOST:
        return "too large"
    least, most = RANGES.get((deed.verb, parameter.name), (1, math.inf))
    if number < least:
        return f"at least {least:g}"
    if number > most:
        return f"at most {most:g}"
    return _together(deed, parameter, number, typed)


def _about_word(parameter: Parameter, text: str) -> str:
    words = words_for(parameter)
    if not words or text in words:
        return "" if not words or text in words else "unknown"
    near = [word for word in words if text.casefold() in word.casefold()] or list(words)
    return " · ".join(near[:MOST_NAMED]) + (" …" if len(near) > MOST_NAMED else "")


def _together(deed: Deed, parameter: Parameter, number: float, typed: Mapping[str, str]) -> str:
    """What must hold of a value beside others."""
    if deed.verb == "thin" and number % LEAST_RATE:
        return f"a multiple of {LEAST_RATE}"
    if deed.verb == "slow" and number != int(number):
        return "whole milliseconds"
    if deed.verb == "slow" and parameter.name == "jitter":
        latency = _number(typed.get("latency", ""))
        if latency is not None and number > latency:
            return "no more than the latency"
    if deed.verb == "clock" and parameter.name == "rate_ppm" and not number and not _number(typed.get("jump", "")):
        return "a jump, or a rate other than 0"
    return ""


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
