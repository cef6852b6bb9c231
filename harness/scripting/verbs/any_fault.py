"""Kinds of faults that have no method of their own, by name: of a link, of a node, of links between groups, of all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from shaketable.harness.errors import ScriptError
from shaketable.harness.faults.kinds import KINDS
from shaketable.harness.faults.parameters import ONE_WAY, Value
from shaketable.harness.faults.table import Link
from shaketable.harness.faults.verb import LINK, NODE, PARTS, FaultKind
from shaketable.harness.scripting.fault_book import Injected, between
from shaketable.harness.scripting.verbs.base import Verbs, checked


class AnyFault(Verbs):
    async def inject(
        self, verb: str, *whom: str | Sequence[str], perhaps: bool = False, **values: Value | None
    ) -> Injected:
        """The fault of this name, done to two nodes' links, to a node, to groups or to all, as its kind has it; what
        else it takes is given by name. `cluster.inject("name", ...)` and `cluster.name(...)` are the same."""
        kind = KINDS.get(verb)
        if kind is None or kind.make is None:
            own = f": call cluster.{verb}" if kind is not None else f"; there are {', '.join(KINDS)}"
            raise ScriptError(f"there is no fault {verb} without a method of its own{own}")
        unknown = [name for name in values if name not in kind.by_name()]
        if unknown:
            raise ScriptError(f"{verb} takes no {unknown[0]}; it takes {', '.join(kind.by_name()) or 'nothing'}")
        target = self._target(kind, whom, one_way=bool(values.pop(ONE_WAY, False)))
        checked(kind, **{name: value for name, value in values.items() if not isinstance(value, str)})
        return await self._faults.begin(kind.make(*target, **values), perhaps=perhaps)

    def _target(
        self, kind: FaultKind, whom: tuple[str | Sequence[str], ...], *, one_way: bool
    ) -> tuple[str | tuple[Link, ...], ...]:
        many = {LINK: 2, NODE: 1, PARTS: len(whom)}.get(kind.of, 0)
        if len(whom) != many:
            raise ScriptError(f"{kind.verb} is done to {kind.of}, and was given {len(whom)} of {many} names")
        if kind.of == PARTS:
            return (between(self._all_known(group) for group in whom),)
        names = [self._known(str(name)) for name in whom]
        return (self._between(names[0], names[1], one_way),) if kind.of == LINK else tuple(names)

    if not TYPE_CHECKING:  # what is typed has a method

        def __getattr__(self, name: str) -> Any:
            if name not in KINDS or KINDS[name].make is None:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            return partial(self.inject, name)
