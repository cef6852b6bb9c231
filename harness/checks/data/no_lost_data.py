"""An acknowledged write is readable while one rightful holder lives.

If all holders of a write were gone at some instant, the write before it counts. Holders are followed along the line of
masters of the cluster in which the key was read (lines.py). So each side of a split is judged by its own masters. A
write that was acknowledged on another side binds that one alone (rulings 7.5).

- The acknowledgement names the first holders. A commit on the master adds the destination, and ends the member that
  gave up the index. A mended backup is a holder of what was written before it said that it differs, and a promoted
  owner that took what such a backup had. An entry that merges is one more write once it is kept.
- No holders are dead members, members outside the master's list, and a backup that a promoted owner tells was silent. A
  backup that was heard and done without is no excuse, nor one that is cleared while an owner lives that lacks the
  write. A member that a master took off its list and its table is none for the next master either, if that one goes
  on from this table, though it may still list the member.
- A member that leaves stays until the master has moved what it holds. A leave is an excuse only if all data members of
  the list had asked to leave by then, if the member got no answer ("left without an answer of the master"), or if it
  leads itself alone (let_go.py).
- A partition that has lost all its replicas is told of when it gets an owner, and no other is.
- A promoted member must say from which index it came (promotions.py): what maps with fewer backups had there is lost,
  for a master that finds its table later, too. Crash owner and first backup with two backups: with one both holders
  are gone, and every value is right.
- Not judged are keys that nobody reads back (a note says so), and keys with several writers that do not wait for each
  other."""

from __future__ import annotations

from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.data.kept_writes import Judge
from shaketable.harness.checks.data.lost_partitions import LostPartitions
from shaketable.harness.checks.data.promotions import Promotions
from shaketable.harness.checks.result import CheckResult, Findings, IfSeen, counted
from shaketable.harness.checks.shared.operations import operations
from shaketable.harness.history.history import History
from shaketable.node.events import (
    BackupNotHeard,
    EntriesBrought,
    EntriesMerged,
    MasterFollowed,
    Merging,
    OperationCalled,
    OperationReturned,
    PartitionLost,
    ReplicaPromoted,
    TableChanged,
    ViewInstalled,
)

NAME: Final = "no lost data"
RULE: Final = (
    "After the calm a key holds its last acknowledged value, or a later one whose outcome nobody knows, unless at some"
    " instant all holders of that write were gone. The loss of all replicas is told, and so is a promoted backup's "
    "index."
)
NEEDS: Final = (
    BackupNotHeard,
    IfSeen(EntriesBrought, (Merging,)),
    IfSeen(EntriesMerged, (Merging,)),
    MasterFollowed,
    Merging,
    OperationCalled,
    OperationReturned,
    PartitionLost,
    ReplicaPromoted,
    TableChanged,
    ViewInstalled,
)


def check(history: History, bounds: Bounds) -> CheckResult:
    findings = Findings(history)
    done = operations(history)
    judge = Judge(history, bounds, findings)
    notes = {"by several writers at once": 0, "not read after the calm": 0}
    judged = in_vain = 0
    for key in done.keys.values():
        if key.several_at_once:
            notes["by several writers at once"] += 1
        elif key.reads:
            judged += 1
            for read in key.reads.values():
                judge.judge(key, read)
        elif key.asked_in_vain:
            in_vain += 1
        else:
            notes["not read after the calm"] += 1
    lost = LostPartitions(history, findings)
    promoted = Promotions(history, bounds, findings)
    looked_at = (
        f"{counted(judged, 'key')} read after the calm, of {len(done.keys)} with {counted(done.writes, 'write')}"
    )
    told = [f"{counted(many, 'key')} not judged: {why}" for why, many in notes.items() if many]
    if in_vain:
        told.append(f"{counted(in_vain, 'key')} not judged: asked for in vain after the calm")
    if judge.lost:
        told.append(f"{counted(len(judge.lost), 'acknowledged write')} lost all who held it")
    if lost.partitions:
        told.append(f"{counted(lost.partitions, 'partition')} lost all replicas")
    if promoted.beyond:
        told.append(f"{counted(promoted.beyond, 'promotion')} of a backup that does not hold every map")
    return findings.result(NAME, RULE, looked_at, judged, pending=in_vain, notes=told)
