"""What members do with the data, and with a plan, in the lines of notation.py.

n1 tells that partition 0 is lost in v4
n2 is promoted in 0 from 1 in v4       it was the backup at index 1 of partition 0, and is the owner
c1 at n2 puts k = x1: ok by n1 n3      a client, at n2; `c1 at n2 removes k: unknown`
c1 at n2 puts k = x1                   and it ends later, or never: `c1 ends ok by n1 n3` · `c1 ends failed`;
                                       `(no table)`: for this reason
c1 at n2 gets k: found x1              `found nothing` · `unknown`
... : ok by n1 at attempt 2            the first one was not answered
... of map precious in partition 3 ... after the key, else of map data in partition 0
n3 differs in 0 at 1 from n1           and asks for its data; `n1 does without n3 at 1 of 0`, at a write
n1 sends chunk 2 of s1: 200 of 200     to n2; `n2 takes chunk 2 of s1 from n1: 100, the last`
n3 mends 0 at 1 by n1: data v7         its backup at index 1 of partition 0 holds what n1 holds
n2 takes stock v3: 0 at 1 data v2 x5 =77 precious v1 x1 =5, 1 at 0      version, entries, checksum
n1 says that all is in place · n1 says that not all is in place
n1 plans v3 · n1 drops its plan · n1 is done with its plan v5
n2 begins m1 of 0 as owner · n2 finishes m1 of 0 as owner        `fails` it; `in v3`: as of that table
n1 looks for the newest table           `of n2 n3`: whom it asks"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import cast

from tests.notation import notation_merging_data
from tests.notation.notation_names import member, row
from tests.reasons import reason_in

from shaketable.node import events as e
from shaketable.node.events import Event
from shaketable.node.messages import Does
from shaketable.node.why import or_nothing

Tell = Callable[[str, Event], None]


class Clients:
    """Each has one operation at a time, and counts them, by the node at which it is."""

    def __init__(self) -> None:
        self._open: dict[str, tuple[str, int]] = {}
        self._counts: dict[tuple[str, str], int] = {}

    def call(self, tell: Tell, client: str, who: str, does: str, key: str, where: str, value: str, end: str) -> None:
        number = self._counts[who, client] = self._counts.get((who, client), 0) + 1
        self._open[client] = who, number
        map_ = found[1] if (found := re.search(r"of map (\S+)", where)) else "data"
        partition = int(found[1]) if (found := re.search(r"in partition (\d+)", where)) else 0
        tell(who, e.OperationCalled(client, number, cast("Does", does), map_, key, value, partition))
        if end:
            self.end(tell, client, end)

    def end(self, tell: Tell, client: str, end: str, why: str | None = None) -> None:
        who, number = self._open.pop(client)
        end, _, attempt = end.partition(" at attempt ")
        outcome, _, holders = end.partition(" by ")
        value = None
        if outcome.startswith("found "):
            outcome, value = "ok", outcome.removeprefix("found ")
            value = None if value == "nothing" else value
        uuids = tuple(uuid for uuid in row(holders) if uuid is not None)
        reason = or_nothing(reason_in(why) if why else None)
        tell(who, e.OperationReturned(client, number, outcome, value, uuids, int(attempt or 1), *reason))


def _versions(maps: str) -> tuple[tuple[str, int], ...]:
    return tuple((name, int(version)) for name, version in re.findall(r"(\w+) v(\d+)", maps))


def _stock(told: str) -> tuple[tuple[int, int, tuple[tuple[str, int, int, int], ...]], ...]:
    holds = []
    for part in filter(None, map(str.strip, told.split(","))):
        found = re.fullmatch(r"(\d+) at (-?\d+)((?: \w+ v\d+ x\d+ =\d+)*)", part)
        assert found is not None, f"no stock: {part!r}"
        maps = re.findall(r"(\w+) v(\d+) x(\d+) =(\d+)", found[3])
        holds.append((int(found[1]), int(found[2]), tuple((m, int(v), int(x), int(s)) for m, v, x, s in maps)))
    return tuple(holds)


SENTENCES: dict[str, Callable[..., None]] = {
    r"(\S+) tells that partition (\d+) is lost in v(\d+)": lambda w, who, partition, version: w.tell(
        who, e.PartitionLost(int(partition), int(version))
    ),
    r"(\S+) is promoted in (\d+) from (\d) in v(\d+)": lambda w, who, partition, replica, version: w.tell(
        who, e.ReplicaPromoted(int(partition), int(replica), int(version))
    ),
    r"(\S+) at (\S+) puts (\S+?)((?: of map \S+| in partition \d+)*) = (\S+?)(?:: (.+))?": (
        lambda w, client, who, key, where, value, end: w.clients.call(
            w.tell, client, who, "put", key, where, value, end or ""
        )
    ),
    r"(\S+) at (\S+) (remove|get)s (\S+?)((?: of map \S+| in partition \d+)*)(?:: (.+))?": (
        lambda w, client, who, does, key, where, end: w.clients.call(
            w.tell, client, who, does, key, where, "", end or ""
        )
    ),
    r"(\S+) ends (ok by .+|failed|unknown|found \S+)(?: \((.+)\))?": lambda w, client, end, why: w.clients.end(
        w.tell, client, end, why
    ),
    r"(\S+) mends (\d+) at (\d+) by (\S+):((?: \w+ v\d+)+| nothing)": lambda w, who, partition, at, owner, maps: w.tell(
        who, e.BackupSynced(int(partition), int(at), member(owner), _versions(maps))
    ),
    r"(\S+) differs in (\d+) at (\d+) from (\S+)": lambda w, who, partition, replica, owner: w.tell(
        who, e.BackupDiffers(int(partition), int(replica), member(owner))
    ),
    r"(\S+) sends chunk (\d+) of (\S+): (\d+) of (\d+)": lambda w, who, number, stream, sent, total: w.tell(
        who, e.ChunkSent(member("n2"), stream, int(number), int(sent), int(total))
    ),
    r"(\S+) takes chunk (\d+) of (\S+) from (\S+): (\d+)(, the last)?": (
        lambda w, who, number, stream, sender, size, last: w.tell(
            who, e.ChunkArrived(member(sender), stream, int(number), int(size), bool(last))
        )
    ),
    r"(\S+) takes (\d+) from (\S+) at (\d+):((?: \w+ v\d+)+)": lambda w, who, partition, backup, replica, maps: w.tell(
        who, e.BackupHadMore(int(partition), int(replica), member(backup), _versions(maps))
    ),
    r"(\S+) serves (\d+) without (\S+) at (\d+)(?: \((.*)\))?": lambda w, who, partition, backup, replica, why: w.tell(
        who, e.BackupNotHeard(int(partition), int(replica), member(backup), *reason_in(why or "it did not answer"))
    ),
    r"(\S+) does without (\S+) at (\d+) of (\d+)": lambda w, who, backup, replica, partition: w.tell(
        who, e.BackupMissed(int(partition), int(replica), member(backup), "data", *reason_in("it did not answer"))
    ),
    r"(\S+) says that all is in place": lambda w, who: w.tell(who, e.SafetyChanged(True, "", None)),
    r"(\S+) says that not all is in place": lambda w, who: w.tell(
        who, e.SafetyChanged(False, *reason_in("not all replicas are in place"))
    ),
    r"(\S+) takes stock v(\d+):(.*)": lambda w, who, version, told: w.tell(
        who, e.StockTaken(int(version), _stock(told))
    ),
    r"(\S+) plans v(\d+)": lambda w, who, version: w.tell(who, e.PartitionsPlanned(int(version), (), 4)),
    r"(\S+) drops its plan(?: of (\d+))?": lambda w, who, many: w.tell(
        who, e.PlanCancelled(int(many or 3), *reason_in("a member has joined"))
    ),
    r"(\S+) is done with its plan v(\d+)": lambda w, who, version: w.tell(who, e.PlanDone(int(version))),
    r"(\S+) begins (m\d+) of (\d+) as (\w+)": lambda w, who, name, partition, role: w.tell(
        who, e.MigrationBegan(int(partition), name, role)
    ),
    r"(\S+) (finishe|fail)s (m\d+) of (\d+) as (\w+)(?: in v(\d+))?": (
        lambda w, who, how, name, partition, role, version: w.tell(
            who, e.MigrationFinished(int(partition), name, role, how == "finishe", int(version or 1), -1, -1)
        )
    ),
    r"(\S+) looks for the newest table(?: of (.+))?": lambda w, who, whom: w.tell(
        who, e.TableSearchBegan(tuple([member(each) for each in (whom or "").split()]))
    ),
    **notation_merging_data.SENTENCES,
}
