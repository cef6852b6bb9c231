"""From what a link suffers (`LinkState`) to what its proxy must hold, and the way there. Pure.

The way matters more than the goal: a Toxiproxy server can hang for ever when a toxic that holds data back is removed
from a link whose other end has just died. So no toxic is ever removed. Black hole and latency are switched by their
toxicity; to be rid of a thin or sliced link, or to change one, its proxy is deleted and made afresh; and while a link
is cut its toxics are left alone.

Where the connections of a system carry both directions, a proxy has a chain of toxics for each: that of its own link,
and that of the link back. The bytes that a black hole swallowed are a gap in the stream of such a connection. No
network makes one, and no program has to bear it: so the proxy is made afresh when it heals, and its connections end."""

from collections.abc import Mapping
from dataclasses import dataclass

from shaketable.harness.faults.links import SOUND, LinkState
from shaketable.harness.worlds.real.toxiproxy import FabricError, Json

BLACKHOLE, SLOW, THIN, SLICED = "blackhole", "slow", "thin", "sliced"
KINDS = {BLACKHOLE: "timeout", SLOW: "latency", THIN: "bandwidth", SLICED: "slicer"}
"""Our name and the server's type of each toxic, in the order in which bytes pass them. It is the same on every link:
what came in during a black hole is lost, what came in before it and is still on its way arrives."""

SWITCHED = (BLACKHOLE, SLOW)
THERE, BACK = "upstream", "downstream"
"""The server's words for the two directions of a connection, in the order in which it tells their toxics."""


@dataclass(frozen=True, slots=True)
class Toxic:
    name: str
    attributes: Mapping[str, int]
    awake: bool = True
    way: str = THERE

    @property
    def called(self) -> str:
        """By the server, which has no name twice on a proxy."""
        return self.name if self.way == THERE else f"{self.name}-back"


@dataclass(frozen=True, slots=True)
class Placed:
    """What the server holds for one link."""

    enabled: bool = True
    toxics: tuple[Toxic, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    then: Placed
    fresh: bool = False
    """delete the proxy if there is one, make it anew"""
    add: tuple[Toxic, ...] = ()
    switch: tuple[Toxic, ...] = ()
    enable: bool | None = None
    """at last"""


def change(now: Placed | None, state: LinkState, back: LinkState | None = None) -> Change:
    """How to get from what is placed (None: nothing, or nobody knows) to what is asked for: `state` of the proxy's own
    link, `back` of the one that its connections carry besides (None: they carry no other)."""
    back, no_gap = back or SOUND, back is not None
    if now is None:
        return _afresh(state, back)
    if state.cut:
        return Change(Placed(False, now.toxics), enable=False if now.enabled else None)
    kept: tuple[Toxic, ...] = ()
    switch: tuple[Toxic, ...] = ()
    add: tuple[Toxic, ...] = ()
    for way, suffers in ((THERE, state), (BACK, back)):
        chain = _change_of_one(tuple(toxic for toxic in now.toxics if toxic.way == way), way, suffers)
        if chain is None:
            return _afresh(state, back)
        kept, switch, add = kept + chain.then.toxics, switch + chain.switch, add + chain.add
    if no_gap and any(toxic.name == BLACKHOLE and not toxic.awake for toxic in switch):
        return _afresh(state, back)
    if switch and not now.enabled:
        # Connections that the cut broke may not have let go of their data yet.
        return _afresh(state, back)
    return Change(Placed(True, kept), add=add, switch=switch, enable=None if now.enabled else True)


def _change_of_one(held: tuple[Toxic, ...], way: str, state: LinkState) -> Change | None:
    """Of the toxics of one direction; None if they must be made afresh."""
    wanted = _wanted(state, way)
    chain = tuple(_settle(toxic, wanted) for toxic in held)
    names = {toxic.name for toxic in held}
    missing = [name for name in KINDS if name not in names and _needed_below(name, wanted)]
    last = len(held)  # a chain has no gaps, so what is missing can only follow
    if None in chain or any(list(KINDS).index(name) < last for name in missing):
        return None
    kept = tuple(toxic for toxic in chain if toxic is not None)
    switch = tuple(toxic for toxic, was in zip(kept, held, strict=True) if toxic != was)
    add = tuple(wanted.get(name) or asleep(name, way) for name in missing)
    return Change(Placed(True, kept + add), add=add, switch=switch)


def _afresh(state: LinkState, back: LinkState) -> Change:
    if state.cut:
        return Change(Placed(False), fresh=True)
    add: tuple[Toxic, ...] = ()
    for way, suffers in ((THERE, state), (BACK, back)):
        wanted = _wanted(suffers, way)
        add += tuple(wanted.get(name) or asleep(name, way) for name in KINDS if _needed_below(name, wanted))
    return Change(Placed(True, add), fresh=True, add=add, enable=True if add else None)


def _needed_below(name: str, wanted: Mapping[str, Toxic]) -> bool:
    """A toxic is made with all switched ones before it, asleep: later they could only go behind it."""
    order = list(KINDS)
    if name in SWITCHED:
        return any(order.index(other) >= order.index(name) for other in wanted)
    return name in wanted


def _settle(held: Toxic, wanted: Mapping[str, Toxic]) -> Toxic | None:
    """What becomes of a toxic that is there; None if it cannot become what is wanted."""
    want = wanted.get(held.name)
    if held.name in SWITCHED:
        return want or Toxic(held.name, held.attributes, awake=False, way=held.way)
    return held if held == want else None


def asleep(name: str, way: str = THERE) -> Toxic:
    return Toxic(name, {"timeout": 0} if name == BLACKHOLE else {"latency": 0, "jitter": 0}, awake=False, way=way)


def _wanted(state: LinkState, way: str) -> dict[str, Toxic]:
    wanted: dict[str, dict[str, int]] = {}
    if state.blackhole:
        wanted[BLACKHOLE] = {"timeout": 0}
    if state.latency or state.jitter:
        wanted[SLOW] = {"latency": state.latency // 1000, "jitter": state.jitter // 1000}
    if state.rate is not None:
        wanted[THIN] = {"rate": state.rate // 1000}
    if state.slices is not None:
        pieces = state.slices
        wanted[SLICED] = {"average_size": pieces.size, "size_variation": pieces.variation, "delay": pieces.pause}
    return {name: Toxic(name, attributes, way=way) for name, attributes in wanted.items()}


def validate(link: str, state: LinkState) -> None:
    """Some wrong values kill the server, others are rounded in silence: none of them gets there."""
    for what, value in (("latency", state.latency), ("jitter", state.jitter)):
        if value < 0 or value % 1000:
            raise FabricError(f"{link}: {what} is whole milliseconds of 0 or more, not {value / 1000:g} ms.")
    if state.rate is not None and (state.rate < 1000 or state.rate % 1000):
        raise FabricError(
            f"{link}: rate is whole KB/s, 1000 bytes per second at least, not {state.rate} bytes per second; "
            "to let nothing through, use blackhole or cut."
        )
    pieces = state.slices
    if pieces is not None:
        if pieces.size < 1:
            raise FabricError(f"{link}: slices are of 1 byte or more, not {pieces.size}.")
        if not 0 <= pieces.variation < pieces.size:
            raise FabricError(
                f"{link}: slices of {pieces.size} bytes vary by 0 to {pieces.size - 1}, not {pieces.variation}."
            )
        if pieces.pause < 0:
            raise FabricError(f"{link}: the pause between slices is 0 or more, not {pieces.pause} us.")


def told(proxy: Json) -> Placed:
    """What the server says that it holds, in our words: to be compared with what was placed."""
    toxics = []
    for toxic in proxy["toxics"]:
        name, way = toxic["name"].removesuffix("-back"), toxic["stream"]
        ours = KINDS.get(name) == toxic["type"] and Toxic(name, {}, way=way).called == toxic["name"]
        if not ours:
            name = f"{toxic['name']} ({way} {toxic['type']}), not ours"
        toxics.append(Toxic(name, dict(toxic["attributes"]), toxic["toxicity"] == 1, way))
    return Placed(bool(proxy["enabled"]), tuple(toxics))
