"""The faults of groups that a setting plants: each has its member and its story, and is refused to the other family."""

import re

import pytest
from tests.where import DATA

from shaketable.node.config import DEFAULT, SettingError
from shaketable.node.config.choices import GROUP_FAULTS, LEGACY_FAULTS
from shaketable.node.legacy.groups import GROUP_MEMBERS

STORIES = DATA / "gms"


def test_every_fault_of_groups_has_its_member_and_its_story() -> None:
    assert set(GROUP_MEMBERS) == {"none", *GROUP_FAULTS}
    told = [re.findall(r'legacy_fault="([^"]+)"', file.read_text()) for file in STORIES.glob("legacy_*.txt")]
    assert sorted(fault for (fault,) in told) == sorted(GROUP_FAULTS)


def test_a_fault_is_of_one_family() -> None:
    with pytest.raises(SettingError, match="a fault of family = 'cluster', and here it is 'gms'"):
        DEFAULT.with_values({"family": "gms", "legacy_fault": LEGACY_FAULTS[0]})
    with pytest.raises(SettingError, match="the faults of that one are unordered updates, missed"):
        DEFAULT.with_values({"legacy_fault": GROUP_FAULTS[0]})
