"""The events of the partition service in words: the table, migrations, operations on the data. A part of words.py."""

from __future__ import annotations

from shaketable.harness.history.names import Names
from shaketable.node import events as e
from shaketable.node.events import Event
from shaketable.node.messages import NOWHERE, Migration, Row


def said_of_partitions(event: Event, names: Names) -> str:
    """Without its subject; "" for an event of another service."""
    return _of_the_table(event, names) or _of_migrations(event, names) or _of_the_data(event, names)


def _of_the_table(event: Event, names: Names) -> str:
    member, migrations = names.member, names.migrations
    match event:
        case e.TableChanged(version, _, change, rows, reason):
            what = f", {several(len(rows), 'row')}" if rows else ""
            if len(rows) == 1:
                what = f", partition {rows[0][0]} is {_row(rows[0][1], names)}"
            return f"has table {version}: {change}{what}{_because(reason)}"
        case e.TablePublished(version, _, to, completed):
            return f"publishes table {version} to {several(to, 'member')}{_because(migrations(completed))}"
        case e.TableInstalled(version, _, master, _, reason):
            return f"installs table {version} of {member(master)}{_because(reason)}"
        case e.TableRefused(version, peer, put_off, reason):
            return f"{'puts off' if put_off else 'refuses'} table {version} of {member(peer)}{_because(reason)}"
        case e.TableSearchBegan(members):
            return f"looks for the most recent table, at {names.members(members)}"
        case e.TableFetched(peer, version, completed, active):
            parts = [f"completed: {migrations(completed)}"] * bool(completed)
            parts += [f"active: {migrations(active)}"] * bool(active)
            return f"gets table {version} of {member(peer)}{_because('; '.join(parts))}"
        case e.TableHandedOver(peer, version):
            return f"tells {member(peer)}, its new master, its table {version}"
        case e.TableSearchEnded(version, peer, committed, rolled_back):
            ends = f", commits {migrations(committed)}" if committed else ""
            ends += f", rolls back {migrations(rolled_back)}" if rolled_back else ""
            return f"has found the most recent table, {version} of {member(peer)}{ends}"
        case e.PartitionLost(partition, version):
            return f"LOSES partition {partition}: all who held it are gone (table {version})"
        case e.ReplicaPromoted(partition, replica, version):
            was = f"from index {replica} " if replica != NOWHERE else ""
            return f"is promoted {was}to owner of partition {partition} by table {version}"
        case e.CompletedDropped(dropped):
            return f"drops what all know to be completed: {migrations(dropped)}"
        case e.PartitionsPlanned(version, plans, count):
            where = f"of {several(len(plans), 'partition')}"
            if len(plans) == 1:
                partition, before, after, _ = plans[0]
                where = f"of partition {partition}, {_row(before, names)} to {_row(after, names)}"
            return f"plans {several(count, 'migration')} {where}, from table {version}"
        case e.PlanCancelled(count, reason):
            return f"cancels {several(count, 'migration')} on its queue{_because(reason)}"
        case e.PlanDone(version):
            return f"has carried out its plan, with table {version}"
    return ""


def _of_migrations(event: Event, names: Names) -> str:
    member, one = names.member, names.migration
    match event:
        case e.MigrationRequested(partition, info):
            what = in_short(info.migration, names)
            return f"asks for migration {one(info.id)} of partition {partition}: {what}"
        case e.MigrationRefused(partition, migration, peer, final, reason):
            refuses = "refuses" if final else "puts off"
            return f"{refuses} migration {one(migration)} of partition {partition} to {member(peer)}{_because(reason)}"
        case e.MigrationBegan(partition, migration, role):
            return f"takes part in migration {one(migration)} of partition {partition} as {role}"
        case e.ChunkSent(peer, stream, number, size, total):
            return f"sends chunk {number} of {one(stream)} to {member(peer)} ({size} of {total} bytes)"
        case e.ChunkArrived(peer, stream, number, size, last):
            end = ", the last" if last else ""
            return f"gets chunk {number} of {one(stream)} from {member(peer)} ({size} bytes{end})"
        case e.ChunkRefused(peer, stream, number, reason):
            return f"refuses chunk {number} of {one(stream)} from {member(peer)}{_because(reason)}"
        case e.MigrationCopied(partition, migration, copied, reason):
            told = "hears that the data of" if copied else "hears of no copy for"
            there = " are copied" if copied else ""
            return f"{told} migration {one(migration)} of partition {partition}{there}{_because(reason)}"
        case e.CommitSent(partition, migration, peer, version):
            what = f"migration {one(migration)} of partition {partition}"
            return f"sends {member(peer)} the commit of {what}, in table {version}"
        case e.MigrationFinished(partition, migration, role, successful, version, current, new):
            end = "has committed" if successful else "has rolled back"
            index = f", index {_index(current)} to {_index(new)}" if current != new else ""
            return f"{end} migration {one(migration)} of partition {partition} as {role} in table {version}{index}"
        case e.ReplicaDropped(partition, replica, new_index, migration, version, reason):
            keeps = "all" if new_index < 0 else f"what index {new_index} does not hold"
            by = f"migration {one(migration)}" if migration else "the table alone"
            of = f"partition {partition}, index {replica}"
            return f"deletes {keeps} of {of}, by {by}, in table {version}{_because(reason)}"
    return ""


def _of_the_data(event: Event, names: Names) -> str:
    member = names.member
    match event:
        case e.OperationCalled(client, number, does, of, key, value, partition):
            what = f"{does} {key} = {value}" if does == "put" else f"{does} {key}"
            return f"has client {client} call {number}: {what} of {of}, partition {partition}"
        case e.OperationReturned(client, number, outcome, value, holders, attempts, reason):
            found = f", {value}" if value is not None else ""
            held = f", held by {_row(holders, names)}" if holders else ""
            tries = f", {attempts} attempts" if attempts > 1 else ""
            return f"has client {client} return {number}: {outcome}{found}{held}{tries}{_because(reason)}"
        case e.ServiceFailed(partition, replica, service, reason):
            return f"its service {service}, for index {replica} of partition {partition}, {reason}"
        case e.BackupMissed(partition, replica, peer, of, reason):
            return f"leaves off {member(peer)}, backup {replica} of partition {partition} of {of}{_because(reason)}"
        case e.BackupDiffers(partition, replica, peer):
            return f"has not what {member(peer)} has of partition {partition}, index {replica}, and asks for it"
        case e.BackupSynced(partition, replica, peer, maps):
            versions = ", ".join(f"{name} {version}" for name, version in maps)
            return f"is mended by {member(peer)}: partition {partition}, index {replica}{_because(versions)}"
        case e.BackupHadMore(partition, replica, peer, maps):
            versions = ", ".join(f"{name} {version}" for name, version in maps)
            return f"takes what {member(peer)} has more of partition {partition}, index {replica}{_because(versions)}"
        case e.BackupNotHeard(partition, replica, peer, reason):
            what = f"what {member(peer)} has of partition {partition}, index {replica}"
            return f"serves without knowing {what}{_because(reason)}"
        case e.SafetyChanged(safe, reason):
            return f"{'is safe' if safe else 'is not safe'}{_because(reason)}"
        case e.StockTaken(version, holds):
            entries = sum(count for _, _, maps in holds for _, _, count, _ in maps)
            return f"holds {several(len(holds), 'replica')} with {entries} entries (table {version})"
    return ""


def in_short(migration: Migration, names: Names) -> str:
    """ "MOVE index 0 from n1 to n4", "COPY index 1 to n4", "SHIFT UP from index 2 to 1: n3, in the place of n2"."""
    m = migration
    source = names.author(m.source) if m.source else ""
    destination = names.author(m.destination) if m.destination else ""
    if m.type == "CLEAR":
        return f"CLEAR index {m.source_current_index} of {source}"
    if m.type == "MOVE":
        return f"MOVE index {m.destination_new_index} from {source} to {destination}"
    if m.type == "COPY":
        return f"COPY index {m.destination_new_index} to {destination}"
    said = f"{m.type} index {m.destination_new_index} to {destination}"
    said += f", from its index {m.destination_current_index}" if m.destination_current_index >= 0 else ""
    if not source:
        return said
    return said + (f", {source} to index {m.source_new_index}" if m.source_new_index >= 0 else f", {source} leaves it")


def _row(row: Row, names: Names) -> str:
    return f"[{' '.join('-' if uuid is None else names.author(uuid) for uuid in row)}]"


def several(number: int, what: str) -> str:
    return f"1 {what}" if number == 1 else f"{number} {what}s"


def _index(index: int) -> str:
    return "none" if index < 0 else str(index)


def _because(reason: str) -> str:
    return f" ({reason})" if reason else ""
