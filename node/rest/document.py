"""A node's configuration as a YAML document: of all that it may say only the member list can change at run time.

    hazelcast: {network: {join: {tcp-ip: {enabled: true, member-list: [127.0.0.1:5701]}}}}

or shorter, `tcp-ip: {member-list: [127.0.0.1:5701]}`. A change of anything else is named and refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import yaml

from shaketable.node.config import Settings
from shaketable.node.rest.addresses import checked
from shaketable.node.rest.exchange import LARGEST_BODY, Refused

NAME: Final = "hazelcast.cluster-name"
JOIN: Final = "hazelcast.network.join."
ENABLED: Final = JOIN + "tcp-ip.enabled"
MEMBERS: Final = JOIN + "tcp-ip.member-list"
DEEPEST: Final = 20
LONGEST: Final = 1000
"""characters of one value"""
MOST: Final = 2000
"""values in all, keys among them: more than the longest list has"""


def member_list_in(text: str, settings: Settings) -> tuple[str, ...]:
    """Checked."""
    keys = _keys(_parsed(text))
    known = {NAME: settings.cluster_name, ENABLED: settings.tcp_ip_join}
    members: tuple[str, ...] | None = None
    for key, value in keys:
        if key == MEMBERS:
            if members is not None:
                raise Refused(400, f"{key} is there twice")
            members = _addresses(value)
        elif key not in known:
            raise Refused(400, f"{_shown(key)} cannot be changed at run time, only {MEMBERS.removeprefix(JOIN)} can")
        elif value != known[key] or type(value) is not type(known[key]):
            raise Refused(400, f"{key} cannot be changed at run time, only {MEMBERS.removeprefix(JOIN)} can")
    if members is None:
        raise Refused(400, f"the document has no {MEMBERS.removeprefix(JOIN)}")
    return members


def document_of(settings: Settings, addresses: Sequence[str]) -> str:
    """What a node is started with; no secret is in it."""
    tcp_ip = {"enabled": settings.tcp_ip_join, "member-list": list(addresses)}
    whole = {"hazelcast": {"cluster-name": settings.cluster_name, "network": {"join": {"tcp-ip": tcp_ip}}}}
    text: str = yaml.safe_dump(whole, sort_keys=False)
    return text


def text_of(data: bytes) -> str:
    """Of a file; a ValueError if it is no text, or too large to be a configuration."""
    if len(data) > LARGEST_BODY:
        raise ValueError("too large")
    return data.decode()


class _Plain(yaml.SafeLoader):
    """Plain data and not much of it, as a node that reads hears nobody meanwhile: no aliases, by which a few lines can
    stand for more than any memory holds, nothing deeper or longer than a configuration, and no key twice."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = 0
        self._count = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not allowed")
        self._depth += 1
        self._count += 1
        node = None if self._depth > DEEPEST or self._count > MOST else super().compose_node(parent, index)
        if node is None or (isinstance(node, yaml.ScalarNode) and len(node.value) > LONGEST):
            raise Refused(400, "the document is longer or deeper than a configuration can be")
        self._depth -= 1
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        found = super().construct_mapping(node, deep)
        if len(found) != len(node.value):
            raise yaml.YAMLError("a key is there twice")
        return found


def _parsed(text: str) -> object:
    try:
        return yaml.load(text, _Plain)  # a SafeLoader: plain data alone
    except Refused:
        raise
    except Exception:  # the parser raises much else than its own errors; what it says of them quotes the document
        raise Refused(400, "the document is no YAML that can be read") from None


def _keys(document: object) -> list[tuple[str, object]]:
    """In the order of the document, as paths."""
    if not isinstance(document, Mapping) or not document:
        raise Refused(400, "the document is no mapping of keys to values")
    found: list[tuple[str, object]] = []

    def look(prefix: str, mapping: Mapping[object, object]) -> None:
        for name, value in mapping.items():
            key = f"{prefix}{name}"
            if isinstance(value, Mapping) and value:
                look(f"{key}.", value)
            else:
                found.append((key, value))

    whole = "hazelcast" in document
    look("" if whole else JOIN if "tcp-ip" in document else "hazelcast.", document)
    return found


def _addresses(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise Refused(400, "malformed member list: give a list of addresses")
    return checked(value)


def _shown(key: str) -> str:
    short = key if len(key) <= 80 else f"{key[:80]}..."
    return repr(short) if not short.isprintable() else short
