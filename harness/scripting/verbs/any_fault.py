"""Kinds of faults that have no method of their own, by name: of a link, of a node, of links between groups, of all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any

from shaketable.harness.errors import ScriptError
from shaketable.harness.faults.kinds import KINDS
from shaketable.harness.faults.parameters import NAMES, ONE_WAY, WORDS, YES_OR_NO, Value
from shaketable.harness.faults.table import Link
from shaketable.harness.faults.verb import LINK, NODE, PARTS, FaultKind
from shaketable.harness.scripting.fault_book import Injected, between
from shaketable.harness.scripting.verbs.base import Verbs, checked, known_in, whole


class AnyFault(Verbs):
    async def inject(
        self, verb: str, *whom: str | Sequence[str], perhaps: bool = False, **values: Value | None
    ) -> Injected:
        """The fault of this name, done to two nodes' links, to a node, to groups or to all, as its kind has it; what
        else it takes is given by name. `cluster.inject("name", ...)` and `cluster.name(...)` are the same."""
        kind = KINDS.get(verb) if isinstance(verb, str) else None
        if kind is None or kind.make is None:
            own = f": call cluster.{verb}" if kind is not None else f"; there are {', '.join(KINDS)}"
            raise ScriptError(f"there is no fault {verb} without a method of its own{own}")
        if not isinstance(perhaps, bool):
            raise ScriptError(f"perhaps is True or False, not {perhaps!r}")
        given = {name: _of_its_kind(kind, name, value) for name, value in values.items() if value is not None}
        target = self._target(kind, whom, one_way=bool(given.pop(ONE_WAY, False)))
        checked(kind, **{name: value for name, value in given.items() if not isinstance(value, str | tuple)})
        try:
            ready = signature(kind.make).bind(*target, **given)
        except TypeError as error:
            raise ScriptError(f"{verb}: {error}") from None
        return await self._faults.begin(kind.make(*ready.args, **ready.kwargs), perhaps=perhaps)

    def _target(
        self, kind: FaultKind, whom: tuple[str | Sequence[str], ...], *, one_way: bool
    ) -> tuple[str | tuple[Link, ...], ...]:
        many = {LINK: 2, NODE: 1, PARTS: len(whom)}.get(kind.of, 0)
        if len(whom) != many:
            raise ScriptError(f"{kind.verb} is done to {kind.of}, and was given {len(whom)} of {many} names")
        if kind.of == PARTS:
            return (between(self._all_known(group) for group in whom),)
        names = [known_in(self._formed, name) for name in whom]
        return (self._between(names[0], names[1], one_way),) if kind.of == LINK else tuple(names)

    if not TYPE_CHECKING:  # what is typed has a method

        def __getattr__(self, name: str) -> Any:
            if name not in KINDS or KINDS[name].make is None:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            return partial(self.inject, name)


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
            return value
        raise ScriptError(f"{name} of {kind.verb} is a text, not {value!r}")
    if parameter.unit == YES_OR_NO:
        if isinstance(value, bool):
            return value
        raise ScriptError(f"{name} of {kind.verb} is True or False, not {value!r}")
    return whole(value, parameter.said or f"{name} of {kind.verb}", least=None)
