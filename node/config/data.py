"""The settings that are more than one value: of the maps their backups, policies and protection, and the groups."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from shaketable.node.config.fields import SettingError

MOST_BACKUPS: Final = 6
POLICIES: Final = ("put-if-absent", "latest-update", "higher-hits", "pass-through", "discard")
"""the first one unless a map has another"""
_POLICY: Final = re.compile(r"([A-Za-z][A-Za-z0-9_-]*)=([a-z-]+|[A-Za-z_][\w.]*:[A-Za-z_]\w*)", re.ASCII)
_PROTECTED: Final = re.compile(r"([A-Za-z][A-Za-z0-9_-]*)=([1-9][0-9]{0,4})(?::(reads|writes))?", re.ASCII)
_MAP: Final = re.compile(r"([A-Za-z][A-Za-z0-9_-]*)=([0-9]+)", re.ASCII)


@lru_cache(64)  # asked by each member that is made, and in a campaign these are many
def backup_counts(maps: str) -> Mapping[str, int]:
    """`data=1 precious=3`: by name, how many backups it has."""
    counts: dict[str, int] = {}
    for word in maps.replace(",", " ").split():
        found = _MAP.fullmatch(word)
        if found is None or int(found[2]) > MOST_BACKUPS or found[1] in counts:
            raise SettingError(
                f"maps = {maps!r}: {word} is wrong; give each map once, as name=backups, 0 to {MOST_BACKUPS}"
            )
        counts[found[1]] = int(found[2])
    if not counts:
        raise SettingError(f"maps = {maps!r}: give at least one map, as name=backups")
    return counts


@lru_cache(64)
def merge_policies(text: str) -> Mapping[str, str]:
    """`data=latest-update precious=my.module:Policy`: by name of the map."""
    policies: dict[str, str] = {}
    for word in text.replace(",", " ").split():
        found = _POLICY.fullmatch(word)
        if found is None or found[1] in policies or (":" not in found[2] and found[2] not in POLICIES):
            known = ", ".join(POLICIES)
            raise SettingError(
                f"merge_policies = {text!r}: {word} is wrong; give each map once, as name=policy: {known}, or one of "
                "your own as package.module:Class"
            )
        policies[found[1]] = found[2]
    return policies


class Protected(NamedTuple):
    least: int
    """data members"""
    reads: bool
    writes: bool


@lru_cache(64)
def protected(text: str) -> Mapping[str, Protected]:
    """`data=3 precious=2:writes`: by name of the map, below how many members what is refused."""
    maps: dict[str, Protected] = {}
    for word in text.replace(",", " ").split():
        found = _PROTECTED.fullmatch(word)
        if found is None or found[1] in maps:
            raise SettingError(
                f"split_brain_protection = {text!r}: {word} is wrong; give each map once, as name=members, "
                "name=members:reads or name=members:writes"
            )
        maps[found[1]] = Protected(int(found[2]), found[3] != "writes", found[3] != "reads")
    return maps


@lru_cache(64)
def maps_in_common(maps: str, policies: str, protection: str) -> str:
    """`data=1 precious=2,latest-update,3:writes`: what all members of a cluster must have, told in one way however it
    is written. The defaults of a map are left out."""
    told = []
    for name, backups in sorted(backup_counts(maps).items()):
        words = [f"{name}={backups}"]
        policy = merge_policies(policies).get(name, POLICIES[0])
        words += [policy] * (policy != POLICIES[0])
        if (found := protected(protection).get(name)) is not None:
            words.append(f"{found.least}{'' if found.writes else ':reads'}{'' if found.reads else ':writes'}")
        told.append(",".join(words))
    return " ".join(told)


@lru_cache(64)
def groups(text: str) -> Mapping[str, int]:
    """`127.0.0.1:5701 127.0.0.1:5702; 127.0.0.1:5703`: by address, which group it is in."""
    found: dict[str, int] = {}
    for number, group in enumerate(text.split(";")):
        for address in group.replace(",", " ").split():
            if ":" not in address:
                raise SettingError(f"partition_groups = {text!r}: {address} is no address; give 127.0.0.1:5701")
            if address in found:
                raise SettingError(f"partition_groups = {text!r}: {address} is there twice; put it in one group, once")
            found[address] = number
    return found


@lru_cache(64)
def groups_in_common(text: str) -> str:
    """`127.0.0.1:5701 127.0.0.1:5702; ...`: what all members of a cluster must have, told in one way however it is
    written. A group of one is left out: a member that no group names is alone, too."""
    by_number: dict[int, list[str]] = {}
    for address, number in groups(text).items():
        by_number.setdefault(number, []).append(address)
    return "; ".join(sorted(" ".join(sorted(group)) for group in by_number.values() if len(group) > 1))
