"""Plans that are simpler than a plan, one idea a function: fewer deeds or nodes, simpler deeds, shorter and rounder
times.

Each idea offers plans, the boldest first. weight.py says which of them are simpler. shrinking.py finds out whether one
of them still fails. Nothing here is random."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from shaketable.harness.faults.link_kinds import ISOLATE, SPLIT
from shaketable.harness.faults.parameters import HOW
from shaketable.harness.faults.verb import NODE, PARTS, SENDER, STARTED_AGAIN, Verb
from shaketable.harness.nemesis.deeds import HELD, JOIN, KINDS, named_by_all
from shaketable.harness.nemesis.plan import Deed, Plan, Value
from shaketable.harness.scripting.calls import TIMES
from shaketable.node.core.env import MILLISECOND, SECOND, Micros

FEWEST_NODES: Final = 2


def with_deeds(plan: Plan, deeds: list[Deed]) -> Plan:
    return msgspec.structs.replace(plan, deeds=tuple(deeds))


def fewer_deeds(plan: Plan) -> Iterator[Plan]:
    """Without a half of them, a quarter, and so on to each alone; the last first, on which nothing rests."""
    size = len(plan.deeds)
    while size:
        for end in range(len(plan.deeds), 0, -size):
            yield with_deeds(plan, [*plan.deeds[: max(0, end - size)], *plan.deeds[end:]])
        size //= 2


def fewer_nodes(plan: Plan) -> Iterator[Plan]:
    for name in reversed(plan.nodes):
        if len(plan.nodes) > FEWEST_NODES:
            nodes = tuple(node for node in plan.nodes if node != name)
            yield msgspec.structs.replace(plan, nodes=nodes, deeds=tuple(_without(name, plan)))


def _without(name: str, plan: Plan) -> Iterator[Deed]:
    for deed in plan.deeds:
        on, to = (tuple(node for node in names if node != name) for names in (deed.on, deed.to))
        if (deed.on and not on) or (deed.to and not to):
            continue
        yield msgspec.structs.replace(deed, on=on, to=to)


def simpler_deeds(plan: Plan) -> Iterator[Plan]:
    for number, deed in enumerate(plan.deeds):
        for simpler in _simpler(deed, plan):
            yield with_deeds(plan, [*plan.deeds[:number], simpler, *plan.deeds[number + 1 :]])


def _simpler(deed: Deed, plan: Plan) -> Iterator[Deed]:
    kind = KINDS[deed.verb]
    if kind.plainer is not None:
        yield msgspec.structs.replace(deed, verb=kind.plainer.verb, options=dict(_what_is_left(deed, kind.plainer)))
    if kind.by and kind.of in (NODE, PARTS):
        yield from _single_links(deed, plan)
    if kind is SPLIT and 1 in (len(deed.on), len(deed.to)):
        alone = deed.on if len(deed.on) == 1 else deed.to
        yield msgspec.structs.replace(deed, verb=ISOLATE.verb, on=alone, to=())
    if kind.of == SENDER and deed.to:
        yield msgspec.structs.replace(deed, to=())
    if deed.lasts is not None and not (kind.ends == STARTED_AGAIN and deed.on[0] in named_by_all(plan)):
        yield msgspec.structs.replace(deed, lasts=None)
    for parameter in reversed(kind.parameters):
        name = parameter.name
        for plain in parameter.plainer if name in deed.options else ():
            if deed.options[name] == plain:
                continue
            rest = {key: value for key, value in deed.options.items() if key != name}
            options = rest if plain is None else {**rest, name: plain}
            if options or not kind.any_of:
                yield msgspec.structs.replace(deed, options=options)


def _what_is_left(deed: Deed, plainer: Verb) -> Iterator[tuple[str, Value]]:
    """Of its options: what the plainer verb takes too, and must be given."""
    for parameter in plainer.parameters:
        if parameter.name in deed.options:
            yield parameter.name, deed.options[parameter.name]
    for parameter in plainer.parameters:
        plain = next(iter(parameter.plainer), None)
        if parameter.name not in deed.options and plain is not None and not parameter.optional:
            yield parameter.name, plain


def _single_links(deed: Deed, plan: Plan) -> Iterator[Deed]:
    """One link in the place of all of them, if these are few."""
    others = deed.to or tuple(name for name in plan.nodes if name not in deed.on)
    links = [(a, b) for a in deed.on for b in others]
    for a, b in links if len(links) <= 4 else ():
        verb = str(deed.options.get(HOW, KINDS[deed.verb].by[0].verb))
        yield msgspec.structs.replace(deed, verb=verb, on=(a,), to=(b,), options={})


def no_late_comers(plan: Plan) -> Iterator[Plan]:
    """A node that joins later is there from the beginning."""
    for number, deed in enumerate(plan.deeds):
        if deed.verb == JOIN:
            others = [*plan.deeds[:number], *plan.deeds[number + 1 :]]
            yield msgspec.structs.replace(plan, nodes=(*plan.nodes, *deed.on), deeds=tuple(others))


def shorter_times(plan: Plan, units: tuple[Micros, ...]) -> Iterator[Plan]:
    """The end of the storm nearer, what comes after a pause sooner, what lasts shorter."""
    last = max((deed.at for deed in plan.deeds), default=0)
    for storm in _shorter(plan.storm - last, units):
        yield msgspec.structs.replace(plan, storm=last + storm)
    for number, deed in enumerate(plan.deeds):
        before = plan.deeds[number - 1].at if number else 0
        for gap in _shorter(deed.at - before, units):
            sooner = deed.at - before - gap
            later = [msgspec.structs.replace(each, at=each.at - sooner) for each in plan.deeds[number:]]
            moved = with_deeds(plan, [*plan.deeds[:number], *later])
            yield msgspec.structs.replace(moved, storm=plan.storm - sooner)
    for number, deed in enumerate(plan.deeds):
        for lasts in _shorter(deed.lasts or 0, units):
            if lasts:
                yield _replaced(plan, number, msgspec.structs.replace(deed, lasts=lasts))


def _shorter(time: Micros, units: tuple[Micros, ...]) -> Iterator[Micros]:
    """Nothing, round times, or a part, in whole milliseconds; of each the shortest first."""
    if time:
        yield 0
    times = 1
    while times * units[-1] < time:
        yield times * units[-1]
        times += 1 if times < 4 else times // 2
    part = 8
    while part > 1:
        if time // part >= MILLISECOND:
            yield time // part // MILLISECOND * MILLISECOND
        part //= 2


def rounder_times(plan: Plan, units: tuple[Micros, ...]) -> Iterator[Plan]:
    """Whole multiples of a unit, down or up. `units` are the protocol's own times, the largest first; then seconds."""
    for number, deed in enumerate(plan.deeds):
        for at in _rounder(deed.at, units):
            shift = at - deed.at
            moved = [msgspec.structs.replace(each, at=each.at + shift) for each in plan.deeds[number:]]
            changed = with_deeds(plan, [*plan.deeds[:number], *moved])
            if not number or at >= plan.deeds[number - 1].at:
                yield msgspec.structs.replace(changed, storm=plan.storm + shift)
        for lasts in _rounder(deed.lasts or 0, units):
            yield _replaced(plan, number, msgspec.structs.replace(deed, lasts=lasts))
        for name, value in times_among(deed.options):
            for time in _rounder(value, units):
                yield _replaced(plan, number, msgspec.structs.replace(deed, options={**deed.options, name: time}))
    last = max((deed.at for deed in plan.deeds), default=0)
    for storm in _rounder(plan.storm, units):
        if storm >= last:
            yield msgspec.structs.replace(plan, storm=storm)


def times_among(options: Mapping[str, Value]) -> list[tuple[str, Micros]]:
    return [(name, int(value)) for name, value in options.items() if name in TIMES or name == HELD]


def _rounder(time: Micros, units: tuple[Micros, ...]) -> Iterator[Micros]:
    """Never to 0 what is not: that would be another story."""
    for unit in (*units, SECOND, 100 * MILLISECOND):
        if time % unit == 0:
            return
        for rounded in (time // unit * unit, (time // unit + 1) * unit):
            if rounded:
                yield rounded


def _replaced(plan: Plan, number: int, deed: Deed) -> Plan:
    return with_deeds(plan, [*plan.deeds[:number], deed, *plan.deeds[number + 1 :]])
