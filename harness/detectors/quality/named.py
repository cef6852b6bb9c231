"""The condition that a name stands for: one of the table, one with a number in its name, or several at once.

`loss-2.5`, `pauses-3s`, `loss-2+pauses-3s`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from shaketable.harness.detectors.quality.conditions import (
    CONDITIONS,
    Condition,
    SimulatedStage,
    Stage,
    loss_of,
    sleeps_of,
)
from shaketable.harness.worlds.sim.load import Loads

AND: Final = "+"
LONGEST: Final = 3600
"""seconds of one sleep"""
_LOSSES: Final = "loss"
_SLEEPS: Final = "pauses"
_TWO: Final = {_LOSSES: "two losses", _SLEEPS: "two sleeps"}
_NUMBER: Final = r"-?\d+(?:\.\d+)?"
_LOSS_OF_ANY: Final = re.compile(rf"{_LOSSES}-{_NUMBER}", re.ASCII)
_SLEEP_OF_ANY: Final = re.compile(rf"{_SLEEPS}-{_NUMBER}s", re.ASCII)
_LOSS: Final = re.compile(r"loss-(\d{1,2}(?:\.\d{1,4})?)", re.ASCII)
_SLEEP: Final = re.compile(r"pauses-(\d{1,4}(?:\.\d{1,3})?)s", re.ASCII)


def condition_named(name: str) -> Condition | None:
    """None: there is none. Two of one kind are none: the second would undo the first."""
    parts = parts_of(name)
    found = [_one(each) for each in parts]
    conditions = [each for each in found if each is not None]
    if len(conditions) < len(parts) or _of_a_kind(parts) or (len(parts) > 1 and "none" in parts):
        return None
    return conditions[0] if len(parts) == 1 else _together(conditions)


def why_there_is_none(name: str) -> str:
    """A sentence on a number out of range, or on parts that cannot go on at once. "": a part has no known name."""
    parts = parts_of(name)
    none = [each for each in parts if _one(each) is None]
    same = _of_a_kind(parts)
    if none and _LOSS_OF_ANY.fullmatch(none[0]):
        return f"{none[0]} is no loss; give a percentage above 0 and below 100, with no more than four decimals"
    if none and _SLEEP_OF_ANY.fullmatch(none[0]):
        return f"{none[0]} is no sleep; give at most {LONGEST} seconds, above 0, with no more than three decimals"
    if not none and same:
        two = _TWO.get(_kind(same[0]), "two of a kind")
        return f"{same[0]} and {same[1]} are {two} at once, and the second would undo the first; give one of them"
    if not none and len(parts) > 1 and "none" in parts:
        return "none says that there is no fault; give it alone, or leave it out"
    return ""


def known(name: str) -> Condition:
    """One that is there."""
    found = condition_named(name)
    assert found is not None, name
    return found


def parts_of(name: str) -> list[str]:
    return name.split(AND)


def lost_share(part: str) -> float | None:
    """Of all heartbeats. None: it is no loss."""
    loss = _LOSS.fullmatch(part)
    return None if loss is None or not float(loss[1]) else float(loss[1]) / 100


def seconds_asleep(part: str) -> float | None:
    """None: it is no sleep of a given length."""
    sleep = _SLEEP.fullmatch(part)
    return None if sleep is None or not 0 < float(sleep[1]) <= LONGEST else float(sleep[1])


def _kind(part: str) -> str:
    return part.partition("-")[0]


def _of_a_kind(parts: Sequence[str]) -> Sequence[str]:
    """The first of several. Empty: each is the only one of its kind."""
    kinds = [_kind(each) for each in parts]
    return next((same for kind in kinds if len(same := [p for p in parts if _kind(p) == kind]) > 1), [])


def _one(part: str) -> Condition | None:
    share, asleep = lost_share(part), seconds_asleep(part)
    if part in CONDITIONS:
        return CONDITIONS[part]
    if share is not None:
        return loss_of(round(100 * share, 4))
    return None if asleep is None else sleeps_of(asleep)


def _together(conditions: Sequence[Condition]) -> Condition:
    def begin(stage: SimulatedStage) -> Loads | None:
        loads = [each.begin(stage) for each in conditions]
        return next((each for each in loads if each is not None), None)

    real = [each.really for each in conditions if each.really is not None]

    def really(stage: Stage) -> None:
        for each in real:
            each(stage)

    said = "; ".join(each.says for each in conditions)
    return Condition(said, begin, really if len(real) == len(conditions) else None)
