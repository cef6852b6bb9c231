"""Starting a cluster: form, form_at_once, join, start.

Each call is remembered, so that the run's quiet twin can form in the same way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shaketable.harness.conditions import cluster as conditions
from shaketable.harness.errors import ScriptError
from shaketable.harness.faults.actions import NoEffect, Start
from shaketable.harness.records import AddressesConfigured, NodeConfigured
from shaketable.harness.scripting.steps import Act
from shaketable.harness.scripting.verbs.base import NAME, AfterStart, Formed, Verbs, named_values
from shaketable.node.config import SettingError
from shaketable.node.plugged import check_plugged

Values = Mapping[str, object] | None
"""settings by their outside names, where these nodes differ from the run's"""
Knowing = Sequence[str] | None
"""the addresses that these nodes are configured with, beside their own; a name that no node has yet is a dead
address"""


class Forming(Verbs):
    async def form(self, *names: str, settings: Values = None, knowing: Knowing = None) -> None:
        """Starts these nodes one after the other, the oldest first. `settings`: of these nodes only. `knowing`:
        addresses that they know besides each other's."""
        values = self._take_names(names, settings)
        addresses = self._addresses(names, knowing, ())
        self._formation.append(Formed("form", names, values, knowing))
        self._step(f"form {', '.join(names)}, one after the other")
        await self._start(Start(names, addresses, values, run=False))
        await self._join_in_turn(names, addresses, values)
        await self._have_started(*names)

    async def form_at_once(self, *names: str, settings: Values = None) -> None:
        """Starts these nodes all at once. The start-up vote decides which is the oldest: see `seen.members()`."""
        values = self._take_names(names, settings)
        self._formation.append(Formed("form_at_once", names, values))
        self._step(f"form {', '.join(names)}, all at once")
        await self._start(Start(names, names, values, run=False))
        await self._start(Start(names, names, values))
        self._formed += names
        await self._met(conditions.agree(names), self.bounds.forming)
        await self._have_started(*names)

    async def join(self, *names: str, settings: Values = None, knowing: Knowing = None) -> None:
        """Starts more nodes, one after the other. They know all names so far. With `knowing` they know only each other
        and those names. Nodes that already run do not know theirs."""
        values = self._take_names(names, settings)
        addresses = self._addresses(names, knowing, self._formed)
        self._formation.append(Formed("join", names, values, knowing))
        self._step(f"join {', '.join(names)}")
        await self._start(Start(names, addresses, values, run=False))
        await self._join_in_turn(names, addresses, values)
        await self._have_started(*names)

    async def start(self, *names: str, settings: Values = None, knowing: Knowing = None) -> None:
        """Starts more nodes at once, and does not wait until they have joined. They know the same names as with
        `join`."""
        values = self._take_names(names, settings)
        addresses = self._addresses(names, knowing, self._formed)
        self._formation.append(Formed("start", names, values, knowing))
        self._step(f"start {', '.join(names)}")
        await self._start(Start(names, addresses, values))
        self._formed += names
        await self._have_started(*names)

    def after_start(self, do: AfterStart) -> None:
        """From now on, calls `do` for each node that a verb has started or restarted, at the end of that verb.

        `do` is an async function of the node's name. All that it awaits is part of the verb."""
        self._after_start.append(do)

    def _addresses(self, names: Sequence[str], knowing: Knowing, usual: Sequence[str]) -> tuple[str, ...]:
        if knowing is None:
            return (*usual, *names)
        known = (knowing,) if isinstance(knowing, str) else tuple(knowing)
        for name in known:
            _check_name(name)
        addresses = tuple(dict.fromkeys((*names, *known)))
        for name in names:
            self._world.record(AddressesConfigured(name, addresses))
        return addresses

    async def _join_in_turn(
        self, names: Sequence[str], addresses: tuple[str, ...], values: Mapping[str, object]
    ) -> None:
        for name in names:
            awake = [n.name for n in self._world.observed.awake()]
            await self._start(Start((name,), addresses, values))
            self._formed.append(name)
            await self._met(conditions.agree([*awake, name]), self.bounds.forming)

    async def _start(self, action: Start) -> None:
        receipt = await Act(action, f"the start of {', '.join(action.nodes)}")
        if isinstance(receipt, NoEffect):
            raise ScriptError(f"{', '.join(action.nodes)} could not be started: {receipt}")

    def _take_names(self, names: Sequence[str], settings: Values) -> Mapping[str, object]:
        if not names:
            raise ScriptError("give at least one name")
        for name in names:
            _check_name(name)
            if name in self._taken or names.count(name) > 1:
                raise ScriptError(f"there is a node {name} already: a name stands for one node in the whole run")
        values = {} if settings is None else named_values("settings", settings)
        try:
            own = self.settings.with_values(values)
            check_plugged(own)
        except SettingError as error:
            raise ScriptError(str(error)) from None
        if own.family != self.settings.family:
            raise ScriptError(f"family = {own.family!r}: all nodes of a run are of one family, {self.settings.family}")
        self._taken += names
        self.bounds = self.bounds.of_so_many(len(self._taken))
        differing: dict[str, str | int | float | bool] = {}
        if own != self.settings:
            usual = self.settings.outside()
            differing = {setting: value for setting, value in own.outside().items() if value != usual[setting]}
        for name in names if differing else ():
            self._world.record(NodeConfigured(name, differing))
        return values


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise ScriptError(f"{name!r} is no name for a node: letters, digits, - and _, a letter or digit first")
