"""The two settings that are more than one value: the maps with their backups, and the groups of members."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from shaketable.node.config.fields import SettingError

MOST_BACKUPS: Final = 6
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
