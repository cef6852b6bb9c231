"""The measures once more, in plain Python over one history after the other: what the SQL is held against."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from shaketable.harness.history.history import History
from shaketable.harness.records import (
    FabricRestored,
    FabricTrouble,
    FaultAsked,
    FaultEnded,
    FaultTook,
    NodeEnded,
    NodeSpawned,
    Record,
)
from shaketable.node import events as e
from shaketable.node.events import Event
from shaketable.node.why import Why

Sample = tuple[str, float]
GOES_ON = 10**18


def samples_of(history: History) -> Iterator[Sample]:
    records = [record for record in history.records if record.time <= history.end]
    yield from _silences(records)
    yield from _named(records)
    yield from _in_order(records)
    yield from _amounts(records)
    yield from _calms(history, records)
    yield "script", history.end
    yield "events", len(history.records)


def _silences(records: list[Record]) -> Iterator[Sample]:
    for record in records:
        match record.event:
            case e.Suspected(why=Why.NO_HEARTBEAT, silence=silence) if silence is not None:
                yield "silence to suspicion", silence
            case e.Suspected(why=Why.NO_CONFIRMATION, silence=silence) if silence is not None:
                yield "confirmation missed", silence
            case e.ProbeFailed(silence=silence) if silence is not None:
                yield "silence to failed probe", silence


def _named(records: list[Record]) -> Iterator[Sample]:
    """By who did it and what it is called."""
    begun: dict[tuple[object, ...], tuple[int, str]] = {}
    for record in records:
        who = record.incarnation
        match record.event:
            case e.Started():
                begun[who, "start"] = record.time, "join"
            case e.Joined() if (who, "start") in begun:
                yield "join", record.time - begun.pop((who, "start"))[0]
            case e.MigrationRequested(_, info):
                begun[who, info.id] = record.time, "migration"
            case e.MigrationFinished() as end if (who, end.migration) in begun:
                name = "migration" if end.successful else "migration rolled back"
                yield name, record.time - begun.pop((who, end.migration))[0]
            case e.OperationCalled() as call:
                begun[who, call.client, call.number] = record.time, "read" if call.does == "get" else "write"
            case e.OperationReturned() as end if end.outcome == "ok":
                began, name = begun[who, end.client, end.number]
                yield name, record.time - began


def _in_order(records: list[Record]) -> Iterator[Sample]:
    """What is open, by who does it; the next word on it ends it, well or not."""
    opened: dict[tuple[str, ...], int] = {}
    for record in records:
        who, node = record.incarnation, record.node
        match record.event:
            case e.ClaimStarted():
                opened["claim", who] = record.time
            case e.ClaimFinished() if ("claim", who) in opened:
                yield "claim", record.time - opened.pop(("claim", who))
            case e.Merging():
                opened["merge", node] = record.time
            case e.Merged() if ("merge", node) in opened:
                yield "merge", record.time - opened.pop(("merge", node))
            case e.PartitionsPlanned():
                opened["plan", who] = record.time
            case e.PlanCancelled():
                opened.pop(("plan", who), None)
            case e.PlanDone() if ("plan", who) in opened:
                yield "plan", record.time - opened.pop(("plan", who))
            case e.HealthAnnouncedToAll(peer, "in doubt"):
                opened["doubt", who, peer.uuid] = record.time
            case e.HealthAnnouncedToAll(peer, "alive"):
                opened.pop(("doubt", who, peer.uuid), None)
            case e.NotificationPublished(peer=peer, change="master change") if peer is not None:
                opened.pop(("doubt", who, peer.uuid), None)
            case e.NotificationPublished(peer=peer, change="failure") if peer is not None:
                if ("doubt", who, peer.uuid) in opened:
                    yield "doubt to failure", record.time - opened.pop(("doubt", who, peer.uuid))


def _amounts(records: list[Record]) -> Iterator[Sample]:
    told: dict[type[Event], list[Record]] = {}
    for record in records:
        told.setdefault(type(record.event), []).append(record)

    def total(kind: type[Event], field: str) -> int:
        return sum(getattr(record.event, field) for record in told.get(kind, ()))

    sums = {
        "member lists sent": (e.ViewPublished, "to"),
        "partition tables sent": (e.TablePublished, "to"),
        "notifications sent": (e.NotificationPublished, "to"),
        "data sent": (e.ChunkSent, "bytes"),
        "frames dropped": (e.FramesDropped, "count"),
    }
    for name, (kind, field) in sums.items():
        if kind in told:
            yield name, total(kind, field)
    if e.ClaimAsked in told:
        yield "claims asked", len(told[e.ClaimAsked])
    if e.ExplicitSuspicionSent in told:
        yield "explicit suspicions sent", len(told[e.ExplicitSuspicionSent])
    if e.HeartbeatsCounted in told:
        yield "heartbeats", total(e.HeartbeatsCounted, "sent") / total(e.HeartbeatsCounted, "periods")
    if e.OperationCalled in told:
        called = len(told[e.OperationCalled])
        ends = [record.event for record in told.get(e.OperationReturned, ())]
        failed = sum(isinstance(end, e.OperationReturned) and end.outcome == "failed" for end in ends)
        well = sum(isinstance(end, e.OperationReturned) and end.outcome == "ok" for end in ends)
        yield "operations", called
        yield "operations failed", 100 * failed / called
        yield "operations of unknown end", 100 * (called - failed - well) / called


def _calms(history: History, records: list[Record]) -> Iterator[Sample]:
    disturbing = list(_disturbing(records))
    for place, (began, at_once) in enumerate(disturbing):
        ended = disturbing[place + 1][0] if place + 1 < len(disturbing) else GOES_ON
        within = [record for record in records if began < record.time <= ended]
        lists = [record.time for record in within if isinstance(record.event, e.ViewInstalled)]
        if _broken(records, began):
            continue
        if any(isinstance(record.event, e.Merged | e.LeadershipYielded) for record in within):
            yield "heal", lists[-1] - began
        if ended == GOES_ON and lists and _one_list(history):
            yield "convergence", lists[-1] - began
        match at_once:
            case [Record(event=NodeEnded(peer=node, reason="killed"))]:
                yield from _crash(history, within, began, node, ended)


def _crash(history: History, within: list[Record], began: int, node: str, ended: int) -> Iterator[Sample]:
    victims = [r for r in history.of(e.Started) if r.node == node and r.time <= began]
    victim = victims[-1].incarnation
    about = [r for r in history.records if getattr(getattr(r.event, "peer", None), "uuid", "") == victim]
    suspected = [r.time for r in about if isinstance(r.event, e.Suspected)]
    announced = [
        r.time
        for r in about
        if isinstance(r.event, e.MemberRemoved)
        or (isinstance(r.event, e.NotificationPublished) and r.event.change == "failure")
    ]
    for name, times in (("crash to suspicion", suspected), ("crash to announcement", announced)):
        if times and began <= times[0] <= min(ended, history.end):
            yield name, times[0] - began
    heard: dict[str, int] = {}
    for r in about:
        if isinstance(r.event, e.Signalled) and r.event.signal == "FAILURE" and r.time <= history.end:
            heard.setdefault(r.incarnation, r.time)
    for time in heard.values():
        if began <= time <= ended:
            yield "crash to FAILURE heard", time - began
    led = [r.time for r in within if isinstance(r.event, e.ClaimFinished | e.LeadershipTaken)]
    if led and (suspected or announced):
        yield "crash to new master", led[0] - began


def _disturbing(records: list[Record]) -> Iterator[tuple[int, list[Record]]]:
    """Times, and what was begun or ended then. A kill is told by the end of the process."""
    kills = {r.event.fault for r in records if isinstance(r.event, FaultAsked) and r.event.verb == "kill"}
    kinds = NodeSpawned | NodeEnded | FabricTrouble | FabricRestored | FaultTook | FaultEnded
    chosen = [r for r in records if isinstance(r.event, kinds) and getattr(r.event, "fault", None) not in kills]
    for time, each in groupby(chosen, lambda record: record.time):
        yield time, list(each)


def _broken(records: list[Record], time: int) -> bool:
    lasting = {r.event.fault for r in records if isinstance(r.event, FaultAsked) and r.event.lasts}
    on: set[int] = set()
    for record in records:
        match record.event:
            case FaultTook(fault) if record.time <= time and fault in lasting:
                on.add(fault)
            case FaultEnded(fault) if record.time <= time:
                on.discard(fault)
    return bool(on)


def _one_list(history: History) -> bool:
    alive: dict[str, bool] = {}
    lists: dict[str, tuple[int, str]] = {}
    for record in history.records:
        match record.event:
            case NodeSpawned(peer):
                alive[peer] = True
            case NodeEnded(peer):
                alive.pop(peer, None)
            case e.ViewInstalled() as view if record.time <= history.end:
                lists[record.node] = view.version, view.author
    return all(node in lists for node in alive) and len({lists[node] for node in alive}) == 1
