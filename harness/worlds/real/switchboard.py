"""The table of links: what each one's proxy holds, and the calls that change it. Blocks; used from one thread.

This table, and not what the server says, is the truth. A link whose change broke off in the middle is noted as
unknown, and its next change makes it afresh."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from shaketable.harness.faults.links import SOUND, LinkState
from shaketable.harness.worlds.real.link_plan import KINDS, Change, Placed, change, told, validate
from shaketable.harness.worlds.real.toxiproxy import Client, FabricError, Json, ServerRefused, ServerSilent
from shaketable.node.process.control import LOOPBACK


@dataclass(frozen=True, slots=True)
class LinkPorts:
    """One directed link, and the ports that it connects, of loopback addresses."""

    name: str
    listen: int
    """where the proxy listens"""
    upstream: int
    """the receiver's ROUTER"""
    host: str = LOOPBACK
    """of the port where the proxy listens"""
    upstream_host: str = LOOPBACK
    back: str = ""
    """the link that the connections of this one carry besides, in the other direction; "": none"""
    closed: bool = False
    """at first it is cut"""

    @property
    def first(self) -> LinkState:
        return LinkState(cut=True) if self.closed else SOUND


class Switchboard:
    def __init__(self, client: Client, prefix: str = "") -> None:
        """`prefix` goes before the names of our proxies, on a server that others may use as well."""
        self._client = client
        self._prefix = prefix
        self._links: dict[str, LinkPorts] = {}
        self._placed: dict[str, Placed | None] = {}
        self._states: dict[str, LinkState] = {}
        """what each link is to suffer"""
        self._there: set[str] = set()
        """links of which the server may have a proxy"""

    def __len__(self) -> int:
        return len(self._links)

    def check_new(self, links: Sequence[LinkPorts]) -> None:
        names, ports = set(self._links), {(link.host, link.listen) for link in self._links.values()}
        for link in links:
            # What stands in the path of an URL: "/" could be created but never addressed again.
            if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._:>~-]*", link.name):
                raise FabricError(f"a link's name is letters, digits and . _ : > ~ -, not {link.name!r}.")
            if link.name in names:
                raise FabricError(f"link {link.name} is open already.")
            if (link.host, link.listen) in ports:
                raise FabricError(f"link {link.name} cannot listen on port {link.listen}: another link does.")
            names.add(link.name)
            ports.add((link.host, link.listen))

    def check(self, states: Mapping[str, LinkState]) -> None:
        for link, state in states.items():
            if link not in self._links:
                raise FabricError(f"there is no link {link}.")
            validate(link, state)

    def open(self, links: Sequence[LinkPorts]) -> None:
        try:
            self._client.populate(self._proxy(link, enabled=not link.closed) for link in links)
            for link in links:
                self._links[link.name] = link
                self._states[link.name] = link.first
            self._compare({link.name: Placed(not link.closed) for link in links})
        except ServerSilent:
            self._forget(links)
            raise
        except FabricError as error:
            self.drop(links)
            raise _explained(error, "the links", links) from error
        for link in links:
            self._placed[link.name] = Placed(not link.closed)
            self._there.add(link.name)

    def drop(self, links: Sequence[LinkPorts]) -> None:
        for link in links:
            self._client.delete(self._prefix + link.name)
        self._forget(links)

    def _forget(self, links: Sequence[LinkPorts]) -> None:
        for link in links:
            self._links.pop(link.name, None)
            self._placed.pop(link.name, None)
            self._states.pop(link.name, None)
            self._there.discard(link.name)

    def make(self, states: Mapping[str, LinkState]) -> None:
        """Moves links from what they are to what `states` says, and reads back that they are so."""
        self._states.update(states)
        plans = {link: self._change(link) for link in self._with_those_back(states)}
        fresh = {link: plan for link, plan in plans.items() if plan.fresh}
        for link, plan in plans.items():
            if not plan.fresh:
                self._placed[link] = None
                self._carry_out(link, plan)
                self._placed[link] = plan.then
        if fresh:
            self._make_afresh(fresh)
        try:
            self._compare({link: plan.then for link, plan in plans.items()})
        except FabricError:
            self._placed.update(dict.fromkeys(plans))
            raise

    def _with_those_back(self, links: Iterable[str]) -> list[str]:
        """Those links, and the ones whose connections carry them besides."""
        back = [each.back for each in map(self._links.__getitem__, links) if each.back]
        return list(dict.fromkeys([*links, *back]))

    def _change(self, link: str) -> Change:
        back = self._links[link].back
        return change(self._placed[link], self._states[link], self._states[back] if back else None)

    def reset(self, link: str) -> None:
        """Its connections drop once. Those of a cut link have dropped already."""
        placed = self._placed[link]
        if placed is not None and placed.enabled:
            self._placed[link] = None
            self._enable(link, False)
            self._enable(link, True)
            self._placed[link] = placed
            self._compare({link: placed})

    def survey(self) -> None:
        """After trouble: notes what the server still holds as it should; all else will be made afresh."""
        theirs = self._client.proxies()
        self._there = {link for link in self._links if self._prefix + link in theirs}
        for link, ports in self._links.items():
            placed, proxy = self._placed[link], theirs.get(self._prefix + link)
            if placed is None or proxy is None or self._difference(ports, placed, proxy):
                self._placed[link] = None

    def changed_by_others(self) -> list[str]:
        """All that is not as it was put. Nobody here changes anything without a note of it: so somebody else has."""
        theirs, found = self._client.proxies(), []
        for link, placed in self._placed.items():
            if placed is not None:
                proxy = theirs.get(self._prefix + link)
                wrong = "its proxy is gone" if proxy is None else self._difference(self._links[link], placed, proxy)
                if wrong:
                    found.append(f"link {link}: {wrong}")
        return found

    def drop_all(self) -> None:
        self.drop(list(self._links.values()))

    def _make_afresh(self, plans: Mapping[str, Change]) -> None:
        self._placed.update(dict.fromkeys(plans))
        for link in plans:
            if link in self._there:
                self._client.delete(self._prefix + link)
        self._there.update(plans)
        # Closed until its toxics are in: nothing may slip through in between.
        links = [self._links[link] for link in plans]
        ready = {link: plan.then.enabled and not plan.add for link, plan in plans.items()}
        try:
            self._client.populate(self._proxy(link, enabled=ready[link.name]) for link in links)
        except ServerRefused as refusal:
            raise _explained(refusal, "the links", links) from refusal
        for link, plan in plans.items():
            self._carry_out(link, plan)
            self._placed[link] = plan.then

    def _carry_out(self, link: str, plan: Change) -> None:
        name = self._prefix + link
        try:
            for toxic in plan.switch:
                self._client.patch_toxic(name, toxic.called, toxic.attributes, int(toxic.awake))
            for toxic in plan.add:
                kind, awake = KINDS[toxic.name], int(toxic.awake)
                self._client.add_toxic(name, toxic.called, kind, toxic.way, toxic.attributes, awake)
        except ServerRefused as refusal:
            raise _explained(refusal, f"link {link}") from refusal
        if plan.enable is not None:
            self._enable(link, plan.enable)

    def _enable(self, link: str, enabled: bool) -> None:
        try:
            self._client.enable(self._prefix + link, enabled)
        except ServerRefused as refusal:
            raise _explained(refusal, f"link {link}", [self._links[link]]) from refusal

    def _proxy(self, link: LinkPorts, enabled: bool) -> Json:
        return {
            "name": self._prefix + link.name,
            # Never without an address: the server would listen on all of them.
            "listen": f"{link.host}:{link.listen}",
            "upstream": f"{link.upstream_host}:{link.upstream}",
            "enabled": enabled,
        }

    def _compare(self, placed: Mapping[str, Placed]) -> None:
        """Reads back."""
        one = next(iter(placed)) if len(placed) == 1 else None
        try:
            theirs = {self._prefix + one: self._client.proxy(self._prefix + one)} if one else self._client.proxies()
        except ServerRefused as refusal:
            raise _explained(refusal, f"link {one}" if one else "the links") from refusal
        for link, want in placed.items():
            proxy = theirs.get(self._prefix + link)
            wrong = "the server has no such proxy"
            if proxy is not None:
                wrong = self._difference(self._links[link], want, proxy)
            if wrong:
                raise FabricError(f"link {link} is not as it was set: {wrong}.")

    def _difference(self, link: LinkPorts, want: Placed, proxy: Json) -> str:
        """Empty if the server's proxy is as it should be."""
        expected = self._proxy(link, want.enabled)
        for field in ("listen", "upstream", "enabled"):
            if proxy[field] != expected[field]:
                return f"{field} is {proxy[field]}, not {expected[field]}"
        has = told(proxy)
        return "" if has == want else f"its toxics are {has.toxics}, not {want.toxics}"


def _explained(refusal: FabricError, what: str, links: Sequence[LinkPorts] = ()) -> FabricError:
    if not isinstance(refusal, ServerRefused):
        return refusal
    taken = re.search(r":(\d+): .*address already in use", str(refusal))
    if taken is None:
        return FabricError(f"{what} could not be set: {refusal}.")
    name = next((f" of link {link.name}" for link in links if link.listen == int(taken[1])), "")
    return FabricError(f"port {taken[1]}{name} is taken by another process on 127.0.0.1.")
