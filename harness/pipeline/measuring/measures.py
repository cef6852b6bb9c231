"""The measures of runs: each with its name, words, unit, SQL, the paragraph that it is about, and what the settings
promise for it. docs/pipeline-measures.md lists them.

A measure is an expression over one row of a relation (relations.py). It is null if the row is no case of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from shaketable.harness.bounds.cluster import Bounds
from shaketable.node.config import CLUSTER, GMS, INFERRED, RING
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
    """from what until what; or what is counted, a run"""
    unit: str = TIME
    family: str = BOTH
    """whose runs have it"""
    relation: str
    value: str
    """the expression"""
    about: str
    """the paragraph"""
    promise: Promise | None = None
    promised: str = ""
    """the promise in words"""


class MeasureRow(msgspec.Struct, frozen=True, kw_only=True):
    """One measure of one group of runs. None as script, world, variant or nodes: of all of them together."""

    measure: str
    unit: str
    words: str
    script: str | None = None
    world: str | None = None
    variant: str | None = None
    nodes: int | None = None
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
    """One hop more, in a ring."""
    return bounds.settings.gms_verify_timeout if bounds.settings.gms_detection in (RING, INFERRED) else 0


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
        words="from a crash while nothing else is broken until the first member suspects who crashed",
        relation="crashes",
        value="CASE WHEN suspected >= began AND (suspected <= ended OR ended IS NULL) THEN suspected - began END",
        about="connection problem; group membership 5.4",
        promise=_crash_to_suspicion,
        promised="cluster: the grace less a round, to that and a round; group: (K-1)P to (K+1)P + R, a ring V more",
    ),
    Measure(
        name="crash to announcement",
        words="from such a crash until a master has taken the member off the list, or tells its failure",
        relation="crashes",
        value="CASE WHEN announced >= began AND (announced <= ended OR ended IS NULL) THEN announced - began END",
        about="member removal; group membership 5.4",
        promise=_crash_to_announcement,
        promised="cluster: from the grace less a round, to that and settle; group: V later than suspected, to the "
        "take-over and a failure's time",
    ),
    Measure(
        name="crash to FAILURE heard",
        words="from such a crash until a survivor's application is told, each survivor for itself",
        family=GMS,
        relation="heard",
        value="CASE WHEN heard >= began AND (heard <= ended OR ended IS NULL) THEN heard - began END",
        about="group membership 5.4",
        promise=_crash_to_announcement,
        promised="the same",
    ),
    Measure(
        name="crash to new master",
        words="from such a crash until another member has taken the mastership over, where one does",
        relation="crashes",
        value="led - began",
        about="mastership claim; group membership 5.3",
        promise=_crash_to_new_master,
        promised="cluster: to the grace, a round and a claim; group: to the take-over's time",
    ),
    Measure(
        name="silence to suspicion",
        words="how long nothing was heard of a member when it was suspected for that",
        family=CLUSTER,
        relation="facts",
        value=f"CASE WHEN kind = 'Suspected' AND word = '{Why.NO_HEARTBEAT}' THEN value END",
        about="heartbeat timeout",
        promise=_within(lambda b: b.shortest_silence, lambda b: b.silence),
        promised="T - H to T + H",
    ),
    Measure(
        name="confirmation missed",
        words="how long a follower had not confirmed its master when that one suspected it for it",
        family=CLUSTER,
        relation="facts",
        value=f"CASE WHEN kind = 'Suspected' AND word = '{Why.NO_CONFIRMATION}' THEN value END",
        about="master confirmation timeout",
        promise=_within(lambda b: b.shortest_no_confirmation, lambda b: b.no_confirmation),
        promised="the timeout less an interval of the confirmations, to that and H",
    ),
    Measure(
        name="silence to failed probe",
        words="how long nothing was heard of a member when a probe of it failed",
        family=GMS,
        relation="facts",
        value="CASE WHEN kind = 'ProbeFailed' THEN value END",
        about="group membership 5.4",
        promise=_within(lambda b: b.group.shortest_suspicion, lambda b: b.group.suspicion),
        promised="KP to (K+1)P + R, of who is watched; who is not is asked later",
    ),
    Measure(
        name="doubt to failure",
        words="from the doubt that is told to all until the failure is told",
        family=GMS,
        relation="in_order",
        value="CASE WHEN pair = 'doubt' THEN ended - began END",
        about="group membership 5.4: verification",
        promise=_within(lambda b: b.group.shortest_verification, lambda b: b.group.verification),
        promised="V to V + R",
    ),
    Measure(
        name="claim",
        words="from the start of a mastership claim until its final list, if it was not given up",
        family=CLUSTER,
        relation="in_order",
        value="CASE WHEN pair = 'claim' THEN ended - began END",
        about="mastership claim",
        promise=_until(lambda b: b.claim),
        promised="to T + H: the slowest answer",
    ),
    Measure(
        name="convergence",
        words="from the last thing that was begun or ended until the last new list, where all then hold one list",
        relation="ends",
        value="CASE WHEN last_list >= began THEN last_list - began END",
        about="settled and converged",
        promise=_until(_converged),
        promised="to settle; with split-brain recovery to converge, of two parts",
    ),
    Measure(
        name="heal",
        words="from the moment since which nothing is broken until the last new list, where parts became one",
        relation="calms",
        value="CASE WHEN merged = 1 AND broken = 0 AND last_list >= began THEN last_list - began END",
        about="split-brain recovery; group membership 5.4: heal",
        promise=_until(_healed),
        promised="cluster: to converge, of two parts; group: to settle and heal",
    ),
    Measure(
        name="merge",
        words="from the end of a member's identity until its next one is a member of the other part",
        family=CLUSTER,
        relation="in_order",
        value="CASE WHEN pair = 'merge' THEN ended - began END",
        about="split-brain recovery: merge",
        promise=_until(lambda b: b.settings.max_join_merge_target + b.allowance),
        promised="to the time in which the target has to admit",
    ),
    Measure(
        name="join",
        words="from the start of a member until it belongs to a cluster or group",
        relation="keyed",
        value="CASE WHEN pair = 'start' THEN ended - began END",
        about="joining; group start",
        promise=_until(lambda b: b.forming),
        promised="to forming",
    ),
    Measure(
        name="migration",
        words="from the master's request of a migration until it knows that it has succeeded",
        family=CLUSTER,
        relation="keyed",
        value="CASE WHEN pair = 'migration' AND well = 1 THEN ended - began END",
        about="partition migration",
        promise=_until(lambda b: b.migrations(1)),
        promised="of little data: to the pause between two tries of an operation",
    ),
    Measure(
        name="migration rolled back",
        words="from the request of a migration until its master knows that it has failed",
        family=CLUSTER,
        relation="keyed",
        value="CASE WHEN pair = 'migration' AND well = 0 THEN ended - began END",
        about="migration rollback",
    ),
    Measure(
        name="plan",
        words="from a master's plan until the table is as it was to be, if it was not cancelled",
        family=CLUSTER,
        relation="in_order",
        value="CASE WHEN pair = 'plan' THEN ended - began END",
        about="repartitioning",
    ),
    Measure(
        name="read",
        words="from the call of a get until it has returned well",
        family=CLUSTER,
        relation="keyed",
        value="CASE WHEN pair = 'operation' AND well = 1 AND reads = 1 THEN ended - began END",
        about="operations",
        promise=_until(lambda b: b.operation),
        promised="to the operation timeout, the backup timeout and H",
    ),
    Measure(
        name="write",
        words="from the call of a put or a remove until it is acknowledged",
        family=CLUSTER,
        relation="keyed",
        value="CASE WHEN pair = 'operation' AND well = 1 AND reads = 0 THEN ended - began END",
        about="operations",
        promise=_until(lambda b: b.operation),
        promised="likewise",
    ),
)


def _sum(name: str, words: str, value: str, about: str, *, unit: str = COUNT, family: str = CLUSTER) -> Measure:
    return Measure(name=name, words=words, unit=unit, family=family, relation="sums", value=value, about=about)


_AMOUNTS: Final = (
    _sum("operations", "operations that clients began, a run", "called", "operations"),
    _sum(
        "operations failed", "of these: were told to have failed", "100.0 * failed / called", "operations", unit=PERCENT
    ),
    _sum(
        "operations of unknown end",
        "of these: ended unknown, or were not told to have ended",
        "100.0 * (called - succeeded - failed) / called",
        "operations",
        unit=PERCENT,
    ),
    _sum("member lists sent", "to each member that a list is sent to, a run", "lists", "member list publish"),
    _sum("partition tables sent", "to each member that a table is sent to, a run", "tables", "partition table publish"),
    _sum("claims asked", "members asked to accept a claim, a run", "claims", "mastership claim"),
    _sum("explicit suspicions sent", "a run", "suspicions", "explicit suspicion"),
    _sum(
        "data sent",
        "of migrations and mended backups, repeated chunks included, a run",
        "moved",
        "migration streams",
        unit=BYTES,
    ),
    _sum("frames dropped", "that were no use to their receiver, a run", "dropped", "transport", family=BOTH),
    _sum(
        "notifications sent",
        "to each member that one is sent to, a run",
        "notifications",
        "master notifications",
        family=GMS,
    ),
    Measure(
        name="heartbeats",
        words="that a member sends in a period, a run's mean",
        unit=RATE,
        family=GMS,
        relation="sums",
        value="1.0 * beats / periods",
        about="group membership 5.5: message cost",
        promise=_heartbeats,
        promised="to the policy's formula for so many members, when nothing changes",
    ),
)
_WHOLE_RUNS: Final = (
    Measure(
        name="script",
        words="how long the script takes, of its world's own time",
        relation="chosen",
        value="duration",
        about="a script's own waits: until, expect",
    ),
    Measure(
        name="events", words="that were recorded, a run", unit=COUNT, relation="chosen", value="events", about="history"
    ),
)

MEASURES: Final = (*_TIMES, *_AMOUNTS, *_WHOLE_RUNS)
BY_NAME: Final = {measure.name: measure for measure in MEASURES}
