"""Messages of a migration and of the data that are lost, come late, or come when all is long over.

From the text on avoiding data loss on migration: the commit is repeated until it is acknowledged, a lost table is cured
by the periodic one, and what comes too late is refused and changes nothing. Of each kind in turn the first message is
lost, the second held back until all is safe without it, and the third comes after those that were sent later."""

from __future__ import annotations

from shaketable import Cluster, Injected, Script, script
from shaketable.chaos.helpers.fates import three_fates, until_caught
from shaketable.chaos.helpers.migrating import (
    ABOUT,
    BACKUP_MOVE,
    DESTINATION,
    MASTER,
    NEXT,
    OLD_BACKUP,
    OWNER,
    Migrating,
    all_is_well,
    while_migrating,
)
from shaketable.chaos.helpers.migrating_on import fill, story

ANYBODY = "others"
PATHS = {
    "publishtable": (MASTER, OLD_BACKUP),
    "tableacknowledged": (OLD_BACKUP, MASTER),
    "migrationrequest": (MASTER, OWNER),
    "migrationanswer": (OWNER, MASTER),
    "startcopy": (OWNER, DESTINATION),
    "startcopyanswer": (DESTINATION, OWNER),
    "chunk": (OWNER, DESTINATION),
    "chunkreceived": (DESTINATION, OWNER),
    "migrationcommit": (MASTER, DESTINATION),
    "migrationcommitanswer": (DESTINATION, MASTER),
    "operation": (OLD_BACKUP, OWNER),
    "operationanswer": (OWNER, OLD_BACKUP),
    "backup": (OWNER, ANYBODY),
    "backupanswer": (OLD_BACKUP, ANYBODY),
    "replicaversions": (OWNER, OLD_BACKUP),
    "replicaversionsanswer": (OLD_BACKUP, OWNER),
}


def of_a_migration(kind: str, sender: str, to: str) -> Script:
    async def drama(cluster: Cluster, it: Migrating, planned: Injected) -> None:
        fates = await three_fates(cluster, kind, it[sender], *([] if to == ANYBODY else [it[to]]))
        work = await cluster.work([it[NEXT]], map="precious", keys=6, pause=cluster.settings.heartbeat_interval // 5)
        await cluster.heal(planned)
        await until_caught(cluster, fates)
        await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
        await cluster.heal(fates[-1])
        await cluster.stop_work(work)

    async def told(cluster: Cluster) -> None:
        await while_migrating(cluster, BACKUP_MOVE, drama)

    words = f"one {kind} from the {sender} to the {to} is lost, one comes late and one much later"
    return story(told, "a move of a backup", f"{kind} astray", words)


SCRIPTS = [of_a_migration(kind, *path) for kind, path in PATHS.items()]


@script(about=ABOUT, settings=BACKUP_MOVE.settings)
async def a_chunk_that_comes_when_all_is_over(cluster: Cluster) -> None:
    """The first chunk of a migration is held back, and sent again; when it comes its stream has ended."""
    await refused_when_all_is_over(cluster, "chunk", OWNER, DESTINATION, "ChunkRefused")


@script(about=ABOUT, settings=BACKUP_MOVE.settings)
async def a_request_that_comes_when_all_is_over(cluster: Cluster) -> None:
    """A request for a migration is held back, and repeated; when it comes to the owner the migration has ended."""
    await refused_when_all_is_over(cluster, "migrationrequest", MASTER, OWNER, "MigrationRefused")


@script(about=ABOUT, settings=BACKUP_MOVE.settings)
async def a_commit_that_comes_when_all_is_over(cluster: Cluster) -> None:
    """A commit is held back, and repeated; when it comes, with a table of long ago, it does nothing."""
    await refused_when_all_is_over(cluster, "migrationcommit", MASTER, DESTINATION, "MigrationRefused")


@script(about=ABOUT, settings=BACKUP_MOVE.settings)
async def a_table_that_comes_when_all_is_over(cluster: Cluster) -> None:
    """A published table is held back; when it comes all have newer ones, and it is refused."""
    await refused_when_all_is_over(cluster, "publishtable", MASTER, OLD_BACKUP, "TableRefused")


async def refused_when_all_is_over(cluster: Cluster, kind: str, sender: str, to: str, event: str) -> None:
    """And it says so: it holds there, for a moment."""

    async def drama(cluster: Cluster, it: Migrating, planned: Injected) -> None:
        late = await cluster.hold_back(kind, sender=it[sender], to=[it[to]], count=1)
        await cluster.heal(planned)
        await cluster.until(cluster.that.caught(late), within=cluster.bounds.safe())
        await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
        refused = await cluster.hold(it[to], event)
        await cluster.heal(late)
        await cluster.until_held(it[to], event, within=cluster.bounds.crash)
        await cluster.heal(refused)

    await while_migrating(cluster, BACKUP_MOVE, drama)


@script(about=ABOUT, settings=BACKUP_MOVE.settings)
async def a_wish_to_use_the_data_astray(cluster: Cluster) -> None:
    """n2 is the first to use the data: its request to the master for a table is lost, or comes too late."""
    await cluster.form("n1", "n2", "n3")
    fates = await three_fates(cluster, "assignpartitions", "n2", "n1")
    result = await cluster.put("n2", "k", "first")
    assert result.outcome == "ok", result
    await until_caught(cluster, fates)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await cluster.heal(fates[-1])
    await use_and_let_join(cluster)


@script(about=ABOUT, settings=BACKUP_MOVE.settings)
async def a_wish_to_know_a_member_astray(cluster: Cluster) -> None:
    """n3 does not get the list with the joiner n4: it puts off tables that name it, and its question goes astray."""
    await cluster.form("n1", "n2", "n3")
    await cluster.put("n2", "k", "first")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    lists = await cluster.drop("membersupdate", sender="n1", to=["n3"])
    fates = await three_fates(cluster, "memberlistwanted", "n3", "n1")
    await cluster.start("n4")
    await until_caught(cluster, fates)
    await cluster.heal(lists)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await cluster.heal(fates[-1])
    await use_and_let_join(cluster)


@script(about=ABOUT, settings=BACKUP_MOVE.settings)
async def what_mends_a_backup_astray(cluster: Cluster) -> None:
    """A backup misses every write for a while, and the message that begins to mend it is lost, or comes much later."""
    await cluster.form("n1", "n2", "n3")
    key = cluster.seen.key_in(3)
    await cluster.put("n2", key, "first", map="precious")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    owner, backup, *_ = cluster.seen.row(3)
    assert owner is not None
    assert backup is not None
    missed = await cluster.drop("backup", sender=owner, to=[backup])
    fates = await three_fates(cluster, "startsync", owner, backup)
    result = await cluster.put("n2", key, "second", map="precious")
    assert backup not in result.holders, result
    await cluster.until(cluster.that.caught(missed), within=0)
    await until_caught(cluster, fates)
    await cluster.heal(missed)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await cluster.heal(fates[-1])
    await use_and_let_join(cluster)


async def use_and_let_join(cluster: Cluster) -> None:
    """So that partitions migrate, and there is something to judge."""
    await fill(cluster, "n3")
    await cluster.join("n5")
    await all_is_well(cluster, 1)
