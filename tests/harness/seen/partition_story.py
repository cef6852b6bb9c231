"""Hand-made records of the partition service, for tests of what is made of them: three nodes, n1 is the master."""

from __future__ import annotations

from tests.notation.notation import Writer, member
from tests.reasons import reason_in

from shaketable.harness.seen.run import Observed
from shaketable.node.core.env import MILLISECOND
from shaketable.node.events import (
    Event,
    MigrationRequested,
    PartitionsPlanned,
    SafetyChanged,
    TableChanged,
    TableInstalled,
)
from shaketable.node.messages import NOWHERE, Migration, MigrationInfo, Row, Uuid

FORMED = """
    n1 installs v1 [n1]
    n1 installs v2 [n1 n2]
    n2 installs v2 by n1 [n1 n2]
    n1 installs v3 [n1 n2 n3]
    n2 installs v3 by n1 [n1 n2 n3]
    n3 installs v3 by n1 [n1 n2 n3]
"""


def uuid(name: str) -> Uuid:
    return member(name).uuid


def row(*names: str | None) -> Row:
    return tuple(None if name is None else uuid(name) for name in names)


def info(number: int, partition: int, *, source: str | None = "n1", destination: str = "n3") -> MigrationInfo:
    """A MOVE of index 0, or with no source a COPY to index 1."""
    if source is None:
        migration = Migration("COPY", None, NOWHERE, NOWHERE, uuid(destination), NOWHERE, 1)
    else:
        migration = Migration("MOVE", uuid(source), 0, NOWHERE, uuid(destination), NOWHERE, 0)
    held = row(source or "n1", None if source is None else "n2")
    return MigrationInfo(migration_id(number), uuid("n1"), partition, migration, 1, held)


def migration_id(number: int) -> str:
    return f"{uuid('n1')[:8]}-{number}"


class Story(Writer):
    """Of a cluster that has formed; `seen` folds what was told so far."""

    def __init__(self) -> None:
        super().__init__()
        self.write(FORMED)

    def tells(self, who: str, *events: Event) -> Story:
        for event in events:
            self.time += MILLISECOND
            self.tell(who, event)
        return self

    def assigned(self) -> Story:
        """Two partitions: n1 and n2 own one each, and n3 holds nothing."""
        rows = ((0, row("n1", "n2")), (1, row("n2", "n1")))
        self.tells("n1", TableChanged(1, 11, "assigned", rows, *reason_in("")), SafetyChanged(True, "", None))
        for name in ("n2", "n3"):
            self.tells(
                name, TableInstalled(1, 11, member("n1"), (), *reason_in("published")), SafetyChanged(True, "", None)
            )
        return self

    def planned(self) -> Story:
        """n3 is to own both."""
        plans = (
            (0, row("n1", "n2"), row("n3", "n2"), (migration_id(1),)),
            (1, row("n2", "n1"), row("n3", "n1"), (migration_id(2),)),
        )
        return self.tells(
            "n1", PartitionsPlanned(1, plans, 2), SafetyChanged(False, *reason_in("migrations are to be done"))
        )

    def requested(self, number: int = 1) -> Story:
        source = "n1" if number == 1 else "n2"
        return self.tells("n1", MigrationRequested(number - 1, info(number, number - 1, source=source)))

    def seen(self) -> Observed:
        observed = Observed()
        for record in self.records:
            observed.apply(record)
        return observed
