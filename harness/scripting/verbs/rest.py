"""The member list of a node's join configuration, read and changed over HTTP: no fault, and calm is not counted from
it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

import msgspec

from shaketable.harness.actions import Http, NoEffect
from shaketable.harness.errors import ScriptError
from shaketable.harness.scripting.steps import Act
from shaketable.harness.scripting.verbs.base import Verbs
from shaketable.node.config import Settings
from shaketable.node.rest import MEMBER_LIST, Request
from shaketable.node.splitbrain.member_list import ROUNDS


@dataclass(frozen=True, slots=True)
class Answer:
    """What a node has answered."""

    status: int
    """200, or why not"""
    message: str
    members: tuple[str, ...]
    """of its join configuration, as names of nodes; addresses where no node of the run is"""

    @property
    def ok(self) -> bool:
        return self.status == 200


class _Told(msgspec.Struct, rename="kebab"):
    status: str
    message: str = ""
    member_list: tuple[str, ...] = ()


class RestVerbs(Verbs):
    async def member_list(self, name: str) -> Answer:
        """The member list of its join configuration; it needs `rest_enabled`, and `CLUSTER_READ` in `rest_groups`."""
        self._step(f"{self._known(name)} is asked for the member list of its join configuration")
        return await self._asked(name, Request("GET", MEMBER_LIST))

    async def set_member_list(self, name: str, addresses: Sequence[str]) -> Answer:
        """It is told to have this list taken by all members of its cluster: names of nodes, or addresses. It needs
        `rest_enabled`, a `cluster_password`, and `CLUSTER_WRITE` in `rest_groups`."""
        listed = [addresses] if isinstance(addresses, str) else list(addresses)
        own = self._settings_of(self._known(name))
        self._step(f"{name} is told that the member list of the join configuration is {', '.join(listed)}")
        fields = own.cluster_name, own.cluster_password, ",".join(self._address(each) for each in listed)
        body = "&".join(quote(field, safe="") for field in fields).encode()
        return await self._asked(name, Request("POST", MEMBER_LIST, {"content-type": "text/plain"}, body))

    async def _asked(self, name: str, request: Request) -> Answer:
        # A change has two rounds, and its asker waits for the master longer than those take.
        patience = (ROUNDS + 3) * self._settings_of(name).member_list_change_timeout + self._world.allowance
        receipt = await Act(Http(name, request, patience), f"a request to {name}")
        if isinstance(receipt, NoEffect):
            raise ScriptError(str(receipt))
        assert receipt.response is not None, "who answers has a response"
        told = msgspec.json.decode(receipt.response.body, type=_Told)
        seen = self._world.observed
        members = tuple(seen.names.get(address, address) for address in told.member_list)
        return Answer(receipt.response.status, told.message, members)

    def _settings_of(self, name: str) -> Settings:
        formed = next(formed for formed in self._formation if name in formed.nodes)
        return self.settings.with_values(formed.settings)

    def _address(self, each: str) -> str:
        """An address stands for itself, as does what is none: the node is to refuse it."""
        node = self._world.observed.nodes.get(each)
        return node.address if node is not None else each
