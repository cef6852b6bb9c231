"""In what settings the runs of pairs differ: then the code may not be all that makes their difference."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from shaketable.harness.pipeline.comparing.columns import Runs
from shaketable.harness.pipeline.comparing.pairs import Key


class OtherSetting(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    pairs: int
    """that differ in it"""
    before: tuple[str, ...]
    """its values in these pairs; "" where a run has no such setting"""
    now: tuple[str, ...]


def other_settings(before: Runs, now: Runs, both: Iterable[Key]) -> tuple[OtherSetting, ...]:
    """By name. A run of which no settings are known differs in none."""
    found: dict[str, list[tuple[str, str]]] = {}
    for key in both:
        sides = before[key].settings, now[key].settings
        if sides[0] is sides[1] or not all(sides) or sides[0] == sides[1]:
            continue
        for name in sides[0].keys() | sides[1].keys():
            one, other = (side.get(name, "") for side in sides)
            if one != other:
                found.setdefault(name, []).append((one, other))
    return tuple(
        OtherSetting(
            name=name,
            pairs=len(values),
            before=tuple(sorted({one for one, _ in values})),
            now=tuple(sorted({other for _, other in values})),
        )
        for name, values in sorted(found.items())
    )
