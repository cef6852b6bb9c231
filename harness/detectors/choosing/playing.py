"""One run of a search as plain data: what is to be played, and what came of it. Any process can play it."""

from __future__ import annotations

import gc
from typing import Final

import msgspec

from shaketable.harness.detectors.choosing.question import faults_in
from shaketable.harness.detectors.choosing.vigil import Seen, Vigil
from shaketable.harness.detectors.members import NotWhole
from shaketable.harness.detectors.quality.beliefs import beliefs
from shaketable.harness.detectors.quality.measures import detection
from shaketable.harness.detectors.quality.named import known
from shaketable.harness.detectors.quality.of_a_run import NEVER
from shaketable.harness.detectors.quality.policies import policies
from shaketable.harness.detectors.quality.trial import Trial
from shaketable.harness.detectors.variants import Variant, variants
from shaketable.harness.detectors.workload import cycle
from shaketable.node.core.env import SECOND, Micros


class Task(msgspec.Struct, frozen=True):
    policy: str
    preset: str
    settings: dict[str, str]
    members: int
    condition: str
    every: Micros
    """each member sleeps once in so long a time"""
    seed: int
    crashes: bool
    """members crash, and it is measured how soon that is told, and what is sent without crashes; else nobody crashes,
    and it is counted who is removed"""
    silences: bool = False
    """members are silenced, too"""
    portions: int = 1
    """of sleeps and silences in this run"""


class Crashes(msgspec.Struct):
    """The figures of a run with crashes."""

    told: list[Micros]
    """of each crash, until the last survivor has removed the member; NEVER: one has not"""
    messages: float
    bytes: float
    """that a member sends in a second, where nobody crashes or sleeps"""
    most: float
    """messages that the busiest member sends in a second then, or receives if that is more"""


class Done(msgspec.Struct):
    """One of the two, by what was asked. None of them: the members came to no common list."""

    seen: Seen | None = None
    crashes: Crashes | None = None


_task: Final = msgspec.msgpack.Decoder(Task)
_done: Final = msgspec.msgpack.Decoder(Done)


def play(task: Task) -> Done:
    variant = policies(variants(task.preset, task.settings))[task.policy]
    try:
        if task.crashes:
            return Done(crashes=_crashes(task, variant))
        faults = faults_in(task.condition, task.every)
        vigil = Vigil(
            variant, task.members, task.seed, faults, silences=task.silences, portions=task.portions
        )  # fmt: skip
        return Done(seen=vigil.run())
    except NotWhole:
        return Done()
    finally:
        gc.collect()  # a world of two hundred is large, and the next one comes


def _crashes(task: Task, variant: Variant) -> Crashes:
    trace = Trial(variant, task.members, task.seed, task.condition, known(task.condition)).run()
    removed = beliefs(trace.records, trace.gone, trace.end, doubts=False)
    found = [detection(removed, uuid, until) for uuid, until in trace.looked_until.items()]
    told = [NEVER if each.last is None else each.last for each in found if each is not None]
    return Crashes(told, *_cost(task, variant))


def _cost(task: Task, variant: Variant) -> tuple[float, float, float]:
    """In the life that was asked about crashes and sleeps are rare. In a run with crashes they are not."""
    always = faults_in(task.condition, task.every).always
    lasts = cycle(variant.settings) * variant.settings.gms_heartbeat_period
    trace = Trial(variant, task.members, task.seed, always, known(always)).run(without_crashes=lasts)
    seconds, sent = (trace.end - trace.begin) / SECOND, trace.sent
    assert sent is not None, "a simulated run counts what is sent"
    of_each = seconds * task.members
    return sent.messages / of_each, sent.bytes / of_each, sent.most / seconds


def packed(task: Task) -> bytes:
    return msgspec.msgpack.encode(task)


def played(task: bytes) -> bytes:
    return msgspec.msgpack.encode(play(_task.decode(task)))


def unpacked(done: bytes) -> Done:
    return _done.decode(done)
