"""A history in the format that ShiViz reads: for each event a line in words, and a line with its process and its vector
clock. Its parser takes this expression: `(?<event>.*)\\n(?<host>\\S*) (?<clock>{.*})`."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from shaketable.harness.causes.clocks import clocks
from shaketable.harness.causes.steps import Life, Steps
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded, tell
from shaketable.harness.visible import in_one_line


def shiviz(history: History) -> Iterator[str]:
    for record, life, clock in clocks(history, Steps(history)):
        numbers = {host_of(each): count for each, count in sorted(clock.items())}
        # An event is one line: what a node says may have more.
        words = in_one_line(" ".join(tell(record, history.names).split()))
        yield f"{rounded(record.time)}: {words}\n{host_of(life)} {msgspec.json.encode(numbers).decode()}\n"


def host_of(life: Life) -> str:
    """Of a restarted node "n1.2"."""
    node, number = life
    return node if number <= 1 else f"{node}.{number}"
