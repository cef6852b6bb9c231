"""The settings of the HTTP interface that are more than a number: its open groups, and where it listens."""

from __future__ import annotations

import re
from typing import Final

from shaketable.node.config.fields import SettingError

REST_GROUPS: Final = ("CLUSTER_READ", "CLUSTER_WRITE")
_NUMBER: Final = r"(0|[1-9][0-9]{0,2})"
"""no zero before it: 127.0.0.01 would be another address than 127.0.0.1 to a program that compares them"""
_NUMBERS: Final = re.compile(r"\.".join(4 * [_NUMBER]), re.ASCII)


def open_groups(text: str) -> tuple[str, ...]:
    """`CLUSTER_READ CLUSTER_WRITE`, or none."""
    named = tuple(text.replace(",", " ").split())
    unknown = next((name for name in named if name not in REST_GROUPS), None)
    if unknown is not None:
        raise SettingError(f"rest_groups = {text!r}: there is no group {unknown}; there are {', '.join(REST_GROUPS)}")
    return named


def is_host(text: str) -> bool:
    """Four numbers: a node looks up no names."""
    found = _NUMBERS.fullmatch(text)
    return found is not None and all(int(number) <= 255 for number in found.groups())


def check_host(host: str) -> None:
    if not is_host(host):
        raise SettingError(f"rest_host = {host!r}: give an address of this machine, such as 127.0.0.1, or 0.0.0.0")
