"""The settings that are given on the command line, each by --set NAME=VALUE."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.harness.errors import UserError
from shaketable.node.config import without_secrets


def values_of(said: Sequence[str]) -> dict[str, object]:
    values: dict[str, object] = {}
    for each in said:
        name, equals, value = each.partition("=")
        if not equals:
            raise UserError(f"--set {each}: give NAME=VALUE, for example heartbeat_interval_seconds=0.5")
        if name in values:
            now, before = (without_secrets({name: given})[name] for given in (value, values[name]))
            raise UserError(f"--set {name}={now}: {name} is given already, as {before}; give it once")
        values[name] = value
    return values
