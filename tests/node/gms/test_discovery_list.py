"""The discovery list of a group, GMS_DISCOVERY_URI_LIST: what it may say, and what is refused by name."""

from __future__ import annotations

import pytest

from shaketable.node.config import discovery_addresses, read_settings
from shaketable.node.config.fields import SettingError


@pytest.mark.parametrize(
    ("uris", "addresses"),
    [
        ("", ()),
        (" , ,", ()),
        ("tcp://a.b:1, 10.0.0.1:65535,a.b:1", ("a.b:1", "10.0.0.1:65535")),
        ("host, tcp://[::1]", ("host:9090", "[::1]:9090")),
    ],
)
def test_addresses(uris: str, addresses: tuple[str, ...]) -> None:
    assert discovery_addresses(uris) == addresses
    assert read_settings("default", {"GMS_DISCOVERY_URI_LIST": uris}).discovery_uri_list == uris


@pytest.mark.parametrize("uri", ["udp://a:1", "a:0", "a:65536", "a:", ":1", "a b", "a;b", "tcp://", "[::1"])
def test_refused(uri: str) -> None:
    with pytest.raises(SettingError, match="is none of tcp://host:port, host:port and host"):
        read_settings("default", {"discovery_uri_list": f"b:1,{uri}"})


def test_no_multicast_beside_it() -> None:
    with pytest.raises(SettingError, match="not by multicast as well"):
        read_settings("default", {"family": "gms", "gms_multicast_address": "230.30.1.1"})
