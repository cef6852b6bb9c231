"""The measures of runs: each with its name, words, unit, SQL, and what the settings promise for it.
docs/pipeline-measures.md lists them.

A measure is an expression over one row of a relation (relations.py). It is null if the row is no case of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from shaketable.harness.bounds.cluster import Bounds
from shaketable.node.config import CLUSTER, GMS
from shaketable.node.core.env import Micros
from shaketable.node.why import Why

Promise = Callable[[Bounds, int], tuple[float | None, float | None]]
"""From a run's bounds and its number of nodes: the least and the most; None: nothing is promised there."""

TIME, COUNT, BYTES, PERCENT, RATE = "time", "count", "bytes", "%", "a period"
"""Units; a time is in microseconds."""
BOTH: Final = "both"


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    words: str
    """from what until what; or what is counted in a run"""
    unit: str = TIME
    family: str = BOTH
    """whose runs have it"""
    relation: str
    value: str
    """the expression"""
    promise: Promise | None = None
    promised: str = ""
    """the promise in words"""


class MeasureRow(msgspec.Struct, frozen=True, kw_only=True):
    """One measure of one group of runs. None as script, world, variant, nodes, system or version: of all of them
    together."""

    measure: str
    unit: str
    words: str
    script: str | None = None
    world: str | None = None
    variant: str | None = None
    nodes: int | None = None
    system: str | None = None
    version: str | None = None
    """of the system; "" of ours"""
    n: int
    """how many cases"""
    runs: int
    """in how many runs"""
    total: float
    least: float
    p50: float
    p90: float
    p99: float
    most: float
    exact: bool = True
    """False: there are so many values that the percentiles are of a sketch"""
    promised_least: float | None = None
    promised_most: float | None = None
    """if the runs' settings differ, the widest"""
    outside: int | None = None
    """how many were not as their own run's settings promise; None where nothing is promised"""


def _crash_to_suspicion(bounds: Bounds, nodes: int) -> tuple[Micros, Micros]:
    if bounds.settings.family != GMS:
        return bounds.shortest_grace, bounds.crash
    period = bounds.settings.gms_heartbeat_period
    return bounds.group.shortest_suspicion - period, bounds.group.suspicion + _report(bounds)


def _crash_to_announcement(bounds: Bounds, nodes: int) -> tuple[Micros, Micros]:
    least, most = _crash_to_suspicion(bounds, nodes)
    if bounds.settings.family != GMS:
        return least, most + bounds.settle()
    return least + bounds.group.shortest_verification, bounds.group.take_over_and_failures(0, 1)


def _crash_to_new_master(bounds: Bounds, nodes: int) -> tuple[Micros, Micros]:
    if bounds.settings.family != GMS:
        return bounds.shortest_grace, bounds.crash + bounds.claim
    return _crash_to_suspicion(bounds, nodes)[0] + bounds.group.shortest_verification, bounds.group.take_over()


def _report(bounds: Bounds) -> Micros:
    """One hop more, where it is not the master that watches."""
    return bounds.group.bare.report


def _heartbeats(bounds: Bounds, nodes: int) -> tuple[None, float]:
    return None, bounds.group.heartbeats(nodes)[1] / max(nodes, 1)


def _until(most: Callable[[Bounds], Micros]) -> Promise:
    return lambda bounds, nodes: (None, most(bounds))


def _within(least: Callable[[Bounds], Micros], most: Callable[[Bounds], Micros]) -> Promise:
    return lambda bounds, nodes: (least(bounds), most(bounds))


def _converged(bounds: Bounds) -> Micros:
    merging = bounds.settings.family != GMS and bounds.settings.merging
    return bounds.converge() if merging else bounds.settle()


def _healed(bounds: Bounds) -> Micros:
    return bounds.settle() + bounds.group.heal if bounds.settings.family == GMS else bounds.converge()


_TIMES: Final = (
    Measure(
        name="crash to suspicion",
        words="from a crash until somebody suspects that member",
        relation="crashes",
        value="CASE WHEN suspected >= began AND (suspected <= ended OR ended IS NULL) THEN suspected - began END",
        promise=_crash_to_suspicion,
        promised="cluster: G-r to G+r; group: (K-1)P to (K+1)P+R, in a ring V more",
    ),
    Measure(
        name="crash to announcement",
        words="from a crash until a master removes that member, or tells its failure",
        relation="crashes",
        value="CASE WHEN announced >= began AND (announced <= ended OR ended IS NULL) THEN announced - began END",
        promise=_crash_to_announcement,
        promised="cluster: G-r to G+r and settle; group: V later, to the end of a take-over",
    ),
    Measure(
        name="crash to FAILURE heard",
        words="from a crash until each survivor's application is told",
        family=GMS,
        relation="heard",
        value="CASE WHEN heard >= began AND (heard <= ended OR ended IS NULL) THEN heard - began END",
        promise=_crash_to_announcement,
        promised="the same",
    ),
    Measure(
        name="crash to new master",
        words="from a crash until another member is master",
        relation="crashes",
        value="led - began",
        promise=_crash_to_new_master,
        promised="cluster: ≤ G+r and a claim; group: ≤ a take-over",
    ),
    Measure(
        name="silence to suspicion",
        words="a member's silence until it was suspected for that",
        family=CLUSTER,
        relation="facts",
        value=f"CASE WHEN kind = 'Suspected' AND word = '{Why.NO_HEARTBEAT}' THEN value END",
        promise=_within(lambda b: b.shortest_silence, lambda b: b.silence),
        promised="T-H to T+H",
    ),
    Measure(
        name="confirmation missed",
        words="the time without a confirmation until the master suspected the follower for that",
        family=CLUSTER,
        relation="facts",
        value=f"CASE WHEN kind = 'Suspected' AND word = '{Why.NO_CONFIRMATION}' THEN value END",
        promise=_within(lambda b: b.shortest_no_confirmation, lambda b: b.no_confirmation),
        promised="C-I to C+H",
    ),
    Measure(
        name="silence to failed probe",
        words="a member's silence until a probe of it failed",
        family=GMS,
        relation="facts",
        value="CASE WHEN kind = 'ProbeFailed' THEN value END",
        promise=_within(lambda b: b.group.shortest_suspicion, lambda b: b.group.suspicion),
        promised="KP to (K+1)P+R",
    ),
    Measure(
        name="doubt to failure",
        words="from the doubt of a member until its failure is told",
        family=GMS,
        relation="in_order",
        value="CASE WHEN pair = 'doubt' THEN ended - began END",
        promise=_within(lambda b: b.group.shortest_verification, lambda b: b.group.verification),
        promised="V to V+R",
    ),
    Measure(
        name="claim",
        words="from the start of a mastership claim until its final list",
        family=CLUSTER,
        relation="in_order",
        value="CASE WHEN pair = 'claim' THEN ended - began END",
        promise=_until(lambda b: b.claim),
        promised="≤ T+H",
    ),
    Measure(
        name="convergence",
        words="from the last change of a fault or a node until the last new list",
        relation="ends",
        value="CASE WHEN last_list >= began THEN last_list - began END",
        promise=_until(_converged),
        promised="≤ settle; with split-brain recovery ≤ converge",
    ),
    Measure(
        name="heal",
        words="from the end of all faults until the last new list, if parts became one",
        relation="calms",
        value="CASE WHEN merged = 1 AND broken = 0 AND last_list >= began THEN last_list - began END",
        promise=_until(_healed),
        promised="cluster: ≤ converge; group: ≤ settle and heal",
    ),
    Measure(
        name="merge",
        words="from the end of an identity until its next one has joined the other part",
        family=CLUSTER,
        relation="in_order",
        value="CASE WHEN pair = 'merge' THEN ended - began END",
        promise=_until(lambda b: b.settings.max_join_merge_target + b.allowance),
        promised="≤ the target's time for admission",
    ),
    Measure(
        name="join",
        words="from a member's start until it belongs to a cluster or group",
        relation="keyed",
        value="CASE WHEN pair = 'start' THEN ended - began END",
        promise=_until(lambda b: b.forming),
        promised="≤ forming",
    ),
    Measure(
        name="migration",
        words="from the master's request until it knows that the migration succeeded",
        family=CLUSTER,
        relation="keyed",
        value="CASE WHEN pair = 'migration' AND well = 1 THEN ended - began END",
        promise=_until(lambda b: b.migrations(1)),
        promised="≤ the pause between two tries, of little data",
    ),
    Measure(
        name="migration rolled back",
        words="from the master's request until it knows that the migration failed",
        family=CLUSTER,
        relation="keyed",
        value="CASE WHEN pair = 'migration' AND well = 0 THEN ended - began END",
    ),
    Measure(
        name="plan",
        words="from a master's plan until its table is reached",
        family=CLUSTER,
        relation="in_order",
        value="CASE WHEN pair = 'plan' THEN ended - began END",
    ),
    Measure(
        name="read",
        words="from the call of a get until it succeeds",
        family=CLUSTER,
        relation="keyed",
        value="CASE WHEN pair = 'operation' AND well = 1 AND reads = 1 THEN ended - began END",
        promise=_until(lambda b: b.operation),
        promised="≤ operation timeout, backup timeout and H",
    ),
    Measure(
        name="write",
        words="from the call of a put or a remove until it is acknowledged",
        family=CLUSTER,
        relation="keyed",
        value="CASE WHEN pair = 'operation' AND well = 1 AND reads = 0 THEN ended - began END",
        promise=_until(lambda b: b.operation),
        promised="likewise",
    ),
)


def _sum(name: str, words: str, value: str, *, unit: str = COUNT, family: str = CLUSTER) -> Measure:
    return Measure(name=name, words=words, unit=unit, family=family, relation="sums", value=value)


_AMOUNTS: Final = (
    _sum("operations", "operations that clients began", "called"),
    _sum("operations failed", "of these, how many failed", "100.0 * failed / called", unit=PERCENT),
    _sum(
        "operations of unknown end",
        "of these, how many ended unknown or never ended",
        "100.0 * (called - succeeded - failed) / called",
        unit=PERCENT,
    ),
    _sum("member lists sent", "once for each receiver", "lists"),
    _sum("partition tables sent", "once for each receiver", "tables"),
    _sum("claims asked", "members that were asked to accept a claim", "claims"),
    _sum("explicit suspicions sent", "once for each receiver", "suspicions"),
    _sum("data sent", "by migrations and mended backups", "moved", unit=BYTES),
    _sum("frames dropped", "frames that were no use to their receiver", "dropped", family=BOTH),
    _sum("notifications sent", "once for each receiver", "notifications", family=GMS),
    Measure(
        name="heartbeats",
        words="that a member sends in a period, on average",
        unit=RATE,
        family=GMS,
        relation="sums",
        value="1.0 * beats / periods",
        promise=_heartbeats,
        promised="the policy's formula, when nothing changes",
    ),
)
_WHOLE_RUNS: Final = (
    Measure(
        name="script",
        words="how long the script takes",
        relation="chosen",
        value="duration",
    ),
    Measure(name="events", words="events that were recorded", unit=COUNT, relation="chosen", value="events"),
)

MEASURES: Final = (*_TIMES, *_AMOUNTS, *_WHOLE_RUNS)
BY_NAME: Final = {measure.name: measure for measure in MEASURES}
