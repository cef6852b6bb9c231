"""A node's join configuration, by HTTP or by its file: its member list is read and changed. This is no fault, and calm
is not counted from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, overload
from urllib.parse import quote

import msgspec

from shaketable.harness.errors import ScriptError
from shaketable.harness.faults.actions import Http, NoEffect, WriteFile
from shaketable.harness.scripting.steps import Act
from shaketable.harness.scripting.verbs.base import Verbs
from shaketable.node.cluster.splitbrain.member_list import ROUNDS
from shaketable.node.rest import MEMBER_LIST, RELOAD, UPDATE, Request, document_of


@dataclass(frozen=True, slots=True)
class Answer:
    """What a node has answered."""

    status: int
    """200, or the status of the error"""
    message: str
    members: tuple[str, ...]
    """of its join configuration, as names of nodes, or as addresses if no node of the run has them"""

    @property
    def ok(self) -> bool:
        """The status is 200."""
        return self.status == 200


class _Told(msgspec.Struct, rename="kebab"):
    status: str
    message: str = ""
    member_list: tuple[str, ...] = ()


class RestVerbs(Verbs):
    async def member_list(self, name: str) -> Answer:
        """Reads the member list of the node's join configuration. It needs `rest_enabled`, and `CLUSTER_READ` in
        `rest_groups`."""
        self._step(f"{self._known(name)} is asked for the member list of its join configuration")
        return await self._asked(name, Request("GET", MEMBER_LIST))

    @overload
    async def set_member_list(self, name: str, addresses: Sequence[str], *, wait: Literal[False]) -> None: ...

    @overload
    async def set_member_list(self, name: str, addresses: Sequence[str]) -> Answer: ...

    async def set_member_list(self, name: str, addresses: Sequence[str], *, wait: bool = True) -> Answer | None:
        """Tells the node to give this list, of names of nodes or addresses, to all members of its cluster. It needs
        `rest_enabled`, a `cluster_password`, and `CLUSTER_WRITE` in `rest_groups`. With `wait=False` it returns at
        once, and the history tells the outcome."""
        listed = [addresses] if isinstance(addresses, str) else list(addresses)
        self._step(f"{self._known(name)} is told that the member list of the join configuration is {', '.join(listed)}")
        told = self._told(name, MEMBER_LIST, ",".join(self._address(each) for each in listed))
        if wait:
            return await told
        self._driver.also(told, lambda result, error: None)
        return None

    async def update_config(self, name: str, what: str | Sequence[str]) -> Answer:
        """Does the same by a document: a list makes a document with that list; a text is sent as it is."""
        document = self._document(name, what)
        self._step(f"{name} is told to update its configuration: {_said(what)}")
        return await self._told(name, UPDATE, document)

    async def write_config_file(self, name: str, what: str | Sequence[str]) -> None:
        """Writes the file of the node's configuration, with `what` as for `update_config`. The node reads it when it
        starts, and when it is told to."""
        document = self._document(name, what)
        self._step(f"the file of {name}'s configuration is written anew: {_said(what)}")
        receipt = await Act(WriteFile(name, document), f"writing a file for {name}")
        if isinstance(receipt, NoEffect):
            raise ScriptError(str(receipt))

    async def reload_config(self, name: str) -> Answer:
        """Tells the node to read its file again, and to give the list in it to all members of its cluster."""
        self._step(f"{self._known(name)} is told to read the file of its configuration again")
        return await self._told(name, RELOAD)

    def _document(self, name: str, what: str | Sequence[str]) -> str:
        own = self._settings_of(self._known(name))
        text = what if isinstance(what, str) else document_of(own, [self._address(each) for each in what])
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ScriptError("a configuration is a text in UTF-8: this one cannot be written so") from None
        return text

    async def _told(self, name: str, path: str, *what: str) -> Answer:
        own = self._settings_of(self._known(name))
        fields = own.cluster_name, own.cluster_password, *what
        body = "&".join(quote(field, safe="") for field in fields).encode()
        return await self._asked(name, Request("POST", path, {"content-type": "text/plain"}, body))

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

    def _address(self, each: str) -> str:
        """An address stands for itself, as does what is none: the node is to refuse it."""
        node = self._world.observed.nodes.get(each)
        return node.address if node is not None else each


def _said(what: str | Sequence[str]) -> str:
    """In a history: a text of one's own may be long."""
    return f"a text of {len(what)} characters" if isinstance(what, str) else f"the member list {', '.join(what)}"
