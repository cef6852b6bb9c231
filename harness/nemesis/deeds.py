"""Which deeds there are: for which family, what each is done to, what it calls, how it ends, when it cannot be done.

Playing a plan and writing it as a script go by the same calls, so that both make one history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from shaketable.harness.faults.kinds import KINDS as FAULTS
from shaketable.harness.faults.link_kinds import RESET
from shaketable.harness.faults.node_kinds import HOLD, KILL, LEAVE, RESTART
from shaketable.harness.faults.parameters import WORD_OF_A_MESSAGE, Parameter
from shaketable.harness.faults.table import Link
from shaketable.harness.faults.verb import (
    BY_ITSELF,
    CLIENTS,
    EVENT,
    HEAL,
    LINK,
    LINKS,
    NODE,
    PARTS,
    SENDER,
    STOP_WORK,
    Effect,
    Verb,
)
from shaketable.harness.nemesis.plan import Deed, Plan
from shaketable.harness.scripting.calls import Argument, Call
from shaketable.node.config import CLUSTER, GMS
from shaketable.node.core.env import MILLISECOND, Micros

CRASH_AT: Final = "crash_at"
"""a node holds at an event, and is killed there"""
HELD: Final = "held"
"""so long after its beginning it is killed, whether or not it has come to the event"""
JOIN: Final = "join"
HIDE: Final = "hide"
"""configurations name one node alone from now on, or nobody: where the others are only their members' memory knows"""
TALK: Final = "talk"
WORK: Final = "work"
NOBODY: Final = "127.0.0.1:5799"
"""an address at which no node is"""
AT_ONCE: Final = (HIDE,)
"""done before anything else, or not at all: who is started again later reads its own configuration, with all in it"""
_OWN: Final = (
    Verb(verb=JOIN, sentence="a new node", of=NODE, effect=Effect.NEITHER, ends=BY_ITSELF, hardness=0),
    Verb(
        verb=HIDE,
        sentence="from the start: all configurations name one node alone, or nobody",
        of=NODE,
        effect=Effect.NEITHER,
        ends=BY_ITSELF,
        families=(CLUSTER,),
    ),
    Verb(
        verb=CRASH_AT,
        sentence="a node holds at some event, if it comes there, and is killed",
        of=NODE,
        effect=Effect.NEITHER,
        parameters=(*HOLD.parameters, Parameter(HELD, "ms", factor=MILLISECOND, draw=lambda d: d.millis(1, d.age))),
        ends=RESTART.verb,
        comes_upon=EVENT,
        inside=True,
        hardness=6,
        plainer=KILL,
    ),
    Verb(
        verb=TALK,
        sentence="in a group: the application of a node sends to all others",
        of=CLIENTS,
        effect=Effect.NEITHER,
        parameters=(Parameter("every", "ms", factor=MILLISECOND, draw=lambda d: d.millis(1, 2 * d.beat)),),
        families=(GMS,),
        inside=True,
    ),
    Verb(
        verb=WORK,
        sentence="clients write and read at a node",
        of=CLIENTS,
        effect=Effect.NEITHER,
        parameters=(
            Parameter("map", "text", draw=lambda d: d.chance.choice(d.maps), plainer=(None,)),
            Parameter("keys", "times", draw=lambda d: 6, plainer=(1,)),
            Parameter("size", "bytes", draw=lambda d: d.chance.choice([0, 100, 2000]), plainer=(None,)),
            Parameter("pause", "ms", factor=MILLISECOND, draw=lambda d: d.beat // 5),
        ),
        drawn=("size", "map", "keys", "pause"),
        ends=STOP_WORK,
        families=(CLUSTER,),
        hardness=0,
    ),
)
"""deeds of plans that are no faults, or made of some"""
KINDS: Final[Mapping[str, Verb]] = {
    **{verb: kind for verb, kind in FAULTS.items() if kind is not RESTART},
    **{own.verb: own for own in _OWN},
}
"""who is started again was killed, or has left: that is no deed of its own"""


@dataclass(frozen=True, slots=True)
class Moment:
    """Something to be done at a time."""

    at: Micros
    deed: int
    """its number in the plan"""
    call: Call
    first: bool = False
    """the deed begins with it: whether it can be done is asked now"""
    of_what_began: bool = False
    """the call takes what the deed's first call has given: it ends that"""


@dataclass(slots=True)
class Standing:
    """The nodes that are there at one moment of a run, or of a run that is being drawn."""

    known: list[str]
    running: list[str]
    asleep: dict[str, bool] = field(default_factory=dict)
    """paused or held"""
    leaving: dict[str, bool] = field(default_factory=dict)
    joined: list[str] | None = None
    """None: as far as is known, all who run"""
    links_up: Mapping[Link, bool] | None = None
    """as far as their senders have noticed"""
    broken: frozenset[Link] = frozenset()
    """by deeds that last, or have ended a moment ago: a sender may not have noticed either yet"""

    @property
    def awake(self) -> list[str]:
        return [name for name in self.running if name not in self.asleep]


def moments_of(plan: Plan) -> list[Moment]:
    """All that is done, in order. At one time the ends come first, and of these the awakening of a sleeper; then what
    begins, and last the ends of what lasts no time."""
    begun, ended = [], []
    for number, deed in enumerate(plan.deeds):
        begun.append(Moment(deed.at, number, first_call(deed, plan), first=True))
        ended += [replace(moment, at=_awake(moment, plan)) for moment in _later(number, deed, plan)]

    def turn(moment: Moment) -> tuple[Micros, bool, bool]:
        deed = plan.deeds[moment.deed]
        begins = moment.first or moment.at == deed.at
        return moment.at, begins, not begins and not KINDS[deed.verb].sleeps_at_once

    return sorted([*begun, *ended], key=turn)


def _awake(moment: Moment, plan: Plan) -> Micros:
    """When its node can be told of it: a sleeper hears that something is over when it awakes."""
    deed, at = plan.deeds[moment.deed], moment.at
    kind = KINDS[deed.verb]
    if kind.inside and kind.ends == HEAL:  # who is to be killed, and what the harness ends, needs nobody awake
        for other in plan.deeds:
            if KINDS[other.verb].sleeps_at_once and other.on == deed.on and other.at < at <= plan.ends(other):
                at = plan.ends(other)
    return at


def broken_by(deed: Deed, known: Iterable[str]) -> list[Link]:
    """The links that it breaks, if it breaks some."""
    kind = KINDS[deed.verb]
    if Effect.SILENCES not in kind.effect:
        return []
    others = known if kind.of == NODE else deed.to
    ends = [(a, b) for a in deed.on for b in others]
    return [link for a, b in ends for link in ((a, b), (b, a))]


def formation_of(plan: Plan) -> list[Call]:
    """In a group all know the addresses of all, and after the first the last in the members' order is the oldest."""
    if plan.family == CLUSTER:
        return [Call("form", plan.nodes)]
    first, *others = plan.nodes
    knowing: dict[str, Argument] = {"knowing": plan.nodes}
    return [Call("form", (first,), knowing), *([Call("join", tuple(reversed(others)), knowing)] if others else [])]


def named_by_all(plan: Plan) -> list[str]:
    """The nodes that must not stay away for good. All configurations name them, so nobody might find anybody without
    them."""
    return [name for deed in plan.deeds if deed.verb == HIDE for name in deed.to]


def why_not(deed: Deed, now: Standing) -> str:
    """Why it cannot be done as things stand; "" if it can."""
    kind = KINDS[deed.verb]
    if deed.verb == JOIN:
        return f"{deed.on[0]} is there already" if deed.on[0] in now.known else ""
    names = (*deed.on, *deed.to)
    strangers = [name for name in names if name not in now.known]
    if strangers:
        return f"there is no {strangers[0]}"
    if kind.of == NODE and Effect.SILENCES in kind.effect and len(now.known) < 2:
        return f"there is nobody but {deed.on[0]}"
    alive = (*deed.on, *(deed.to if kind.of == LINK else ())) if kind.of in (LINK, NODE, SENDER, CLIENTS) else ()
    for name in alive:
        if name not in now.running:
            return f"{name} is down"
        if name in now.leaving and kind.of not in (LINK, SENDER):
            return f"{name} is leaving"
        if name in now.asleep and kind.needs_awake:
            return f"{name} sleeps"
    if deed.verb == WORK and now.joined is not None and deed.on[0] not in now.joined:
        return f"{deed.on[0]} has not joined"
    if deed.verb == RESET.verb and now.links_up is not None:
        (a,), (b,) = deed.on, deed.to
        if sleeper := next((name for name in (a, b) if name in now.asleep), None):
            return f"{sleeper} sleeps"
        down = [link for link in ((a, b), (b, a)) if link in now.broken or not now.links_up.get(link)]
        return f"the link {down[0][0]}->{down[0][1]} is not up" if down else ""
    return ""


def first_call(deed: Deed, plan: Plan) -> Call:
    options: dict[str, Argument] = dict(deed.options)
    kind = KINDS[deed.verb]
    if kind.comes_upon:
        options["perhaps"] = True
    if deed.verb == LEAVE.verb:
        options["wait"] = False
    if deed.verb == CRASH_AT:
        del options[HELD]
        return Call(HOLD.verb, deed.on, options)
    if deed.verb == HIDE:
        return Call("set_member_list", (*deed.on, deed.to or (NOBODY,)), {"wait": False})
    if deed.verb == JOIN:
        return Call("start", deed.on, {"knowing": plan.nodes} if plan.family == GMS else {})
    if kind.of == LINK:
        return Call(deed.verb, (*deed.on, *deed.to), options)
    if kind.of in (PARTS, LINKS):
        return Call(deed.verb, (deed.on, deed.to), options)
    if kind.of == SENDER:
        said = [options.pop(WORD_OF_A_MESSAGE)] if WORD_OF_A_MESSAGE in options else []
        to: dict[str, Argument] = {"to": deed.to} if deed.to else {}
        return Call(deed.verb, tuple(said), {"sender": deed.on[0], **to, **options})
    return Call(deed.verb, deed.on, options)


def _later(number: int, deed: Deed, plan: Plan) -> list[Moment]:
    at, ends = plan.ends(deed), KINDS[deed.verb].ends
    if deed.verb == TALK:
        return [Moment(at, number, Call(TALK, deed.on, {"every": 0}))]
    if ends == STOP_WORK and deed.lasts is None:
        return []  # who is at work then is stopped when the calm phase has shown that all is safe meanwhile
    if ends in (HEAL, STOP_WORK):
        return [Moment(at, number, Call(ends), of_what_began=True)]
    again = [Moment(at, number, Call(RESTART.verb, deed.on))] if ends == RESTART.verb and deed.lasts is not None else []
    if deed.verb == CRASH_AT:
        killed = min(deed.at + int(deed.options[HELD]), at)
        return [Moment(killed, number, Call(KILL.verb, deed.on)), *again]
    return again
