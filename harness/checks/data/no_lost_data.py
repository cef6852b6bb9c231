"""No lost data: an acknowledged write is readable while one member of the cluster that rightly holds it lives.

From the text on avoiding data loss on migration. What was read after the calm is held against what was written before:
the last acknowledged value, or one written later of which nobody knows what became of it. A write whose holders were
all gone at some instant is lost rightly, and the one before it counts. Holders are those that the acknowledgement
names; a commit on the master adds the destination and ends who gave up the index; a backup that was mended is one, and
a promoted owner that took what such a backup had; the dead, who is outside the list of the master, and a backup of
which a promoted owner tells that it was silent, are none: to be heard, and done without, is no excuse, nor to be
cleared while an owner lives that lacks the write. An entry that merges is one more write, once it is kept. Each side
of a split is judged by its own masters. A leave is no excuse: who leaves stays until the master has moved what it
holds, unless it got no answer, or all data members leave.

Who holds what is followed along the line of masters of the cluster in which a key was read (lines.py). A leave is an
excuse where all data members of the list had asked to leave by then, where nobody answered ("left without an answer of
the master"), or where who leaves leads itself alone (let_go.py). Who is promoted has to say from which index
(promotions.py): what maps with fewer backups had there is lost, and nothing else tells it. So run
owner-and-first-backup crashes with two backups: with one both are gone, and whatever is read is right. A key that
nobody reads back is not judged, and a note says so; nor is one with several writers that do not wait for each other."""

from __future__ import annotations

from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.data.kept_writes import Judge
from shaketable.harness.checks.data.lost_partitions import LostPartitions
from shaketable.harness.checks.data.promotions import Promotions
from shaketable.harness.checks.result import CheckResult, Findings, counted
from shaketable.harness.checks.shared.operations import operations
from shaketable.harness.history.history import History

NAME: Final = "no lost data"
RULE: Final = (
    "After the calm a key holds its last acknowledged value, or a later one whose outcome nobody knows, unless at some "
    "instant all were gone who held that write. Who leaves is not gone: its data are moved before, unless all data "
    "members leave. A partition that has lost all its replicas is told of when it gets an owner, and no other is; a "
    "backup that becomes the owner tells at which index it was."
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
