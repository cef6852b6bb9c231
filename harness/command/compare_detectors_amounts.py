"""The amounts in the picture of `shaketable compare-detectors`: what watching costs, who was doubted or removed and had
not crashed, and how often the leadership changed. A bar each, with its figure; the longest of a size is the scale."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from shaketable.harness.command.compare_detectors_figures import Figures
from shaketable.harness.command.compare_detectors_svg import HEAD, NAMES, WIDE, bar, left_of, text, told

LINE: Final = 20
HALF: Final = WIDE // 2
FIGURE: Final = 62
"""pixels for the figure behind the longest bar"""


class Amount(NamedTuple):
    name: str
    of: Callable[[Figures], float]
    colour: str
    places: int
    """behind the point, at most"""


class Pair(NamedTuple):
    title: str
    amounts: tuple[Amount, Amount]


PAIRS: Final = (
    Pair(
        "What a member sends in a second, when all is quiet",
        (
            Amount("messages", lambda each: each.messages, "#2b6cb0", 2),
            Amount("bytes", lambda each: each.bytes, "#4a7a2c", 0),
        ),
    ),
    Pair(
        "False suspicions: members whose process ran, a seed",
        (
            Amount("doubted", lambda each: each.wrongly_suspected / each.seeds, "#b36b00", 1),
            Amount("removed", lambda each: each.wrongly_removed / each.seeds, "#b00020", 1),
        ),
    ),
    Pair(
        "Changes of leadership, a seed",
        (
            Amount("while members crash", lambda each: each.masters / each.seeds, "#5a4fa2", 1),
            Amount("while the oldest shut down", lambda each: each.masters_in_scale_down / each.seeds, "#777", 1),
        ),
    ),
)


def height(policies: Sequence[str]) -> int:
    return HEAD + LINE * len(policies)


def amounts(
    pair: Pair, figures: Mapping[tuple[int, str], Figures], sizes: Sequence[int], policies: Sequence[str], top: int
) -> Iterator[str]:
    yield text(12, top + 20, pair.title, "h")
    for line, policy in enumerate(policies):
        yield text(NAMES - 12, top + HEAD + line * LINE + 14, policy, anchor="end")
    for column, size in enumerate(sizes):
        for half, amount in enumerate(pair.amounts):
            left = left_of(column) + half * HALF
            most = max(amount.of(figures[size, policy]) for policy in policies) or 1
            yield text(left, top + HEAD - 4, f"{amount.name}, {size} members" if not half else amount.name, "f")
            for line, policy in enumerate(policies):
                value = amount.of(figures[size, policy])
                said = _figure(value, amount.places)
                parts = _bar(value / most, said, left, top + HEAD + line * LINE, amount.colour)
                yield from told(f"{policy}, {size} members, {amount.name}: {said}", parts)


def _bar(share: float, said: str, left: int, top: int, colour: str) -> Iterator[str]:
    wide = round((HALF - FIGURE) * share, 1)
    if wide:
        yield bar(left, top + 4, wide, 11, colour, 0.8)
    yield text(left + wide + 5, top + 14, said)


def _figure(value: float, places: int) -> str:
    said = f"{value:,.{places}f}"
    return said.rstrip("0").rstrip(".") if places == 1 else said
