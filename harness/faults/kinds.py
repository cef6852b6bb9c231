"""All kinds of faults, one row each. Scripts, menus, random plans, checks, marks and docs know them by these rows.

A new kind is a row, and its act in each world (harness/worlds/sim/acts.py, harness/worlds/real/acts.py). A kind that is
neither a bad link nor one of the classes of table.py has its own class. A kind that has no method in `Cluster` says how
it is made, and is still called by its name."""

from __future__ import annotations

from typing import Final

from shaketable.harness.faults.link_kinds import (
    BLACKHOLE,
    CUT,
    DELAY_DATAGRAMS,
    FLAP,
    ISOLATE,
    LOSE_DATAGRAMS,
    REPEAT_DATAGRAMS,
    RESET,
    SLICE,
    SLOW,
    SPLIT,
    THIN,
)
from shaketable.harness.faults.node_kinds import (
    CLOCK,
    DELAY,
    DROP,
    HOLD,
    HOLD_BACK,
    KILL,
    LEAVE,
    LOAD,
    PAUSE,
    RESTART,
)
from shaketable.harness.faults.verb import ALL, FILTER, Effect, FaultKind

UNKNOWN: Final = FaultKind(
    verb="unknown",
    sentence="told by a recording, and not known here",
    of=ALL,
    effect=Effect.SHIFTS | Effect.SETS_CLOCK,
    sign=FILTER,
    marks={},
    real="",
    simulated="",
)
"""in no table: nothing is proven by what happens beside it"""

KINDS: Final[dict[str, FaultKind]] = {
    kind.verb: kind
    for kind in (
        *(CUT, BLACKHOLE, SLOW, THIN, FLAP, RESET, SLICE, LOSE_DATAGRAMS, DELAY_DATAGRAMS, REPEAT_DATAGRAMS),
        *(ISOLATE, PAUSE, KILL, RESTART, LEAVE, CLOCK, DROP, HOLD_BACK, DELAY, HOLD, SPLIT, LOAD),
    )
}


def kinds_told(names: tuple[str, ...]) -> tuple[FaultKind, FaultKind]:
    """Of a fault that a history tells of: its kind, and the kind of what lies on its links or its node, which is
    another one where it is made of others."""
    kind, *by = [KINDS.get(name, UNKNOWN) for name in names] or [UNKNOWN]
    return kind, by[0] if by else kind
