"""Hypothesis strategies for well-formed messages: all that strict decoding lets through, among a few addresses."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
from hypothesis import strategies as st

from shaketable.node import messages as m
from shaketable.node.cluster.partition.table import NO_TABLE, Table
from shaketable.node.messages import ConfigCheck, Identity, Member, MemberList, Message
from shaketable.node.why import Because, Why

KINDS: tuple[type[Message], ...] = m.KINDS
LARGEST = 1 << 60
PARTITIONS = 271
"""the usual number of them: a table with another one is not of this cluster"""
NAMES = st.sampled_from(["data", "precious", "n1.2", "k"])
VALUES = st.binary(max_size=8)
PARTITION = st.integers(0, 5) | st.integers(0, 99_999)
REPLICA = st.integers(0, m.MOST_REPLICAS - 1)


def member(number: int, life: int = 0, lite: bool = False) -> Member:
    return Member(f"127.0.0.1:{5700 + number}", f"{number:08x}-0000-4000-8000-{life:012x}", lite)


def members(addresses: int, lives: int) -> st.SearchStrategy[Member]:
    return st.builds(member, st.integers(1, addresses), st.integers(0, lives - 1), st.booleans())


def member_lists(who: st.SearchStrategy[Member], versions: st.SearchStrategy[int]) -> st.SearchStrategy[MemberList]:
    uuids = who.map(lambda found: found.uuid)
    several = st.lists(who, min_size=1, max_size=6, unique_by=(lambda w: w.address, lambda w: w.uuid)).map(tuple)
    return st.builds(MemberList, versions, uuids, several)


def rows(uuids: st.SearchStrategy[str], least: int = 0) -> st.SearchStrategy[m.Row]:
    """Whose names differ, with gaps."""
    named = st.lists(uuids, min_size=least, max_size=m.MOST_REPLICAS, unique=True)
    return named.flatmap(
        lambda names: st.tuples(*(st.sampled_from([name, name, None]) for name in names)).map(tuple[str | None, ...])
    )


def tables(uuids: st.SearchStrategy[str], versions: st.SearchStrategy[int]) -> st.SearchStrategy[m.TableState]:
    """Of a few different rows, repeated over all partitions."""

    def of(version: int, few: list[m.Row], partitions: int) -> m.TableState:
        if not any(any(row) for row in few) or not version:
            return NO_TABLE.state()
        return Table(version, [few[partition % len(few)] for partition in range(partitions)]).state()

    several = st.lists(rows(uuids), min_size=1, max_size=3)
    return st.builds(of, versions, several, st.sampled_from([PARTITIONS, PARTITIONS, PARTITIONS, 7]))


def migrations(uuids: st.SearchStrategy[str], versions: st.SearchStrategy[int]) -> st.SearchStrategy[m.MigrationInfo]:
    def of(row: m.Row) -> st.SearchStrategy[m.MigrationInfo]:
        index, somebody = st.integers(m.NOWHERE, len(row) - 1), st.none() | uuids
        types = st.sampled_from(get_args(m.MigrationType))
        migration = st.builds(m.Migration, types, somebody, index, index, somebody, index, index)
        return st.builds(m.MigrationInfo, NAMES, uuids, PARTITION, migration, versions, st.just(row))

    return rows(uuids, least=1).flatmap(of)


REASONS: dict[Any, st.SearchStrategy[Any]] = {
    str: st.text(max_size=8),
    Because: (because := st.builds(Because, st.text(max_size=8), st.sampled_from(Why))),
    Because | None: st.none() | because,
}


def messages(
    who: st.SearchStrategy[Member],
    *,
    versions: st.SearchStrategy[int] | None = None,
    requests: st.SearchStrategy[int] | None = None,
    times: st.SearchStrategy[int] | None = None,
    kinds: tuple[type[Message], ...] = KINDS,
) -> st.SearchStrategy[Any]:
    versions = versions if versions is not None else st.integers(1, LARGEST)
    addresses, uuids = who.map(lambda found: found.address), who.map(lambda found: found.uuid)
    by_name: dict[str, st.SearchStrategy[Any]] = {
        "sender": who,
        "into": who,
        "config": st.builds(
            ConfigCheck, st.sampled_from(["dev", "dev", "dev", "prod"]), st.sampled_from([271, 271, 271, 7])
        ),
        "reason": REASONS[str],
        "view": member_lists(who, versions),
        "request": requests if requests is not None else st.integers(0, LARGEST),
        "cluster_time": times if times is not None else st.integers(-LARGEST, LARGEST),
        "version": versions,
        "granted": st.booleans(),
        "final": st.booleans(),
        "master": addresses,
        "addresses": st.lists(addresses, max_size=3).map(tuple),
        "target": uuids,
        "suspected": st.lists(who, max_size=3).map(tuple),
    }
    by_name |= partition_fields(uuids, versions)
    identities = st.builds(Identity, who, st.none() | addresses, versions)
    by_name |= dict.fromkeys(("complainer", "complained_of", "third_party"), identities)

    def of(kind: type[Message]) -> st.SearchStrategy[Any]:
        own = dict(by_name)
        if kind is m.ExplicitSuspicion:
            own["target"] = identities
        if kind is m.Heartbeat:
            own["master"] = st.none() | addresses
        if issubclass(kind, m.GroupMessage):
            own |= group_fields(who, addresses)
        if kind is m.ReignTold or kind in (m.MasterAnswer, m.MasterCollision, m.Notified, m.NotificationsGone):
            own["reign"] = reigns(who)
        if kind is m.HealthHandedOver:
            own |= {"reign": reigns(who), "heard": st.lists(st.tuples(who, st.integers(0, LARGEST))).map(tuple)}
        if kind is m.OperationAnswer:
            own["value"] = st.none() | VALUES
            own["outcome"] = st.sampled_from(["ok", "retry", "refused", "failed"])
        own |= {
            f.name: REASONS[f.type] for f in msgspec.structs.fields(kind) if f.type in REASONS and f.type is not str
        }
        return st.builds(kind, **{f.name: own[f.name] for f in msgspec.structs.fields(kind)})

    return st.sampled_from(kinds).flatmap(of)


def reigns(who: st.SearchStrategy[Member]) -> st.SearchStrategy[m.Reign]:
    numbers = st.integers(0, 6) | st.integers(0, LARGEST)
    formers = st.just("") | who.map(lambda member: member.uuid)
    return st.builds(m.Reign, who, st.integers(-LARGEST, LARGEST), numbers, numbers, formers)


def group_fields(
    who: st.SearchStrategy[Member], addresses: st.SearchStrategy[str]
) -> dict[str, st.SearchStrategy[Any]]:
    """Of the messages of a group, by name. Most are of the group and the domain that a test uses."""
    times = st.integers(0, 9) | st.integers(-LARGEST, LARGEST)
    numbers = st.integers(0, 6) | st.integers(0, LARGEST)
    kinds = st.sampled_from(get_args(m.Kind))
    mine = st.sampled_from(["group", "group", "group", "another"])
    domains = st.sampled_from(["domain", "domain", "domain", "another"])
    seats = st.builds(m.Seat, who, kinds, times, numbers, numbers)
    beats = st.none() | st.builds(m.Beat, st.sampled_from(get_args(m.HealthState)), st.none() | reigns(who))
    views = st.lists(seats, max_size=5, unique_by=lambda seat: seat.member.address).map(tuple)
    notifications = st.builds(
        m.Notification,
        numbers,
        st.sampled_from(get_args(m.Change)),
        st.none() | seats,
        views,
        numbers,
        st.booleans(),
        st.none() | times,
    )
    return {
        "stamp": st.builds(m.Stamp, domains, mine, kinds, times, numbers, beats),
        "state": st.sampled_from(get_args(m.HealthState)),
        "reign": st.none() | reigns(who),
        "about": seats,
        "suspect": seats,
        "heard": st.booleans(),
        "reached": st.booleans(),
        "notification": notifications,
        "former": st.just("") | who.map(lambda member: member.uuid),
        "notifications": st.lists(notifications, max_size=2).map(tuple),
        "again": st.booleans(),
        "after": numbers,
        "doubt": numbers,
        "before": numbers,
        "wants_in": st.booleans(),
        "whole_group": st.booleans(),
        "failed": addresses,
        "expected": st.lists(addresses, max_size=3).map(tuple),
        "body": st.text(max_size=8),
        "master": who,
        "member": who,
    }


def partition_fields(
    uuids: st.SearchStrategy[str], versions: st.SearchStrategy[int]
) -> dict[str, st.SearchStrategy[Any]]:
    """Of the partition service's messages, by name."""
    infos = migrations(uuids, versions)
    replicas = st.lists(st.tuples(PARTITION, REPLICA), max_size=3).map(tuple)
    held = st.lists(st.tuples(NAMES, versions), max_size=3).map(tuple)
    numbers = st.integers(0, 3) | st.integers(0, LARGEST)
    times = st.integers(-LARGEST, LARGEST)
    merging = st.builds(m.MergingEntry, numbers, NAMES, VALUES, times, numbers)
    outcomes = st.sampled_from(["kept", "lost", "there", "changed"])
    merged = st.builds(m.EntryMerged, outcomes, st.none() | st.text(max_size=8), REASONS[Because])
    return {
        "table": tables(uuids, versions),
        "completed": st.lists(st.builds(m.CompletedMigration, infos, st.booleans(), versions), max_size=2).map(tuple),
        "active": st.lists(infos, max_size=2).map(tuple),
        "under_way": st.lists(NAMES, max_size=2).map(tuple),
        "requested": st.integers(0, 3) | st.integers(0, LARGEST),
        "info": infos,
        "stream": NAMES,
        "number": st.integers(0, 3) | st.integers(0, LARGEST),
        "data": VALUES,
        "client": NAMES,
        "does": st.sampled_from(get_args(m.Does)),
        "map": NAMES,
        "key": NAMES,
        "value": VALUES,
        "outcome": st.sampled_from(["ok", "retry"]),
        "updated": st.integers(-LARGEST, LARGEST),
        "hits": st.integers(0, LARGEST),
        "entries": st.lists(merging, min_size=1, max_size=3).map(tuple),
        "results": st.lists(merged, max_size=3).map(tuple),
        "holders": st.lists(uuids, max_size=3).map(tuple),
        "going": st.lists(uuids, max_size=3).map(tuple),
        "table_version": versions,
        "partition": PARTITION,
        "replica": REPLICA,
        "versions": st.lists(st.builds(m.HeldVersions, PARTITION, REPLICA, held), max_size=2).map(tuple),
        "same": replicas,
        "different": replicas,
        **dict.fromkeys(("copied", "ready", "done", "last", "with_next", "has_table", "coming", "goes"), st.booleans()),
    }
