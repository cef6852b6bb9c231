"""Names for people: n1 for the member at 127.0.0.1:5701, where a history has addresses and uuids.

A uuid is shown (its first letters) only where the history knows more than one incarnation at that address."""

from __future__ import annotations

import re
from collections.abc import Iterable

from shaketable.harness.records import HARNESS
from shaketable.node.messages import Address, Member

SHOWN = 4
"""letters of a uuid"""


class Names:
    def __init__(self) -> None:
        self._name_of: dict[Address, str] = {}
        self._address_of: dict[str, Address] = {}
        self._lives: dict[Address, list[str]] = {}
        self._pattern: re.Pattern[str] | None = None
        self.infers: tuple[str, ...] = ()
        """the kinds of event that no member of this run tells itself"""

    def learn(self, name: str, address: Address) -> None:
        self._name_of[address] = name
        self._address_of[name] = address
        self._pattern = None

    def learn_life(self, member: Member) -> None:
        lives = self._lives.setdefault(member.address, [])
        if member.uuid not in lives:
            lives.append(member.uuid)

    def address_of(self, name: str) -> Address | None:
        return self._address_of.get(name)

    def place(self, address: Address) -> str:
        return self._name_of.get(address, address)

    def member(self, member: Member) -> str:
        lives = self._lives.get(member.address, ())
        known = member.uuid in lives
        if known and len(lives) == 1:
            return self.place(member.address)
        # A uuid that no node ever had is worth showing even beside a single life: it is why two mentions differ.
        return f"{self.place(member.address)}#{member.uuid[:SHOWN]}" if lives else self.place(member.address)

    def process(self, node: str, uuid: str) -> str:
        if node == HARNESS:
            return "harness"
        address = self._address_of.get(node)
        return node if address is None else self.member(Member(address, uuid))

    def spoken(self, text: str) -> str:
        """The text with names in the place of addresses."""
        if self._pattern is None:
            longest_first = sorted(self._name_of, key=len, reverse=True)
            self._pattern = re.compile("|".join(rf"(?<![\w.]){re.escape(a)}(?!\w)" for a in longest_first) or r"(?!)")
        return self._pattern.sub(lambda found: self._name_of[found[0]], text)

    def author(self, uuid: str) -> str:
        for address, lives in self._lives.items():
            if uuid in lives:
                return self.member(Member(address, uuid))
        return f"#{uuid[:SHOWN]}"

    def migration(self, name: str) -> str:
        """Its id begins with the uuid of the master that planned it: "n1-3" is the third of n1."""
        head, _, number = name.rpartition("-")
        whose = next((uuid for lives in self._lives.values() for uuid in lives if head and uuid.startswith(head)), "")
        return f"{self.author(whose)}-{number}" if whose else name

    def migrations(self, ids: Iterable[str]) -> str:
        return " ".join(map(self.migration, ids))

    def members(self, members: Iterable[Member]) -> str:
        return f"[{' '.join(map(self.member, members))}]"
