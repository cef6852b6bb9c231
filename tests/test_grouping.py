"""On several cores, tests that share something are in one process: `make test` asks for that."""

from __future__ import annotations

import pytest


@pytest.mark.xdist_group("these")
def test_the_name_of_a_test_has_its_group(request: pytest.FixtureRequest) -> None:
    """By that the tests are dealt out. With a pytest that the plugin did not know yet it was not there."""
    if not request.config.getoption("loadgroup", False):
        pytest.skip("nothing deals out tests here by their groups")
    assert request.node.nodeid.endswith("@these")
