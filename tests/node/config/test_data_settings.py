"""The settings that say something of each map: its merge policy, and its split-brain protection."""

from __future__ import annotations

import pytest

from shaketable.node.config import DEFAULT, SettingError
from shaketable.node.config.data import Protected, maps_in_common


def test_each_map_has_a_policy_of_its_own() -> None:
    values = {"maps": "data=1 precious=2 own=0", "merge_policies": "data=latest-update, own=my.module:Policy"}
    assert DEFAULT.with_values(values).policies == {"data": "latest-update", "own": "my.module:Policy"}
    assert DEFAULT.policies == {}


@pytest.mark.parametrize(
    "policies", ["data", "data=latest", "data=discard data=discard", "=discard", "data=my.module", "data=:Policy"]
)
def test_a_wrong_policy_is_told_in_a_sentence(policies: str) -> None:
    with pytest.raises(SettingError, match="give each map once, as name=policy: put-if-absent, latest-update"):
        DEFAULT.with_values({"merge_policies": policies})


def test_each_map_is_protected_for_reads_writes_or_both() -> None:
    values = {"maps": "a=1 b=1 c=1", "split_brain_protection": "a=3 b=2:reads c=5:writes"}
    assert DEFAULT.with_values(values).protected == {
        "a": Protected(3, True, True), "b": Protected(2, True, False), "c": Protected(5, False, True),
    }  # fmt: skip


@pytest.mark.parametrize("protection", ["data", "data=0", "data=x", "data=2:both", "data=2 data=3", "data=-1"])
def test_a_wrong_protection_is_told_in_a_sentence(protection: str) -> None:
    with pytest.raises(SettingError, match="give each map once, as name=members, name=members:reads"):
        DEFAULT.with_values({"split_brain_protection": protection})


@pytest.mark.parametrize("name", ["merge_policies", "split_brain_protection"])
def test_both_name_maps_that_there_are(name: str) -> None:
    with pytest.raises(SettingError, match="there is no map other; maps = 'data=1'"):
        DEFAULT.with_values({name: "other=2" if name == "split_brain_protection" else "other=discard"})


@pytest.mark.parametrize(
    ("maps", "policies", "protection", "told"),
    [
        ("data=1", "", "", "data=1"),
        ("b=0, a=2", "a=put-if-absent", "", "a=2 b=0"),
        ("a=1 b=1 c=1", "b=discard c=my.module:Policy", "", "a=1 b=1,discard c=1,my.module:Policy"),
        ("a=1 b=1 c=1", "", "a=3 b=2:reads c=5:writes", "a=1,3 b=1,2:reads c=1,5:writes"),
        ("a=1", "a=discard", "a=2", "a=1,discard,2"),
    ],
)
def test_what_all_must_have_in_common_is_told_in_one_way(maps: str, policies: str, protection: str, told: str) -> None:
    assert maps_in_common(maps, policies, protection) == told
