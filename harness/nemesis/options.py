"""What a random deed is given besides whom it is done to: how slow, which message, which event, how often."""

from __future__ import annotations

import random
from typing import Final

from shaketable.harness.faults.parameters import Drawing, Value, drawn
from shaketable.harness.nemesis.deeds import KINDS
from shaketable.harness.nemesis.times import Times
from shaketable.node import events, messages
from shaketable.node.config import GMS, Settings
from shaketable.node.events import Event

_NO_POINT: Final = ("Event", "Failed", "Held", "Released", "Stopped", "Started")


def _service(kind: type) -> str:
    return kind.__module__.rpartition(".")[2]


MESSAGES: Final[dict[str, list[str]]] = {}
"""by service, the kinds that can be caught"""
for _kind in messages.KINDS:
    MESSAGES.setdefault(_service(_kind), []).append(str(_kind.__struct_config__.tag))
POINTS: Final[dict[str, list[str]]] = {}
"""by service, the events at which a node can hold"""
for _name, _event in sorted(vars(events).items()):
    if isinstance(_event, type) and issubclass(_event, Event) and _name not in _NO_POINT:
        POINTS.setdefault(_service(_event), []).append(_name)


def services_of(settings: Settings, *, data: bool) -> list[str]:
    """Those that are at work in such a run."""
    if settings.family == GMS:
        return ["gms", *["swim"] * settings.swims]
    merging = settings.merging
    return ["cluster", *["partition"] * data, *["splitbrain"] * merging, *["merging"] * (data and merging)]


def options_of(verb: str, settings: Settings, chance: random.Random, *, data: bool) -> dict[str, Value]:
    times, services = Times(settings, chance), services_of(settings, data=data)
    drawing = Drawing(
        chance,
        times.beat,
        times.patience,
        times.age,
        one_way=chance.random() < 0.5,
        message=lambda: chance.choice(MESSAGES[chance.choice(services)]),
        event=lambda: chance.choice(POINTS[chance.choice([each for each in services if each in POINTS])]),
        maps=tuple(sorted(settings.backup_counts)),
    )
    return drawn(KINDS[verb].by_name(), KINDS[verb].drawn, drawing)
