"""How every link stands: what is done to it, and what is really flowing, by the word of both its ends.

So that two things stand out: a fault that took no effect, and a break that nobody asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from shaketable.harness.faults import link_kinds as kinds
from shaketable.harness.faults.kinds import KINDS
from shaketable.harness.faults.node_kinds import PAUSE
from shaketable.harness.faults.verb import FILTER, MESSAGE
from shaketable.harness.seen.run import FaultSeen, NodeSeen
from shaketable.harness.seen.suspicions import Suspicion
from shaketable.node.core.env import MILLISECOND, SECOND, Micros
from shaketable.tui.model.folds.link_ends import CLOSED, DOWN, HEARD, SILENT, UP, End
from shaketable.tui.model.folds.picture import Picture
from shaketable.tui.model.history.memo import Slot
from shaketable.tui.model.session import Session
from shaketable.tui.natural import naturally

CUT: Final = kinds.CUT.sign.words
HOLE: Final = kinds.BLACKHOLE.sign.words
PAUSED: Final = PAUSE.sign.words
THIN: Final = kinds.THIN.sign.words
SLOW: Final = kinds.SLOW.sign.words
FILTERED: Final = FILTER.words
DATAGRAMS: Final = kinds.LOSE_DATAGRAMS.sign.words
SIGNS: Final = {kind.sign.words: kind.sign for kind in KINDS.values() if kind.sign.rank}
WORST: Final = tuple(sorted(SIGNS, key=lambda words: SIGNS[words].rank))
"""what may be done to a link, the worst first"""

SOUND: Final = "sound"
AS_ASKED: Final = "as asked"
"""bad or broken, and it is to be"""
UNASKED: Final = "nobody asked"
"""broken, and nothing was done to it"""
STILL_FLOWS: Final = "still flows"
"""something was done to it that shows no effect"""
QUIET: Final = "no heartbeats"
"""the receiver suspects the sender, of which it hears nothing, although the link is sound: whoever suspects a member
may well send it nothing"""
TURNING: Final = "turning"
"""a fault is being put on, or has ended and the link is about to be back"""
NOT_IN_USE: Final = "not in use"
"""an end of it does not run, or its sender has hung up"""
UNTOLD: Final = "not told"
"""neither end has said anything yet"""

HEARTBEATS: Final = 4
"""it takes a receiver three to say that it hears nothing"""


@dataclass(frozen=True, slots=True)
class LinkStanding:
    sender: str
    receiver: str
    case: str
    done: str
    """the worst that is done to it, "" if nothing is"""
    faults: tuple[FaultSeen, ...]
    """on it, or on one of its ends, or without any effect"""
    sends: End | None
    """what the sender says; None: nothing yet"""
    hears: End | None
    silence: Suspicion | None
    """the receiver suspects the sender, from whom it has heard nothing for so long"""
    why: str = ""
    """why it is not in use"""
    hung_up: bool = False
    """it is not in use for that: its sender has nothing to say there"""

    @property
    def several(self) -> bool:
        return len(self.faults) > 1


class Links:
    """All of one picture. The faults are gathered once, then each link is looked up for itself, once."""

    def __init__(self, picture: Picture, now: Micros, grace: Micros) -> None:
        self._picture, self._now, self._grace = picture, now, grace
        self._touched = picture.touched
        self._known: dict[tuple[str, str], LinkStanding] = {}
        self._on: dict[tuple[str, str], list[FaultSeen]] = {}
        self._of_node: dict[str, list[FaultSeen]] = {}
        """pauses, holds, filters: by whom they are done to"""
        self._just_ended: dict[tuple[str, str], bool] = {}
        observed = picture.observed
        self.names = sorted(observed.nodes, key=naturally)
        for fault in observed.faults.values():
            if not fault.lasts:
                continue
            if fault.ended_at is None:
                for link in fault.links:
                    self._on.setdefault(ends_of(link), []).append(fault)
                for name in fault.nodes:
                    self._of_node.setdefault(name, []).append(fault)
            elif now - fault.ended_at < grace:
                self._just_ended.update((ends_of(link), True) for link in fault.links)
                self._just_ended.update((pair, True) for name in fault.nodes for pair in self.of_node(name))

    def of_node(self, name: str) -> Iterator[tuple[str, str]]:
        for other in self.names:
            if other != name:
                yield name, other
                yield other, name

    def hold(self, picture: Picture, now: Micros) -> bool:
        """Whether nothing that they depend on has changed; the time does so only now and then."""
        same = picture is self._picture and picture.touched == self._touched
        return same and 0 <= now - self._now < self._grace // HEARTBEATS

    def all(self) -> Iterator[LinkStanding]:
        return (self.of(a, b) for a in self.names for b in self.names if a != b)

    def of(self, sender: str, receiver: str) -> LinkStanding:
        known = self._known.get((sender, receiver))
        if known is None:
            known = self._known[sender, receiver] = self._standing(sender, receiver)
        return known

    def _standing(self, sender: str, receiver: str) -> LinkStanding:
        observed, extras = self._picture.observed, self._picture.extras
        a, b = observed.nodes[sender], observed.nodes[receiver]
        mine, its = extras.get(sender), extras.get(receiver)
        sends = mine.sends.get(b.address) if mine is not None else None
        hears = its.hears.get(a.address) if its is not None else None
        doubt = b.suspected.get(a.incarnation)
        silence = doubt if doubt is not None and doubt.silence is not None else None
        faults = self._done_to(sender, receiver)
        if not faults and a.joined and b.joined and a.running and b.running:
            told = (sends is None or sends.state == UP) and (hears is None or hears.state == HEARD)
            if told and silence is None and (sends is not None or hears is not None):
                return LinkStanding(sender, receiver, SOUND, "", (), sends, hears, None)
        why = _not_in_use(a, b, sends)
        done = min((kind_of(fault) for fault in faults), key=WORST.index, default="")
        case = self._case(a, b, faults, done, sends, hears, silence, why)
        hung_up = a.running and b.running and bool(why)
        return LinkStanding(sender, receiver, case, done, faults, sends, hears, silence, why, hung_up)

    def _done_to(self, sender: str, receiver: str) -> tuple[FaultSeen, ...]:
        on = self._on.get((sender, receiver), ())
        if not self._of_node:
            return tuple(_counting(on)) if on else ()
        own = [f for f in self._of_node.get(sender, ()) if _stops(f) or self._reaches(f, receiver)]
        other = [f for f in self._of_node.get(receiver, ()) if _stops(f)]
        return tuple(_counting((*on, *own, *other)))

    def _reaches(self, fault: FaultSeen, receiver: str) -> bool:
        """Whether it is a filter that catches what is sent to this one."""
        if not _filters(fault):
            return False
        told = self._picture.faults.get(fault.number)
        return told is None or not told.to or receiver in told.to

    def _case(
        self,
        a: NodeSeen,
        b: NodeSeen,
        faults: tuple[FaultSeen, ...],
        done: str,
        sends: End | None,
        hears: End | None,
        silence: Suspicion | None,
        why: str,
    ) -> str:
        effective = [fault for fault in faults if fault.took_at is not None]
        if not (a.running and b.running) or (why and not effective):
            return NOT_IN_USE
        down, mute = sends is not None and sends.state == DOWN, hears is not None and hears.state == SILENT
        if effective and (down or mute or silence is not None):
            return AS_ASKED
        if down or mute:
            asked = bool(faults) or (a.name, b.name) in self._just_ended
            new = not mute and sends is not None and self._now - sends.since < self._grace // HEARTBEATS
            return TURNING if asked or new or not (a.joined and b.joined) else UNASKED
        if effective:
            return self._flowing(b.name, effective, done, sends, hears)
        if faults:
            return STILL_FLOWS if faults[-1].missed else TURNING
        if silence is not None:
            return QUIET
        return UNTOLD if sends is None and hears is None else SOUND

    def _flowing(self, receiver: str, faults: list[FaultSeen], done: str, sends: End | None, hears: End | None) -> str:
        """Whether the link flows although it was to be silent for so long that its ends must have noticed. A paused
        node cannot say what it hears."""
        stopping = [f for f in faults if f.silences or kind_of(f) in (CUT, HOLE)]
        since = [f.took_at for f in stopping if f.took_at is not None]
        speechless = any(map(_stops, self._of_node.get(receiver, ())))
        heard = done == CUT or (hears is not None and hears.state == HEARD and not speechless)
        if not since or sends is None or sends.state != UP or not heard or self._now - min(since) < self._grace:
            return AS_ASKED
        ending = [told for f in stopping if (told := self._picture.faults.get(f.number)) and told.end_asked is not None]
        return TURNING if len(ending) == len(stopping) else STILL_FLOWS


_LAST: Final = Slot(list[Links])
"""of the last frame"""


def links(session: Session) -> Links:
    """At the cursor."""
    picture, here, last = session.picture(), now(session), session.memo[_LAST]
    if not last or not last[0].hold(picture, here):
        told = session.facts.settings.get("heartbeat_interval_seconds", 1)
        heartbeat = float(told) if isinstance(told, int | float) else 1.0
        last[:] = [Links(picture, here, max(MILLISECOND, round(HEARTBEATS * heartbeat * SECOND)))]
    return last[0]


def now(session: Session) -> Micros:
    """A live run's time goes by where nothing happens as well."""
    here = session.picture().observed.time
    return max(here, session.now) if session.live and session.following else here


def chosen_link(session: Session) -> tuple[str, str] | None:
    chosen, nodes = session.chosen, session.picture().observed.nodes
    if chosen.node in nodes and chosen.other in nodes and chosen.node != chosen.other:
        return chosen.node, chosen.other
    return None


def ends_of(link: str) -> tuple[str, str]:
    sender, _, receiver = link.partition("->")
    return sender, receiver


def kind_of(fault: FaultSeen) -> str:
    """ "split by blackhole" is a black hole, "drop heartbeat" is done to messages."""
    return fault.act.sign.words if fault.act.sign.rank else FILTERED


def _filters(fault: FaultSeen) -> bool:
    return fault.kind.comes_upon == MESSAGE


def _stops(fault: FaultSeen) -> bool:
    """Its node neither sends nor hears: from a hold on only when the node came to it."""
    return fault.kind.sleeps and (fault.kind.sleeps_at_once or fault.fired)


def _counting(faults: tuple[FaultSeen, ...] | list[FaultSeen]) -> Iterator[FaultSeen]:
    """A fault that took no effect counts as long as nothing was done to the same link after it."""
    for place, fault in enumerate(faults):
        if fault.took_at is not None or place == len(faults) - 1:
            yield fault


def _not_in_use(a: NodeSeen, b: NodeSeen, sends: End | None) -> str:
    if not a.running or not b.running:
        gone = b if not b.running else a
        return f"{gone.name} {'has not begun' if gone.state in ('named', 'spawned') else 'is gone'}"
    return f"{a.name} has hung up" if sends is not None and sends.state == CLOSED else ""
