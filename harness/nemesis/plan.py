"""A fault plan: what is done to which nodes, when and for how long, and how the run ends. Plain data, JSON both ways.

Times count from the moment when all have formed. In the safety phase deeds may overlap. At its end, all faults that
still last end, and dead nodes return. In the calm phase after it, the cluster must show liveness."""

from __future__ import annotations

from typing import Final

import msgspec

from shaketable.harness.errors import UserError
from shaketable.node.core.env import Micros

SCHEMA: Final = 1
Value = str | int | bool
Setting = str | int | float | bool


class Deed(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One thing that is done. deeds.py has the verbs and what each of them takes."""

    at: Micros
    verb: str
    on: tuple[str, ...] = ()
    """a node; the first end of a link; one part of a split"""
    to: tuple[str, ...] = ()
    """the other end, the other part; of a filter the receivers, none: all"""
    lasts: Micros | None = None
    """None: until the safety phase is over; of a kill or a leave: for good"""
    options: dict[str, Value] = {}


class Plan(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    schema: int = SCHEMA
    family: str
    nodes: tuple[str, ...]
    """that form, in the order of their ages"""
    settings: dict[str, Setting] = {}
    """by outside names, where they differ from the preset's: kept with a plan, so that it can be played elsewhere"""
    deeds: tuple[Deed, ...] = ()
    """in the order of their times"""
    storm: Micros
    """how long the safety phase is"""
    ending: str
    """what the calm phase asks for: a name in endings.py"""
    awake: int = 3
    """so many nodes stay up and awake: for a plan that is made of this one"""

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(sorted({deed.verb for deed in self.deeds}))

    def ends(self, deed: Deed) -> Micros:
        return self.storm if deed.lasts is None else min(deed.at + deed.lasts, self.storm)


def to_json(plan: Plan) -> str:
    return msgspec.json.encode(plan).decode()


def from_json(text: str | bytes) -> Plan:
    try:
        plan = msgspec.json.decode(text, type=Plan)
    except msgspec.MsgspecError as error:
        raise UserError(f"this is no fault plan: {error}") from None
    if plan.schema > SCHEMA:
        raise UserError(f"this fault plan has schema {plan.schema}, and {SCHEMA} is the newest that is known here")
    return plan
