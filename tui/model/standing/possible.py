"""What can be done by hand to a run at this moment, to which of its nodes, and why not.

A deed happens now, at the end of the history, wherever in the past the screen stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from shaketable.harness.faults.link_kinds import FLAP
from shaketable.harness.faults.node_kinds import KILL, LEAVE, PAUSE, RESTART, RESUME
from shaketable.harness.faults.parameters import ONE_WAY, WORD_OF_A_MESSAGE
from shaketable.harness.faults.verb import ALIVE, ANY, AWAKE, DATAGRAM, ENDED, PARTS, RUNNING
from shaketable.harness.seen.run import FaultSeen, NodeSeen, Observed
from shaketable.node.config import CLUSTER, GMS, NO_UDP, SWIMS
from shaketable.node.messages import GROUP_MESSAGES, KINDS, Message, Notified, SwimPing
from shaketable.tui.model.hands.calls import DEEDS, OF_A_LINK, OF_A_NODE, START, Call, Deed
from shaketable.tui.model.run_facts import RunFacts
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.family import is_group, told
from shaketable.tui.natural import naturally

OVER: Final = "this run is over: it can be looked at, and nothing can be done to it any more"
MOST_LINKS: Final = 4
"""of a fault, that are named one by one"""
NOTIFIED: Final = str(Notified.__struct_config__.tag)
REAL_TIME: Final = "real time can neither be changed nor halted: only a simulated run has a speed"


def present(session: Session) -> Observed:
    """At the end of the history. Not to be kept: it grows."""
    return session.beliefs.at(len(session.store)).observed


def no_hand(session: Session, hands: bool) -> str:
    """Why nothing can be done by hand to this run; "" if it can."""
    if session.live and session.facts.script:
        return f"{session.facts.script} runs: done by hand now, it would spoil what the script's verdict is about"
    return "" if session.live and hands else OVER


def no_speed(session: Session, hands: bool) -> str:
    """Why it cannot be halted, hurried or made to go step by step. Once it is over, any run can: it is played."""
    if not session.live:
        return ""
    if not hands:
        return OVER
    return REAL_TIME if session.facts.world == "real" else ""


def lasting(observed: Observed) -> list[FaultSeen]:
    """The faults that are on, or about to be, until they are healed: the oldest first. The faults that a flap is made
    of come and go with it."""
    on = [f for f in observed.faults.values() if f.lasts and f.ended_at is None and not f.missed]
    return [fault for fault in on if not _is_part(fault)]


def whole_of(session: Session, number: int) -> int:
    """The flap that this fault is a cut of; else the fault itself."""
    told = session.beliefs.at(len(session.store))
    fault, of = told.observed.faults.get(number), told.faults.get(number)
    return number if fault is None or of is None or not _is_part(fault) else of.part_of or number


def _is_part(fault: FaultSeen) -> bool:
    """Of a flap: one of the cuts that it is made of."""
    return fault.kind is FLAP and fault.act is not FLAP


def about(fault: FaultSeen) -> str:
    """What it is done to: "n1, n2" or "n1->n2, n2->n1"; of many links only how many."""
    if fault.nodes:
        return ", ".join(fault.nodes)
    if len(fault.links) > MOST_LINKS:
        return f"{len(fault.links)} links"
    return ", ".join(fault.links)


# Which nodes a deed can be done to


def _running(observed: Observed, node: NodeSeen) -> bool:
    return node.running


def _alive(observed: Observed, node: NodeSeen) -> bool:
    return node.running or node.state == "spawned"


def _ended(observed: Observed, node: NodeSeen) -> bool:
    return node.ended


def _paused(observed: Observed, node: NodeSeen) -> bool:
    return observed.paused(node.name)


def _not_paused(observed: Observed, node: NodeSeen) -> bool:
    return node.running and not observed.paused(node.name)


def _joined(observed: Observed, node: NodeSeen) -> bool:
    return node.running and node.joined


_Nodes = tuple[Callable[[Observed, NodeSeen], bool], str]
"""which of them, and what is said if there is none"""
_THERE: Final[_Nodes] = (lambda observed, node: not node.ended), "there is no node"
"""those that are gone are not offered"""
_WHOSE: Final[Mapping[str, _Nodes]] = {
    ANY: _THERE,
    ALIVE: (_alive, "no node runs"),
    ENDED: (_ended, "no node has ended"),
    AWAKE: (_not_paused, "no node runs that is not paused"),
    RUNNING: (_running, "no node runs"),
}
"""of faults"""
_OF_NODES: Final[Mapping[str, _Nodes]] = {
    RESUME: (_paused, "no node is paused"),
    "work": (_joined, "no node has joined"),
    "put": (_joined, "no node has joined"),
    "get": (_joined, "no node has joined"),
    "remove": (_joined, "no node has joined"),
    "member_list": (_running, "no node runs"),
    "set_member_list": (_running, "no node runs"),
    "update_config": (_running, "no node runs"),
    "reload_config": (_running, "no node runs"),
    "read_back": (_joined, "no node has joined"),
    "talk": (_joined, "no node has joined"),
    "start_group": (_joined, "no node has joined"),
    "stop_group": (_joined, "no node has joined"),
    "hint": (_running, "no node runs"),
}


def _suiting(deed: Deed) -> _Nodes:
    return _WHOSE[deed.kind.whose] if deed.kind is not None else _OF_NODES.get(deed.verb, _THERE)


def deeds_for(facts: RunFacts) -> list[Deed]:
    """Those that make any sense for nodes of this family, with a message that such nodes send."""
    if is_group(facts):
        return [_of_a_group(deed) for deed in DEEDS if deed.family in ("", GMS)]
    return [deed for deed in DEEDS if deed.family in ("", CLUSTER)]


def _of_a_group(deed: Deed) -> Deed:
    if deed.verb == START:
        return replace(deed, title="one more member; gms_member_type=spectator: it holds no data")
    if not any(parameter.unit == WORD_OF_A_MESSAGE for parameter in deed.parameters):
        return deed
    asked = [replace(each, usual=NOTIFIED) if each.unit == WORD_OF_A_MESSAGE else each for each in deed.parameters]
    return replace(deed, parameters=tuple(asked))


def messages_for(facts: RunFacts) -> list[str]:
    """The kinds of messages that nodes of this family send."""
    if not is_group(facts):
        return sorted(_called(kind) for kind in KINDS if kind not in GROUP_MESSAGES)
    swims = told(facts, "gms_detection") in SWIMS
    return sorted(_called(kind) for kind in GROUP_MESSAGES if swims or kind.__module__ != SwimPing.__module__)


def _called(kind: type[Message]) -> str:
    return str(kind.__struct_config__.tag)


def nodes_for(deed: Deed, observed: Observed) -> list[str]:
    """Those that it can be done to now, in natural order."""
    suits, _ = _suiting(deed)
    return sorted((node.name for node in observed.nodes.values() if suits(observed, node)), key=naturally)


def why_not(deed: Deed, session: Session) -> str:
    """Why it cannot be done now; "" if it can."""
    world = session.facts.world
    if world not in deed.worlds:
        return f"not in the {'simulator' if world == 'sim' else 'real world'}"
    if deed.verb in session.facts.cannot:
        return session.facts.cannot[deed.verb]
    kind = deed.kind
    if kind is not None and kind.comes_upon == DATAGRAM and told(session.facts, "gms_udp") == NO_UDP:
        return "gms_udp is none: no datagrams are sent"
    if deed.needs and session.facts.settings.get(deed.needs) is not True:
        return f"{deed.needs} is false"
    observed = present(session)
    if deed.verb == "heal_all" and not lasting(observed):
        return "no fault is on"
    if (deed.of == OF_A_LINK or (kind is not None and kind.of == PARTS)) and len(nodes_for(deed, observed)) < 2:
        return "there is no link"
    if deed.of == OF_A_NODE and not nodes_for(deed, observed):
        return _suiting(deed)[1]
    return ""


def refused(call: Call, facts: RunFacts) -> str:
    """Why members of this system cannot do it with these values, where they can do it with others."""
    said = [ONE_WAY] * (call.options.get(ONE_WAY) is True) + [each for each in call.arguments if isinstance(each, str)]
    reasons = (facts.cannot.get(f"{call.verb} {each}", "") for each in said)
    return next(filter(None, reasons), "")


def doing_what_to(session: Session, hands: bool) -> dict[str, str]:
    """What the keys of a node would do to the chosen one, by their verbs: what makes no sense now is missing."""
    name = session.chosen.node
    if no_hand(session, hands) or name not in present(session).nodes:
        return {}
    node = present(session).nodes[name]
    if node.ended:
        return {RESTART.verb: f"{RESTART.verb} {name}"} if RESTART.verb not in session.facts.cannot else {}
    if node.state == "named":
        return {}
    paused = present(session).paused(name)
    verbs = {KILL.verb: KILL.verb, PAUSE.verb: RESUME if paused else PAUSE.verb, LEAVE.verb: LEAVE.verb}
    return {key: f"{verb} {name}" for key, verb in verbs.items() if verb not in session.facts.cannot}
