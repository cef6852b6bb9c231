"""What is wrong with a value while it is typed, in a sentence that fits beside its field.

The verbs of a script say the same and more when the call is made; here it is said before."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from shaketable.harness.errors import UserError
from shaketable.harness.faults.parameters import (
    ADDRESSES,
    HOW,
    MAP,
    VALUES,
    WORD_OF_A_MESSAGE,
    WORD_OF_AN_EVENT,
    WORDS,
    YES_OR_NO,
    Parameter,
)
from shaketable.harness.scripting.verbs.links import HOWS
from shaketable.harness.scripting.verbs.nodes import EVENT_NAMES, MESSAGE_KINDS
from shaketable.harness.scripting.verbs.where import values_that_can_be_named, where_of
from shaketable.node.config import DEFAULT, SettingError
from shaketable.node.config.settings import BY_OUTSIDE_NAME
from shaketable.tui.model.hands.calls import Deed
from shaketable.tui.model.hands.filling_in import MOST, NO, YES
from shaketable.tui.model.hands.groups import GROUPS, NODE, NODES, groups_in, names_in, wrong_with, wrong_with_names
from shaketable.tui.model.hands.pairs import pairs_in

MOST_DIGITS: Final = 12
MOST_NAMED: Final = 4
LITE: Final = "lite_member=true"
"""what a node is most often started with"""
UNITS: Final = {
    "times": "",
    "kind": "a message",
    "event": "an event",
    "how": "",
    "text": "",
    MAP: "",
    VALUES: "name=value",
    ADDRESSES: "nodes, addresses",
    YES_OR_NO: YES,
    NODE: "a node",
    NODES: "nodes",
    GROUPS: "",
    "ppm": "millionths",
}


def words_for(parameter: Parameter) -> tuple[str, ...]:
    """What can be said, where that is one of a few words."""
    return {
        WORD_OF_A_MESSAGE: MESSAGE_KINDS,
        WORD_OF_AN_EVENT: EVENT_NAMES,
        HOW: HOWS,
        YES_OR_NO: (NO, YES),
    }.get(parameter.unit, ())


def pairs_for(typed: Mapping[str, str]) -> tuple[str, ...]:
    """What may be typed where names stand with their values: of the event that is chosen, or else settings."""
    event = typed.get(WORD_OF_AN_EVENT)
    if event is None:
        return (LITE, *(f"{name}=" for name in BY_OUTSIDE_NAME))
    return tuple(f"{name}=" for name in values_that_can_be_named(event)) if event in EVENT_NAMES else ()


def unit_of(parameter: Parameter) -> str:
    unit = UNITS.get(parameter.unit, parameter.unit)
    return unit if parameter.usual else ", ".join([*[unit] * bool(unit), f"or {parameter.nothing}"])


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
    if parameter.unit == VALUES:
        return _about_pairs(text, typed)
    if parameter.unit in (*WORDS, YES_OR_NO):
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
    least, most = parameter.least_typed, parameter.most_typed
    if least is not None and number < least:
        return f"at least {least:g}"
    if most is not None and number > most:
        return f"at most {most:g}"
    return _together(deed, parameter, number, typed)


def _about_pairs(text: str, typed: Mapping[str, str]) -> str:
    event = typed.get(WORD_OF_AN_EVENT)
    try:
        pairs = pairs_in(text)
        if event is None:
            DEFAULT.with_values(pairs)
        elif event in EVENT_NAMES:
            where_of(event, pairs, str)
    except (UserError, SettingError) as error:
        return str(error)
    return ""


def _about_word(parameter: Parameter, text: str) -> str:
    words = words_for(parameter)
    if not words or text in words:
        return "" if not words or text in words else "unknown"
    near = [word for word in words if text.casefold() in word.casefold()] or list(words)
    return " · ".join(near[:MOST_NAMED]) + (" …" if len(near) > MOST_NAMED else "")


def _together(deed: Deed, parameter: Parameter, number: float, typed: Mapping[str, str]) -> str:
    """What must hold of a value beside others."""
    if round(number * parameter.factor) % parameter.step:
        return parameter.steps if parameter.is_time else f"a multiple of {parameter.step}"
    other = _number(typed.get(parameter.no_more_than, ""))
    if other is not None and number > other:
        return f"no more than the {parameter.no_more_than}"
    others = deed.kind.any_of if deed.kind is not None else ()
    if parameter.name in others[1:] and not any(_number(typed.get(name, "")) for name in others):
        return f"a {others[0]}, or a {parameter.unit} other than 0"
    return ""


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
