"""How the stories of tests/data/core write partition tables, migrations and what is told of them (interaction.py).

    t5[ABC,BC-]                     a table: version 5, partition 0 with its owner A and the backups B and C, partition
                                    1 with owner B and one backup; - is nobody
    A1:p0:MOVE:A0>-:D->0:t5[ABC]    a migration: the first that A planned, of partition 0, from who holds index 0 and
                                    then none, to D, who holds none and then index 0; the version and row it started at
    A1:p0:COPY:-:D->1:t5[A-C]       nobody gives an index up
    A1=done@6 · A1=failed@7         how it ended, and with which version of the table

Once a story has named a migration in full, A1 is enough."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec
from tests.notation.interaction_merging import ENTRIES, entries_written
from tests.notation.interaction_names import member, name_by_uuid
from tests.reasons import reason_in

from shaketable.node import messages as m
from shaketable.node.cluster.member import ClusterMember
from shaketable.node.cluster.partition.state import PartitionState
from shaketable.node.cluster.partition.table import FIRST, NO_TABLE, Table
from shaketable.node.events import cluster
from shaketable.node.messages import NOWHERE, CompletedMigration, Migration, MigrationInfo, Row, TableState

OF_MIGRATIONS = {"migration", "stream", "migrations", "committed", "rolled_back", "under_way"}
POSITIVE = "StartCopyAnswer", "MigrationCommitAnswer", "MigrationAnswer"
HOLDERS = {"holders", "going"}
QUIET = {
    "chunks": ("Chunk", "ChunkReceived", "ChunkSent", "ChunkArrived"),
    "safety": ("SafetyChanged",),
    "messages": tuple(kind.__name__ for kind in m.KINDS),
    "links": ("LinkUp", "LinkDown", "LinkClosed"),
    "cluster": tuple(name for name, kind in vars(cluster).items() if isinstance(kind, type)),
}
"""what `hide` takes for several kinds of messages and events"""

KNOWN: dict[str, MigrationInfo] = {}
"""of the story that is told: every migration that was named"""


def row_written(row: Row) -> str:
    return "".join(name_by_uuid(uuid) if uuid else "-" for uuid in row) or "-"


def table_written(table: Table) -> str:
    return f"t{table.version}[{','.join(map(row_written, table.rows))}]"


def id_written(name: str) -> str:
    """Of one that is numbered by its master; else as it is."""
    found = re.fullmatch(r"([0-9a-f]{8})-(\d+)", name)
    return f"{name_by_uuid(found[1] + '-000000000000')}{found[2]}" if found else name


def place_written(who: str | None, now: int, then: int) -> str:
    before, after = ("-" if index == NOWHERE else str(index) for index in (now, then))
    return f"{name_by_uuid(who)}{before}>{after}" if who else "-"


def info_written(info: MigrationInfo) -> str:
    KNOWN[id_written(info.id)] = info
    each = info.migration
    source = place_written(each.source, each.source_current_index, each.source_new_index)
    destination = place_written(each.destination, each.destination_current_index, each.destination_new_index)
    kind = each.type.replace(" ", "_")
    at = f"t{info.version}[{row_written(info.row)}]"
    return f"{id_written(info.id)}:p{info.partition}:{kind}:{source}:{destination}:{at}"


def completed_written(entry: CompletedMigration) -> str:
    info_written(entry.info)
    return f"{id_written(entry.info.id)}={'done' if entry.successful else 'failed'}@{entry.version}"


def plan_written(partition: int, now: Row, then: Row, ids: tuple[str, ...]) -> str:
    return f"p{partition} {row_written(now)}>{row_written(then)} by {' '.join(map(id_written, ids))}"


def held_written(partition: int, index: int, maps: tuple[tuple[str, int, int, int], ...]) -> str:
    """The version and the checksum of a map are left out."""
    entries = [f" {name}: {many}" for name, _, many, _ in maps]
    return f"p{partition} at {'-' if index == NOWHERE else index}{','.join(entries)}"


def version_written(name: str, version: int) -> str:
    """The first write of an owner that was promoted with table 6 is 6.1."""
    owner, count = divmod(version, 1 << 32)
    return f"{name} {owner}.{count}" if owner else f"{name} {count}"


def maps_written(maps: tuple[tuple[str, int], ...]) -> str:
    return ", ".join(version_written(*each) for each in maps)


def partition_value(name: str, what: object) -> str | None:
    """None: it is nothing of the partition service."""
    match what:
        case TableState():
            return table_written(Table.of(what, NO_TABLE))
        case MigrationInfo():
            return info_written(what)
        case CompletedMigration():
            return completed_written(what)
        case bytes():
            return f"{len(what)}B"
        case str() if name in OF_MIGRATIONS:
            return id_written(what)
        case tuple() if name == "rows":
            return f"[{','.join(f'p{partition} {row_written(row)}' for partition, row in what)}]"
        case tuple() if name == "plans":
            return f"[{', '.join(plan_written(*plan) for plan in what)}]"
        case tuple() if name == "holds":
            return f"[{', '.join(held_written(*each) for each in what)}]"
        case tuple() if name == "versions":
            return f"[{', '.join(f'p{each.partition} at {each.replica}: {maps_written(each.maps)}' for each in what)}]"
        case tuple() if name in ("same", "different"):
            return f"[{', '.join(f'p{partition} at {replica}' for partition, replica in what)}]"
        case tuple() if name == "maps":
            return f"[{maps_written(what)}]"
        case tuple() if name in ENTRIES:
            return entries_written(what)
        case tuple() if name == "partitions":
            return f"[{','.join(map(str, what))}]"
        case tuple() if name in HOLDERS:
            return row_written(what)
        case tuple() if what and isinstance(what[0], MigrationInfo | CompletedMigration):
            return f"[{','.join(filter(None, (partition_value('', each) for each in what)))}]"
        case tuple() if name in OF_MIGRATIONS | {"completed", "active"}:
            return f"[{','.join(map(id_written, what))}]"
    return None


def believed(state: PartitionState) -> str:
    """What one member believes of the partitions."""
    active = [
        f"{id_written(each.info.id)} as {'owner' if each.owns else 'destination'}" for each in state.active.values()
    ]
    completed = [completed_written(entry) for entry in state.completed.values()]
    return ", ".join(
        [
            table_written(state.table),
            *["active: " + " ".join(active)] * bool(active),
            *["completed: " + " ".join(completed)] * bool(completed),
            *["searching"] * state.searching,
        ]
    )


def give(who: ClusterMember, table: Table) -> None:
    """A follower gets it from its master; a master has it as its own. Nobody was promoted by it: so it was assigned."""
    if table.version > FIRST:
        give(who, Table(FIRST, table.rows))
    ms, parts = who.membership, who.partitions
    assert ms.master is not None
    if ms.master is ms.me:
        parts.publishing.change(table, "given", {}, (), reason_in("given"))
    else:
        who.receive(m.PublishTable(ms.master, ms.me.uuid, table.state(), ()))


def assign(who: ClusterMember) -> None:
    """As if somebody at the master wanted to use the data: this message it sends to itself."""
    who.partitions.receive(m.AssignPartitions(who.me))


def plan(who: ClusterMember, text: str, *, now: bool) -> None:
    """The rows that its repartitioning is to answer; where somebody in them has left, or is leaving, all stays."""
    wanted = table("t0" + text).rows
    control = who.partitions.control

    def targets(rows: Iterable[Row], members: list[str]) -> list[Row]:
        return [
            then if all(each in members for each in then) else present
            for then, present in zip(wanted, rows, strict=True)
        ]

    control._targets = targets  # type: ignore[method-assign]
    if now:
        control.begin(reason_in("the story wants a plan"))


# And back


def row(text: str) -> Row:
    return tuple(None if each == "-" else member(each).uuid for each in re.findall(r"-|[A-Z]'*", text))


def table(text: str) -> Table:
    found = re.fullmatch(r"t(\d+)\[([^\]]*)\]", text)
    if found is None:
        raise ValueError(f"{text} is no table: t5[ABC,BC-]")
    return Table(int(found[1]), [row(each) for each in found[2].split(",")] if found[2] else [])


def _place(text: str) -> tuple[str | None, int, int]:
    if text == "-":
        return None, NOWHERE, NOWHERE
    found = re.fullmatch(r"([A-Z]'*)([-0-6])>([-0-6])", text)
    if found is None:
        raise ValueError(f"{text} is no change of an index: D->0")
    now, then = (NOWHERE if each == "-" else int(each) for each in found.groups()[1:])
    return member(found[1]).uuid, now, then


def info(text: str) -> MigrationInfo:
    if text in KNOWN:
        return KNOWN[text]
    name, partition, kind, source, destination, at = text.split(":")
    master = member(name.rstrip("0123456789")).uuid
    planned = table(at)
    migration = Migration(kind.replace("_", " "), *_place(source), *_place(destination))  # type: ignore[arg-type]
    number = int(name.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ'"))
    made = MigrationInfo(
        f"{master[:8]}-{number}", master, int(partition[1:]), migration, planned.version, planned.rows[0], number
    )
    KNOWN[name] = made
    return made


def completed(text: str) -> tuple[CompletedMigration, ...]:
    entries = []
    for each in filter(None, text.strip("[]").split(",")):
        name, _, end = each.partition("=")
        how, _, version = end.partition("@")
        entries.append(CompletedMigration(info(name), how == "done", int(version)))
    return tuple(entries)


def no_data(state: PartitionState) -> bytes:
    """What a partition's owner sends that holds nothing."""
    nothing = msgspec.msgpack.encode([])
    return msgspec.msgpack.encode(tuple(nothing for _ in state.services))


def usual(kind: str, state: PartitionState, version: int) -> dict[str, Any]:
    """What a sound sender would say, if the story does not."""
    return {
        "version": state.table.version if kind == "TableAcknowledged" else version,
        "completed": (),
        "active": (),
        "under_way": (),
        "requested": 0,
        "copied": True,
        "ready": True,
        "done": True,
        "number": 1,
        "data": no_data(state),
        "last": True,
        "with_next": False,
        "refusal": "",
        "has_table": False,
        "table_version": state.table.version,
        "going": tuple(state.membership.known),
        "goes": True,
        **({"final": True, "reason": ""} if kind in POSITIVE else {}),
    }


def value_of(kind: str, name: str, text: str) -> Any:
    """NotImplemented: it is nothing of the partition service."""
    match name:
        case "table":
            return table(text).state()
        case "info":
            return info(text)
        case "completed":
            return completed(text)
        case "active":
            return tuple(info(each) for each in text.strip("[]").split(",") if each)
        case "under_way":
            return tuple(info(each).id for each in text.strip("[]").split(",") if each)
        case "stream":
            return info(text).id if text in KNOWN else text
        case "number" | "requested" | "table_version":
            return int(text)
        case "going":
            return row(text)
        case "data":
            return text.encode()
        case "copied" | "ready" | "done" | "last" | "with_next" | "has_table" | "goes":
            return text == "yes"
        case _:
            return NotImplemented
