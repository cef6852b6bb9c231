"""A setting's declaration, and the way of its value from outside to inside and back.

A field of `Settings` carries its meaning, its unit, its range and where its default comes from; whatever comes from a
user is checked by these and refused in a sentence that names the field, the value and what would be right."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from shaketable.node.core.env import MILLISECOND, SECOND

UNITS: Final[Mapping[str, int]] = {"seconds": SECOND, "millis": MILLISECOND}
HIDDEN: Final = "***"
"""in the place of a secret, wherever it is shown or recorded"""
_YEAR: Final = 365 * 24 * 3600 * SECOND
"""A time beyond this is a mistake, and no timer of a real process takes just any number."""


class SettingError(ValueError):
    """Names the field, the value and what would be right."""


def setting(
    default: Any,
    *,
    meaning: str,
    source: str,
    unit: str = "",
    property_name: str = "",
    least: float = 0,
    most: float = math.inf,
    choices: tuple[str, ...] = (),
    may_be_empty: bool = False,
    secret: bool = False,
) -> Any:
    """`least` and `most` are in the field's own unit; `source` says where the default comes from."""
    if unit in UNITS:
        most = min(most, _YEAR / UNITS[unit])
    inside = round(default * UNITS[unit]) if unit in UNITS else default
    about = {
        "meaning": meaning,
        "source": source,
        "unit": unit,
        "property": property_name,
        "least": least,
        "most": most,
        "choices": choices,
        "may_be_empty": may_be_empty,
        "secret": secret,
    }
    return field(default=inside, metadata=about, repr=not secret)


def outside_name(f: dataclasses.Field[Any]) -> str:
    unit = f.metadata["unit"]
    return f"{f.name}_{unit}" if unit in UNITS else f.name


_TRUTHS: Final = {"true": True, "false": False}


def to_outside(f: dataclasses.Field[Any], value: Any) -> Any:
    """Equal values are told alike, 10.0 as 10: what is told of equal settings is kept, whichever came first."""
    unit = f.metadata["unit"]
    if unit not in UNITS:
        return int(value) if isinstance(value, float) and value.is_integer() else value
    whole, rest = divmod(value, UNITS[unit])
    return value / UNITS[unit] if rest else whole


def shown(f: dataclasses.Field[Any], value: Any) -> Any:
    """For people and for recordings."""
    return HIDDEN if f.metadata["secret"] and value else value


def to_inside(f: dataclasses.Field[Any], name: str, value: object) -> object:
    about = f.metadata
    if f.type == "bool":
        truth = _TRUTHS.get(value.lower()) if isinstance(value, str) else value
        if not isinstance(truth, bool):
            raise SettingError(f"{name} = {value!r}: give true or false")
        return truth
    if about["choices"]:
        if value not in about["choices"]:
            raise SettingError(f"{name} = {value!r}: give {' or '.join(about['choices'])}")
        return value
    if f.type == "str":
        if not isinstance(value, str) or not (value or about["may_be_empty"]):
            raise SettingError(f"{name} = {shown(f, value)!r}: give a text that is not empty")
        if any("\ud800" <= letter <= "\udfff" for letter in value):  # what a terminal's foreign bytes become
            raise SettingError(f"{name} = {shown(f, value)!r}: give a text in UTF-8")
        return value
    unit = about["unit"]
    least, most = about["least"], about["most"]
    whole = f.type != "float" and unit not in UNITS
    wanted = f"a {'whole ' if whole else ''}number{' of ' + unit if unit else ''} of at least {least:g}"
    wanted += f" and at most {most:.0f}" if most != math.inf else ""
    try:
        number = float(value) if isinstance(value, (int, float, str)) and not isinstance(value, bool) else math.nan
    except ValueError:
        number = math.nan
    if not (least <= number <= most) or math.isinf(number) or (whole and number != int(number)):
        raise SettingError(f"{name} = {value!r}: give {wanted}")
    if unit in UNITS:
        return round(number * UNITS[unit])
    return int(number) if whole else number
