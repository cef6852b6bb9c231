"""Conditions over partitions and data: tables, migrations, clients. Each tells why it does not hold yet.

The rows of a table are known from its master, who tells each change; of a follower only which version it has."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.harness.conditions.cluster import Condition, not_settled
from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.messages import Uuid

Clients = Sequence[tuple[str, Uuid, Sequence[str]]]
"""node, incarnation and names of its clients"""


def safe() -> Condition:
    """All have settled, and every awake member says that all is in place and has its master's table, which names
    members alone.

    Without the last part it would hold from a crash until a member notices it. Before data are in use no member is
    safe."""

    def why_not(seen: Observed) -> str | None:
        awake = seen.awake()
        astray = not_settled(seen, awake)
        if astray is not None:
            return astray
        if not awake:
            return "nobody is awake"
        for node in awake:
            of = node.partitions
            if of.version == 0:
                return f"{node.name} has no partition table"
            master = seen.is_current(node.members[0])
            assert master is not None, "else they had not settled"
            theirs = master.partitions
            if (of.version, of.stamp) != (theirs.version, theirs.stamp):
                return f"{node.name} has table {of.version}, its master {master.name} {theirs.version}"
            if not of.safe:
                return f"{node.name} says: {of.why_not_safe}" if of.safe is False else f"{node.name} has not said it"
            if node is master and _names_others(node):
                return f"the table of {node.name} names one that has left"
        return None

    return Condition("all is safe", why_not)


def _names_others(master: NodeSeen) -> bool:
    listed = {None, *(member.uuid for member in master.members)}
    return any(uuid not in listed for row in master.partitions.rows.values() for uuid in row)


def has_table(who: str, version: int | None) -> Condition:
    """This very version, or with None any."""

    def why_not(seen: Observed) -> str | None:
        node = seen.nodes[who]
        if not node.running:
            return f"{who} is not running ({node.state})"
        held = node.partitions.version
        if held == version or (version is None and held):
            return None
        return f"{who} has table {held}" if held else f"{who} has no partition table"

    return Condition(f"{who} has {'a partition table' if version is None else f'table {version}'}", why_not)


def searches(who: str) -> Condition:
    def why_not(seen: Observed) -> str | None:
        node = seen.nodes[who]
        if not node.running:
            return f"{who} is not running ({node.state})"
        return None if node.partitions.searching else f"{who} looks for no table"

    return Condition(f"{who} looks for the most recent table", why_not)


def migrates(partition: int | None) -> Condition:
    """A master that runs, held or not, has asked for it and not learnt its end."""

    def why_not(seen: Observed) -> str | None:
        for node in seen.running():
            if any(partition in (None, each.partition) for each in node.partitions.under_way.values()):
                return None
        return "nothing migrates" if partition is None else f"partition {partition} does not migrate"

    return Condition("something migrates" if partition is None else f"partition {partition} migrates", why_not)


def no_migrations() -> Condition:
    """No awake master has any under way or on its queue, or looks for a table, and nobody awake takes part in one.

    Just after a join or a crash that may hold because the master has not planned yet: `safe` knows better."""

    def why_not(seen: Observed) -> str | None:
        for node in seen.awake():
            of = node.partitions
            if of.searching:
                return f"{node.name} looks for the most recent table"
            if of.under_way or of.queue:
                return f"{node.name} has {len(of.under_way)} migrations under way and {len(of.queue)} on its queue"
            if of.active:
                return f"{node.name} takes part in migration {next(iter(of.active))}"
        return None

    return Condition("nothing migrates or waits to", why_not)


def holds_replica(who: str, partition: int, index: int) -> Condition:
    """By the table of the master."""
    label = f"{who} holds replica {index} of partition {partition}"

    def why_not(seen: Observed) -> str | None:
        master = master_of(seen)
        if master is None:
            return "there is no master that is awake"
        rows = master.partitions.rows
        if partition not in rows:
            return f"{master.name} has told of no table with partition {partition}"
        row = seen.holders_of(rows[partition])
        if index < len(row) and row[index] == who and _is_its_life(seen, who, rows[partition][index]):
            return None
        return f"partition {partition} is {in_words(row)}"

    return Condition(label, why_not)


def lost(partition: int) -> Condition:
    """All its replicas were lost at some time of the run."""

    def why_not(seen: Observed) -> str | None:
        return None if partition in seen.lost else f"partition {partition} was never lost"

    return Condition(f"partition {partition} was lost", why_not)


def returned(who: str, incarnation: Uuid, client: str, operations: int = 1) -> Condition:
    """That many operations of this client have returned, or its node has ended."""

    def why_not(seen: Observed) -> str | None:
        node = seen.nodes[who]
        if _has_ended(node, incarnation):
            return None
        done = node.partitions.client(client).returned
        return None if done >= operations else f"{done} of {operations} operations of {client} have returned"

    return Condition(f"the operations of {client} have returned", why_not)


def worked(clients: Clients, operations: int) -> Condition:
    """Each of the clients has done so many operations, or its node has ended."""
    each = [returned(who, life, name, operations).why_not for who, life, names in clients for name in names]
    return Condition(
        "the clients have done their work", lambda seen: next(filter(None, (ask(seen) for ask in each)), None)
    )


def idle(clients: Clients) -> Condition:
    """None of the clients waits for an operation to return, under whichever identity, unless its node has ended."""

    def why_not(seen: Observed) -> str | None:
        for who, _, names in clients:
            node = seen.nodes[who]
            for name in names:
                client = node.partitions.client(name)
                if client.waits and not node.ended:
                    return f"operation {client.called} of {name} has not returned"
        return None

    return Condition("no operation is open", why_not)


def stock_taken(who: str, incarnation: Uuid, times: int) -> Condition:
    """This incarnation has reported its stock at least `times` times, or it has ended."""

    def why_not(seen: Observed) -> str | None:
        node = seen.nodes[who]
        if _has_ended(node, incarnation) or node.partitions.stocks_taken >= times:
            return None
        return f"{who} has not taken stock"

    return Condition(f"{who} has taken stock", why_not)


def master_of(seen: Observed) -> NodeSeen | None:
    """The first member of the newest list that anybody awake holds, if it is running."""
    joined = [node for node in seen.awake() if node.members]
    return seen.is_current(max(joined, key=lambda node: node.version).members[0]) if joined else None


def in_words(row: Sequence[str | None]) -> str:
    return f"[{' '.join(name or '-' for name in row)}]"


def _has_ended(node: NodeSeen, incarnation: Uuid) -> bool:
    return node.ended or node.incarnation != incarnation


def _is_its_life(seen: Observed, who: str, uuid: Uuid | None) -> bool:
    return seen.nodes[who].incarnation == uuid
