"""The values of a system that another package registers: each is looked at before anything starts, for nobody has to
have checked the types of that package."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import inf
from typing import Final, NamedTuple

from shaketable.harness.errors import shortened
from shaketable.harness.systems.system import System


class Kind(NamedTuple):
    """Of a value."""

    fits: Callable[[object], bool]
    words: str


def _texts(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(each, str) for each in value)


def _whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _seconds(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < inf


def _by_name(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(name, str) for name in value)


TEXT: Final = Kind(lambda value: isinstance(value, str), "a text")
TRUTH: Final = Kind(lambda value: isinstance(value, bool), "True or False")
FUNCTION: Final = Kind(callable, "a function")
_TEXTS: Final = Kind(_texts, "a tuple of texts")
_TEXTS_OR_ALL: Final = Kind(lambda value: value is None or _texts(value), "a tuple of texts, or None")
_TIME: Final = Kind(lambda value: _whole(value, 0), "a whole number of microseconds, from 0 on")
OF_UNDER_TEST: Final[Mapping[str, Kind]] = {
    "name": TEXT,
    "version": TEXT,
    "title": TEXT,
    "tells": _TEXTS_OR_ALL,
    "infers": _TEXTS,
    "promises": _TEXTS_OR_ALL,
    "one_by_one": TRUTH,
    "any_best": TRUTH,
    "keeps_links": TRUTH,
    "untimed_losses": TRUTH,
    "uneven_owners": TRUTH,
    "by_silence": TRUTH,
    "comes_back": TRUTH,
    "asks_others": TRUTH,
    "own_detector": TRUTH,
}
OF_SYSTEM: Final[Mapping[str, Kind]] = {
    "members": FUNCTION,
    "versions": _TEXTS,
    "unfit": FUNCTION,
    "cannot": FUNCTION,
    "both_ways": TRUTH,
    "ports": Kind(lambda value: _whole(value, 1), "a whole number from 1 on"),
    "udp": TRUTH,
    "simulated": TRUTH,
    "preset": TEXT,
    "settings": Kind(_by_name, "a mapping, with the names of settings as texts"),
    "allowance": _TIME,
    "patience": _TIME,
    "last_words": Kind(_seconds, "a number of seconds, from 0 on"),
    "retold": FUNCTION,
    "install": FUNCTION,
    "missing": FUNCTION,
    "ready": FUNCTION,
}


def wrong_values(system: System) -> Iterator[str]:
    """For each wrong value the end of a sentence: which it is, and what it has to be."""
    for owner, kinds in ((system.under_test, OF_UNDER_TEST), (system, OF_SYSTEM)):
        for name, kind in kinds.items():
            if not kind.fits(value := getattr(owner, name)):
                yield f"its `{name}` is {shown(value)}, and has to be {kind.words}"
    if not system.both_ways and system.ports != 1:
        yield f"its `ports` is {shown(system.ports)}, and more than one goes only with `both_ways`"


def shown(value: object) -> str:
    """In a sentence; its own way to show itself may be what is broken."""
    try:
        return shortened(" ".join(repr(value).split()))
    except Exception:
        return f"of the type {type(value).__name__}"
