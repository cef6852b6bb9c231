"""The kinds of faults of nodes, of what they send, and of the machine, one row each."""

from __future__ import annotations

from typing import Final

from shaketable.harness.faults.parameters import WORD_OF_A_MESSAGE, WORD_OF_AN_EVENT, Parameter
from shaketable.harness.faults.verb import (
    ALIVE,
    ALL,
    AWAKE,
    BY_ITSELF,
    ENDED,
    EVENT,
    FILTER,
    MESSAGE,
    NODE,
    RUNNING,
    SENDER,
    STARTED_AGAIN,
    Effect,
    FaultKind,
    Sign,
)
from shaketable.node.core.env import MILLISECOND, SECOND
from shaketable.node.shaking.filters import FilterAct

FASTEST: Final = 500_000
"""ppm"""

RESUME: Final = "resume"

_DOWN: Final = Sign(0, "gone", "▼")
_KIND: Final = Parameter(
    WORD_OF_A_MESSAGE, WORD_OF_A_MESSAGE, "membersupdate", positional=True, draw=lambda d: d.message()
)
_COUNT: Final = Parameter(
    "count", "times", said="the count of messages", draw=lambda d: d.chance.randint(1, 5), plainer=(1, None)
)

PAUSE: Final = FaultKind(
    verb="pause",
    sentence="a long GC pause",
    of=NODE,
    effect=Effect.STOPS,
    awake=True,
    whose=AWAKE,
    undone=(RESUME, "ends every pause of the node"),
    sign=Sign(3, "paused", "‖"),
    hardness=0,
    marks={"": "a node executed nothing for a while"},
    real="SIGSTOP, then SIGCONT",
    simulated="nothing is executed, the clock runs on",
)
KILL: Final = FaultKind(
    verb="kill",
    sentence="a crash",
    of=NODE,
    effect=Effect.NEITHER,
    ends=STARTED_AGAIN,
    whose=ALIVE,
    sign=_DOWN,
    hardness=0,
    marks={"": "a node was killed"},
    real="SIGKILL",
    simulated="the state is dropped",
)
RESTART: Final = FaultKind(
    verb=STARTED_AGAIN,
    sentence="the same address, a new identity",
    of=NODE,
    effect=Effect.NEITHER,
    ends=BY_ITSELF,
    whose=ENDED,
    sign=Sign(0, "back", "▲"),
    marks={"": "a node was started again at its address"},
    real="a new process",
    simulated="a new node",
)
LEAVE: Final = FaultKind(
    verb="leave",
    sentence="graceful shutdown",
    of=NODE,
    effect=Effect.NEITHER,
    ends=STARTED_AGAIN,
    awake=True,
    whose=RUNNING,
    sign=_DOWN,
    plainer=KILL,
    marks={"": "a node was asked to leave"},
    real="a command",
    simulated="a command",
)
CLOCK: Final = FaultKind(
    verb="clock",
    sentence="the node's clock jumps, or runs at another rate",
    of=NODE,
    effect=Effect.SHIFTS | Effect.SETS_CLOCK,
    parameters=(
        Parameter(
            "jump",
            "s",
            "10",
            SECOND,
            said="a jump of a clock",
            least=0,
            draw=lambda d: d.chance.choice([0, d.millis(1, 3 * d.patience)]),
            plainer=(None,),
        ),
        Parameter(
            "rate_ppm",
            "ppm",
            "0",
            said="rate_ppm",
            least=-FASTEST,
            most=FASTEST,
            draw=lambda d: d.chance.randrange(1, 100_000) * d.chance.choice([1, -1]),
            plainer=(None,),
        ),
    ),
    any_of=("jump", "rate_ppm"),
    inside=True,
    whose=RUNNING,
    sign=Sign(0, "clock", "±"),
    hardness=6,
    marks={"": "a node's clock jumped or ran at another rate"},
    real="an offset in the node's driver",
    simulated="the same",
)
DROP: Final = FaultKind(
    verb="drop",
    sentence="messages of a kind that the node sends are lost",
    of=SENDER,
    effect=Effect.NEITHER,
    parameters=(_KIND, _COUNT),
    inside=True,
    comes_upon=MESSAGE,
    filters=FilterAct.DROP,
    sign=FILTER,
    hardness=0,
    marks={"": "a kind of message was dropped"},
    real="a filter in the sender",
    simulated="the same filter",
)
HOLD_BACK: Final = FaultKind(
    verb="hold_back",
    sentence="they wait until this is healed, and come after their successors",
    of=SENDER,
    effect=Effect.SHIFTS,
    parameters=(_KIND, _COUNT),
    inside=True,
    comes_upon=MESSAGE,
    filters=FilterAct.HOLD_BACK,
    sign=FILTER,
    hardness=6,
    plainer=DROP,
    marks={"": "a kind of message was held back, and came late"},
    real="likewise",
    simulated="likewise",
)
DELAY: Final = FaultKind(
    verb="delay",
    sentence="they leave later, and their successors do not wait",
    of=SENDER,
    effect=Effect.SHIFTS,
    parameters=(
        _KIND,
        _COUNT,
        Parameter(
            "by", "ms", "500", MILLISECOND, positional=True, said="the delay", draw=lambda d: d.millis(1, d.patience)
        ),
    ),
    drawn=(WORD_OF_A_MESSAGE, "by", "count"),
    inside=True,
    comes_upon=MESSAGE,
    filters=FilterAct.DELAY,
    sign=FILTER,
    hardness=6,
    plainer=DROP,
    marks={"": "a kind of message was delayed"},
    real="likewise",
    simulated="likewise",
)
HOLD: Final = FaultKind(
    verb="hold",
    sentence="a crash point: the node holds at its next event of a kind",
    of=NODE,
    effect=Effect.SHIFTS | Effect.STOPS,
    parameters=(
        Parameter(WORD_OF_AN_EVENT, WORD_OF_AN_EVENT, "ViewInstalled", positional=True, draw=lambda d: d.event()),
        Parameter("nth", "times", "1", said="nth", draw=lambda d: d.chance.randint(1, 2), plainer=(1,)),
        Parameter(
            "after",
            "times",
            said="after so many messages",
            least=0,
            nothing="before them",
            draw=lambda d: d.chance.randint(0, 2) if d.chance.random() < 0.5 else None,
            plainer=(None,),
        ),
    ),
    inside=True,
    comes_upon=EVENT,
    whose=RUNNING,
    sign=Sign(4, "held", "■"),
    hardness=6,
    plainer=PAUSE,
    marks={"": "a node was held at a named event"},
    real="the process waits on its control socket",
    simulated="exact by nature",
)
LOAD: Final = FaultKind(
    verb="load",
    sentence="a busy machine",
    of=ALL,
    effect=Effect.STOPS,
    parameters=(
        Parameter(
            "busy",
            "times",
            "4",
            positional=True,
            said="the number of busy processes a core",
            most=16,
            draw=lambda d: d.chance.randint(1, 4),
        ),
    ),
    sign=Sign(0, "busy", "%"),
    marks={"": "the machine was busy"},
    real="`busy` processes a core do nothing but burn CPU",
    simulated="in drawn spells of up to half a heartbeat interval a node executes nothing",
)
