"""Kinds of faults without a method of their own, by name, for everything that a fault can be done to."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any, Final

from shaketable.harness.errors import ScriptError
from shaketable.harness.faults.kinds import KINDS
from shaketable.harness.faults.parameters import (
    NAMES,
    ONE_WAY,
    WORD_OF_A_MESSAGE,
    WORD_OF_AN_EVENT,
    WORDS,
    YES_OR_NO,
    Value,
)
from shaketable.harness.faults.table import Link
from shaketable.harness.faults.verb import LINK, LINKS, NODE, PARTS, SENDER, FaultKind
from shaketable.harness.scripting.fault_book import Injected, between
from shaketable.harness.scripting.verbs.base import Verbs, checked, whole
from shaketable.harness.scripting.verbs.nodes import event_named, message_named

_NAMES: Final = {LINK: 2, LINKS: 2, NODE: 1}
"""so many, or lists of them, say what a fault is done to"""
_NAMED: Final = {WORD_OF_A_MESSAGE: message_named, WORD_OF_AN_EVENT: event_named}


class AnyFault(Verbs):
    async def inject(
        self,
        verb: str,
        *whom: Value | Sequence[str],
        sender: str | None = None,
        to: Sequence[str] = (),
        perhaps: bool = False,
        **values: Value | None,
    ) -> Injected:
        """Does the fault of this name, as its kind says, to: two nodes' links, a node, groups, all links between two
        lists of nodes, what `sender` sends (`to` these; none: to all), or all. Give its other values by name.
        `cluster.inject("name", ...)` and `cluster.name(...)` are the same. A fault that is over by itself is undone
        when it took effect."""
        kind = KINDS.get(verb) if isinstance(verb, str) else None
        if kind is None or kind.make is None:
            own = f": call cluster.{verb}" if kind is not None else f"; there are {', '.join(KINDS)}"
            raise ScriptError(f"there is no fault {verb} without a method of its own{own}")
        if not isinstance(perhaps, bool):
            raise ScriptError(f"perhaps is True or False, not {perhaps!r}")
        names, in_order = _apart(kind, whom)
        twice = next((name for name in in_order if name in values), None)
        if twice is not None:
            raise ScriptError(f"{verb} was given its {twice} twice")
        said = {**in_order, **values, **({"sender": sender, "to": to or None} if kind.of != SENDER else {})}
        given = {name: _of_its_kind(kind, name, value) for name, value in said.items() if value is not None}
        one_way = bool(given.pop(ONE_WAY, False))
        target = self._from(kind, sender, to) if kind.of == SENDER else self._target(kind, names, one_way)
        checked(kind, **{name: value for name, value in given.items() if not isinstance(value, str | tuple)})
        try:
            ready = signature(kind.make).bind(*target, **given)
        except TypeError as error:
            raise ScriptError(f"{verb}: {error}") from None
        return await self._faults.begin(kind.make(*ready.args, **ready.kwargs), perhaps=perhaps)

    def _target(self, kind: FaultKind, whom: Sequence[Any], one_way: bool) -> tuple[str | tuple[Link, ...], ...]:
        if kind.of == PARTS:
            return (between(self._all_known(group) for group in whom),)
        if kind.of == LINKS:
            return (self._links_between(kind, whom[0], whom[1], one_way),)
        if kind.of == LINK:
            return (self._between(whom[0], whom[1], one_way),)
        return tuple(self._known(name) for name in whom)

    def _from(self, kind: FaultKind, sender: str | None, to: Sequence[str]) -> tuple[str, tuple[str, ...]]:
        if sender is None:
            raise ScriptError(f"{kind.verb} is done to {kind.of}: name it, sender=...")
        return sender, self._receivers(sender, to)

    if not TYPE_CHECKING:  # what is typed has a method

        def __getattr__(self, name: str) -> Any:
            if name not in KINDS or KINDS[name].make is None:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            return partial(self.inject, name)


def _apart(kind: FaultKind, given: Sequence[Any]) -> tuple[Sequence[Any], dict[str, Any]]:
    """The names to whom it is done, and by name the values that came after them."""
    many = len(given) if kind.of == PARTS else _NAMES.get(kind.of, 0)
    ordered = [parameter.name for parameter in kind.parameters if parameter.positional]
    if not many <= len(given) <= many + len(ordered):
        more = f" and {len(ordered)} value{'s' * (len(ordered) > 1)}" if ordered else ""
        raise ScriptError(f"{kind.verb} is done to {kind.of}, and was given {len(given)} of {many} names{more}")
    return given[:many], dict(zip(ordered, given[many:], strict=False))


def _of_its_kind(kind: FaultKind, name: str, value: object) -> Value | tuple[str, ...]:
    """By the unit of its parameter; a number's limits are for `checked`."""
    parameter = kind.by_name().get(name)
    if parameter is None:
        raise ScriptError(f"{kind.verb} takes no {name}; it takes {', '.join(kind.by_name()) or 'nothing'}")
    if parameter.unit == NAMES:
        listed = (value,) if isinstance(value, str) else value
        if isinstance(listed, list | tuple) and all(isinstance(each, str) for each in listed):
            return tuple(listed)
        raise ScriptError(f"{name} of {kind.verb} is names of nodes, not {value!r}")
    if parameter.unit in WORDS:
        if isinstance(value, str):
            return _NAMED[parameter.unit](value) if parameter.unit in _NAMED else value
        raise ScriptError(f"{name} of {kind.verb} is a text, not {value!r}")
    if parameter.unit == YES_OR_NO:
        if isinstance(value, bool):
            return value
        raise ScriptError(f"{name} of {kind.verb} is True or False, not {value!r}")
    return whole(value, parameter.said or f"{name} of {kind.verb}", least=None)
