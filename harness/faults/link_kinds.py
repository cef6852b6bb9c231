"""The kinds of faults of links and of datagrams, one row each."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from shaketable.harness.faults.parameters import HOW, ONE_WAY, YES_OR_NO, Parameter
from shaketable.harness.faults.verb import (
    BY_ITSELF,
    DATAGRAM,
    FILTER,
    LINK,
    LINKS,
    NODE,
    PARTS,
    DatagramAct,
    Effect,
    FaultKind,
    Sign,
)
from shaketable.node.config import GMS
from shaketable.node.core.env import MILLISECOND

LEAST_RATE: Final = 1000
"""bytes a second, and every rate is a multiple of it"""

_CUT: Final = Sign(1, "cut", "✗")
_DATAGRAMS: Final = Sign(9, "datagrams", "▪")
_EITHER_WAY: Final = Parameter(ONE_WAY, YES_OR_NO, plainer=(None,))
_ONE_WAY: Final = replace(_EITHER_WAY, draw=lambda d: True if d.one_way else None)

CUT: Final = FaultKind(
    verb="cut",
    sentence="connections drop, new ones are refused",
    of=LINK,
    effect=Effect.SILENCES,
    parameters=(_ONE_WAY,),
    noticed=True,
    sign=_CUT,
    hardness=0,
    marks={"": "a link was cut: its sender knows it at once"},
    real="the proxy is disabled",
    simulated="lost; the sender alone learns of it",
)
BLACKHOLE: Final = FaultKind(
    verb="blackhole",
    sentence="bytes vanish, connections look alive",
    of=LINK,
    effect=Effect.SILENCES,
    parameters=(_ONE_WAY,),
    sign=Sign(2, "black hole", "▓"),
    few="hole",
    plainer=CUT,
    marks={"": "a link lost everything in silence"},
    real="a `timeout` toxic, switched by its toxicity",
    simulated="lost, no notice",
)
SLOW: Final = FaultKind(
    verb="slow",
    sentence="everything takes longer",
    of=LINK,
    effect=Effect.SHIFTS,
    parameters=(
        Parameter(
            "latency",
            "ms",
            "200",
            MILLISECOND,
            positional=True,
            said="the latency",
            step=MILLISECOND,
            steps="whole milliseconds",
            draw=lambda d: d.millis(1, 2 * d.beat),
        ),
        Parameter(
            "jitter",
            "ms",
            "0",
            MILLISECOND,
            said="the jitter",
            least=0,
            step=MILLISECOND,
            steps="whole milliseconds",
            no_more_than="latency",
            draw=lambda d: int(d.given["latency"]) // 2 // MILLISECOND * MILLISECOND,
            plainer=(None,),
        ),
        _ONE_WAY,
    ),
    sign=Sign(6, "slow", "~"),
    marks={"": "a link was slow"},
    real="a `latency` toxic, switched likewise",
    simulated="delay",
)
THIN: Final = FaultKind(
    verb="thin",
    sentence="no more bytes a second than its rate",
    of=LINK,
    effect=Effect.SHIFTS,
    parameters=(
        Parameter(
            "rate",
            "bytes/s",
            "10000",
            positional=True,
            said="the rate in bytes a second",
            least=LEAST_RATE,
            step=LEAST_RATE,
            steps=f"multiples of {LEAST_RATE} bytes a second",
            draw=lambda d: LEAST_RATE * d.chance.randint(10, 80),
        ),
        _ONE_WAY,
    ),
    sign=Sign(5, "thin", "┄"),
    marks={"": "a link carried few bytes a second"},
    real="a `bandwidth` toxic",
    simulated="size / rate",
)
FLAP: Final = FaultKind(
    verb="flap",
    sentence="cut and healed on a rhythm",
    of=LINK,
    effect=Effect.SILENCES,
    parameters=(
        Parameter("down", "ms", "500", MILLISECOND, least=MILLISECOND, draw=lambda d: d.millis(1, d.beat)),
        Parameter("up", "ms", "500", MILLISECOND, least=MILLISECOND, draw=lambda d: d.millis(1, d.beat)),
        Parameter("times", "times", said="the number of times", nothing="it goes on"),
        _ONE_WAY,
    ),
    by=(CUT,),
    sign=_CUT,
    hardness=6,
    plainer=CUT,
    marks={"": "a link was cut and healed on a rhythm"},
    real="as cut",
    simulated="as cut",
)
RESET: Final = FaultKind(
    verb="reset",
    sentence="connections drop once and may come back",
    of=LINK,
    effect=Effect.NEITHER,
    parameters=(_EITHER_WAY,),
    ends=BY_ITSELF,
    sign=FILTER,
    marks={"": "connections dropped once"},
    real="disable and enable at once",
    simulated="down, then up after the reconnect time",
)
SLICE: Final = FaultKind(
    verb="slice",
    sentence="data arrives in small pieces",
    of=LINK,
    effect=Effect.SHIFTS,
    parameters=(_EITHER_WAY,),
    in_time=True,
    sign=Sign(7, "sliced", "▒"),
    marks={"": "data came in small pieces"},
    real="a `slicer` toxic",
    simulated="no effect, and the receipt says so",
)


def _percent(usual: str) -> Parameter:
    return Parameter(
        "percent",
        "%",
        usual,
        said="the percentage of datagrams",
        most=100,
        draw=lambda d: d.chance.randint(10, 100),
        plainer=(100,),
    )


LOSE_DATAGRAMS: Final = FaultKind(
    verb="lose_datagrams",
    sentence="a share of them never arrives",
    of=LINKS,
    effect=Effect.NEITHER,
    parameters=(_percent("30"), _ONE_WAY),
    families=(GMS,),
    comes_upon=DATAGRAM,
    datagrams=DatagramAct.LOSE,
    sign=_DATAGRAMS,
    few="lost",
    hardness=0,
    marks={"": "datagrams were lost by draw"},
    real="a small UDP relay of our own",
    simulated="the same draws",
)
DELAY_DATAGRAMS: Final = FaultKind(
    verb="delay_datagrams",
    sentence="a share of them comes later, each by a time of its own",
    of=LINKS,
    effect=Effect.SHIFTS,
    parameters=(
        _percent("100"),
        Parameter(
            "by",
            "ms",
            "500",
            MILLISECOND,
            positional=True,
            said="the longest delay",
            draw=lambda d: d.millis(1, d.beat),
        ),
        _ONE_WAY,
    ),
    families=(GMS,),
    comes_upon=DATAGRAM,
    datagrams=DatagramAct.DELAY,
    sign=_DATAGRAMS,
    few="late",
    hardness=6,
    plainer=LOSE_DATAGRAMS,
    marks={"": "datagrams were late by draw"},
    real="likewise",
    simulated="likewise",
)
REPEAT_DATAGRAMS: Final = FaultKind(
    verb="repeat_datagrams",
    sentence="a share of them comes twice",
    of=LINKS,
    effect=Effect.NEITHER,
    parameters=(
        _percent("100"),
        Parameter(
            "later",
            "ms",
            "10",
            MILLISECOND,
            said="the time until the second copy",
            least=0,
            draw=lambda d: d.millis(1, d.beat),
        ),
        _ONE_WAY,
    ),
    families=(GMS,),
    comes_upon=DATAGRAM,
    datagrams=DatagramAct.REPEAT,
    sign=_DATAGRAMS,
    few="twice",
    hardness=6,
    plainer=LOSE_DATAGRAMS,
    marks={"": "datagrams came twice by draw"},
    real="likewise",
    simulated="likewise",
)
_HOW: Final = Parameter(
    HOW, HOW, "cut", plainer=(None,), draw=lambda d: d.chance.choice([kind.verb for kind in (CUT, BLACKHOLE)])
)
ISOLATE: Final = FaultKind(
    verb="isolate",
    sentence="all links of the node, both ways",
    of=NODE,
    effect=Effect.SILENCES,
    parameters=(_HOW,),
    by=(CUT, BLACKHOLE),
    sign=_CUT,
    hardness=4,
    marks={"cut": "all links of a node were cut", "blackhole": "all links of a node lost everything in silence"},
    real="as cut or black hole",
    simulated="as cut or black hole",
)
SPLIT: Final = FaultKind(
    verb="split",
    sentence="all links between groups of nodes, both ways",
    of=PARTS,
    effect=Effect.SILENCES,
    parameters=(_HOW,),
    by=(CUT, BLACKHOLE),
    sign=_CUT,
    hardness=6,
    marks={"cut": "the nodes were split by cuts", "blackhole": "the nodes were split in silence"},
    real="as cut or black hole",
    simulated="as cut or black hole",
)
