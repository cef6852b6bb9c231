"""What a random deed is given besides whom it is done to: how slow, which message, which event, how often."""

from __future__ import annotations

import random
from typing import Final

from shaketable.harness.nemesis.deeds import CRASH_AT, HELD
from shaketable.harness.nemesis.plan import Value
from shaketable.harness.nemesis.times import Times
from shaketable.node import events
from shaketable.node.config import GMS, Settings
from shaketable.node.env import MILLISECOND
from shaketable.node.events import Event
from shaketable.node.messages import AnyMessage

_NO_POINT: Final = ("Event", "Failed", "Held", "Released", "Stopped", "Started")


def _service(kind: type) -> str:
    return kind.__module__.rpartition(".")[2]


MESSAGES: Final[dict[str, list[str]]] = {}
"""by service, the kinds that can be caught"""
for _kind in AnyMessage.__args__:
    MESSAGES.setdefault(_service(_kind), []).append(str(_kind.__struct_config__.tag))
POINTS: Final[dict[str, list[str]]] = {}
"""by service, the events at which a node can hold"""
for _name, _event in sorted(vars(events).items()):
    if isinstance(_event, type) and issubclass(_event, Event) and _name not in _NO_POINT:
        POINTS.setdefault(_service(_event), []).append(_name)


def services_of(settings: Settings, *, data: bool) -> list[str]:
    """Those that are at work in such a run."""
    if settings.family == GMS:
        return ["gms"]
    merging = settings.merging
    return ["cluster", *["partition"] * data, *["splitbrain"] * merging, *["merging"] * (data and merging)]


def options_of(verb: str, settings: Settings, chance: random.Random, *, data: bool) -> dict[str, Value]:
    times = Times(settings, chance)
    one_way: dict[str, Value] = {"one_way": True} if chance.random() < 0.5 else {}

    def millis(least: int, most: int) -> int:
        return chance.randint(least, max(least, most // MILLISECOND)) * MILLISECOND

    match verb:
        case "cut" | "blackhole":
            return one_way
        case "slow":
            latency = millis(1, 2 * times.beat)
            return {"latency": latency, "jitter": latency // 2 // MILLISECOND * MILLISECOND, **one_way}
        case "thin":
            return {"rate": 1000 * chance.randint(10, 80), **one_way}
        case "flap":
            return {"down": millis(1, times.beat), "up": millis(1, times.beat), **one_way}
        case "isolate" | "split":
            return {"how": chance.choice(["cut", "blackhole"])}
        case "clock":
            jump = chance.choice([0, millis(1, 3 * times.patience)])
            return {"jump": jump, "rate_ppm": chance.randrange(1, 100_000) * chance.choice([1, -1])}
        case "load":
            return {"busy": chance.randint(1, 4)}
        case "drop" | "hold_back" | "delay":
            kind = chance.choice(MESSAGES[chance.choice(services_of(settings, data=data))])
            by: dict[str, Value] = {"by": millis(1, times.patience)} if verb == "delay" else {}
            return {"kind": kind, "count": chance.randint(1, 5), **by}
        case "hold" | "crash_at":
            event = chance.choice(POINTS[chance.choice(services_of(settings, data=data))])
            where: dict[str, Value] = {"event": event, "nth": chance.randint(1, 2)}
            if chance.random() < 0.5:
                where["after"] = chance.randint(0, 2)
            return {**where, HELD: millis(1, times.age)} if verb == CRASH_AT else where
        case "lose_datagrams":
            return {"percent": chance.randint(10, 100), **one_way}
        case "delay_datagrams":
            return {"percent": chance.randint(10, 100), "by": millis(1, times.beat), **one_way}
        case "repeat_datagrams":
            return {"percent": chance.randint(10, 100), "later": millis(1, times.beat), **one_way}
        case "talk":
            return {"every": millis(1, 2 * times.beat)}
        case "work":
            maps = sorted(settings.backup_counts)
            size = chance.choice([0, 100, 2000])
            return {"map": chance.choice(maps), "keys": 6, "size": size, "pause": times.beat // 5}
        case _:
            return {}
