"""The file of each simulated node's configuration: one that answers HTTP requests has one, as a real node has."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.harness.faults.actions import NoEffect, no_file
from shaketable.node.config import Settings
from shaketable.node.messages import Address
from shaketable.node.rest import Refused, document_of, member_list_in, text_of


class Files:
    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def add(self, name: str, settings: Settings, addresses: Sequence[Address]) -> None:
        if settings.rest_enabled:
            self._texts[name] = document_of(settings, addresses)

    def write(self, name: str, text: str) -> None:
        if name not in self._texts:
            raise no_file(name)
        self._texts[name] = text

    def read(self, name: str) -> str:
        """A ValueError, if a real node would not read it."""
        return text_of(self._texts[name].encode())

    def addresses(self, name: str, settings: Settings, otherwise: tuple[Address, ...]) -> tuple[Address, ...]:
        """With which it starts."""
        if name not in self._texts:
            return otherwise
        try:
            return member_list_in(self.read(name), settings)
        except ValueError:
            raise NoEffect(f"{name}.yaml, its configuration, cannot be read") from None
        except Refused as refused:
            raise NoEffect(f"{name}.yaml, its configuration: {refused}") from None
