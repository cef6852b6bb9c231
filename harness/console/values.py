"""The settings that are given on the command line, each by --set NAME=VALUE.

Other users of the machine can read a command line. So a secret may stand in a file or in the environment."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from shaketable.harness.errors import UserError, reason_of
from shaketable.node.config import HIDDEN, without_secrets

FILE: Final = "file:"
VARIABLE: Final = "env:"
LARGEST_SECRET: Final = 4096
"""bytes"""


def values_of(said: Sequence[str]) -> dict[str, object]:
    values: dict[str, object] = {}
    for each in said:
        name, equals, value = each.partition("=")
        if not equals:
            raise UserError(f"--set {each}: give NAME=VALUE, for example heartbeat_interval_seconds=0.5")
        if is_secret(name):
            value = _secret(name, value)
        if name in values:
            now, before = (without_secrets({name: given})[name] for given in (value, values[name]))
            raise UserError(f"--set {name}={now}: {name} is given already, as {before}; give it once")
        values[name] = value
    return values


def is_secret(name: str) -> bool:
    return without_secrets({name: "any"})[name] == HIDDEN


def _secret(name: str, value: str) -> str:
    """What is in the file, without the line's end; or in the variable; or the value itself."""
    if value.startswith(VARIABLE):
        variable = value.removeprefix(VARIABLE)
        if variable not in os.environ:
            raise UserError(f"--set {name}={value}: there is no variable {variable} in the environment")
        return os.environ[variable]
    if value.startswith(FILE):
        return _read(f"--set {name}={value}", Path(value.removeprefix(FILE)))
    return value


def _read(said: str, path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_SECRET + 1)
        if len(data) > LARGEST_SECRET:
            raise UserError(
                f"{said}: the file is longer than {LARGEST_SECRET} bytes; give one that has the secret alone"
            )
        return data.decode().rstrip("\r\n")
    except OSError as error:
        raise UserError(f"{said}: the file cannot be read: {reason_of(error)}") from None
    except UnicodeDecodeError:
        raise UserError(f"{said}: the file is no text in UTF-8") from None
