"""Requests and responses as values, and the words of the answers: the text's own, byte for byte."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec

MEMBER_LIST: Final = "/hazelcast/rest/config/tcp-ip/member-list"
UPDATE: Final = "/hazelcast/rest/config/update"
RELOAD: Final = "/hazelcast/rest/config/reload"

LARGEST_HEAD: Final = 8_192
LARGEST_BODY: Final = 65_536
CHANGED: Final = "The member list of TCP-IP join config is updated at run time. "
"""with the blank at its end"""


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    """as it came, a query included"""
    headers: Mapping[str, str] = field(default_factory=dict)
    """names in small letters"""
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Response:
    status: int
    body: bytes
    """JSON"""
    allow: str = ""
    """after a wrong method: the right ones"""


class Refused(Exception):
    """The request is answered so, and nothing has changed."""

    def __init__(self, status: int, message: str, allow: str = "") -> None:
        super().__init__(message)
        self.response = fail(status, message, allow)


def fail(status: int, message: str, allow: str = "") -> Response:
    return Response(status, msgspec.json.encode({"status": "fail", "message": message}), allow)


def listed(addresses: Sequence[str]) -> Response:
    return Response(200, msgspec.json.encode({"status": "success", "member-list": list(addresses)}))


def changed(addresses: Sequence[str]) -> Response:
    told = {"status": "success", "message": CHANGED, "member-list": list(addresses)}
    return Response(200, msgspec.json.encode(told))
