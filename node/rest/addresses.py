"""A member list as it comes over HTTP or in a document: checked address by address, before it goes anywhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from shaketable.node.config import is_host
from shaketable.node.rest.exchange import Refused

MOST_ADDRESSES: Final = 1000
_PORT: Final = re.compile(r"[1-9][0-9]{0,4}", re.ASCII)
_HOST: Final = re.compile(r"[A-Za-z0-9.-]{1,253}", re.ASCII)
_SHOWN: Final = 80


def checked(addresses: Sequence[str]) -> tuple[str, ...]:
    if not addresses:
        raise Refused(400, "malformed member list: it has no address")
    if len(addresses) > MOST_ADDRESSES:
        raise Refused(400, f"malformed member list: it has more than {MOST_ADDRESSES} addresses")
    found: dict[str, bool] = {}
    for each in addresses:
        address = each.strip(" ")
        _check(address)
        if address in found:
            raise Refused(400, f"malformed member list: {address} is there twice")
        found[address] = True
    return tuple(found)


def _check(address: str) -> None:
    host, colon, port = address.partition(":")
    if (colon and not _is_port(port)) or not _HOST.fullmatch(host):
        raise Refused(400, f"malformed member list: {_short(address)} is no address such as 127.0.0.1:5701")
    if not is_host(host):
        raise Refused(
            400, f"unknown host {_short(host)}: give four numbers, such as 127.0.0.1, as no names are looked up"
        )


def _is_port(text: str) -> bool:
    return _PORT.fullmatch(text) is not None and int(text) < 65_536


def _short(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")
