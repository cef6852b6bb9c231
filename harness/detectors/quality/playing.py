"""One run as plain data: what is to be measured, and what came of it. Any process can play it."""

from __future__ import annotations

import gc
from typing import Final

import msgspec

from shaketable.harness.detectors.members import NotWhole
from shaketable.harness.detectors.quality.equal import Cost, period_at, with_period
from shaketable.harness.detectors.quality.named import known
from shaketable.harness.detectors.quality.of_a_run import OfRun, measured
from shaketable.harness.detectors.quality.policies import policies
from shaketable.harness.detectors.quality.trial import Trial
from shaketable.harness.detectors.variants import Variant, variants
from shaketable.harness.errors import UserError
from shaketable.node.core.env import Micros


class Chosen(msgspec.Struct, frozen=True):
    """The user has chosen it for all policies."""

    preset: str
    settings: dict[str, str]

    def variant(self, policy: str) -> Variant:
        return policies(variants(self.preset, self.settings))[policy]


class ToMeasure(msgspec.Struct, frozen=True, tag=True):
    chosen: Chosen
    policy: str
    period: Micros | None
    """of the heartbeats; None: that of the settings"""
    members: int
    condition: str
    seed: int


class ToPrice(msgspec.Struct, frozen=True, tag=True):
    """The period is wanted with which a policy costs so much."""

    chosen: Chosen
    policy: str
    members: int
    many: float
    unit: str
    seed: int


Task = ToMeasure | ToPrice


class Done(msgspec.Struct, frozen=True):
    """A run that was asked for, or the trouble that was in its way."""

    run: OfRun | None = None
    period: Micros | None = None
    trouble: str = ""


_task: Final = msgspec.msgpack.Decoder(Task)
_done: Final = msgspec.msgpack.Decoder(Done)


def play(task: Task) -> Done:
    variant = task.chosen.variant(task.policy)
    try:
        if isinstance(task, ToPrice):
            return Done(period=period_at(task.policy, variant, task.members, Cost(task.many, task.unit), task.seed))
        if task.period is not None:
            variant = with_period(variant, task.period)
        trace = Trial(variant, task.members, task.seed, task.condition, known(task.condition)).run()
        return Done(run=measured(trace))
    except (NotWhole, UserError) as trouble:
        return Done(trouble=str(trouble))
    finally:
        gc.collect()  # a world of two hundred is large, and the next one comes


def packed(task: Task) -> bytes:
    return msgspec.msgpack.encode(task)


def played(task: bytes) -> bytes:
    return msgspec.msgpack.encode(play(_task.decode(task)))


def unpacked(done: bytes) -> Done:
    return _done.decode(done)
