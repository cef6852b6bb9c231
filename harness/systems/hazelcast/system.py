"""The real Hazelcast as a system under test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from shaketable.harness.faults.actions import Action, Begin, Command, Http, Start, WriteFile
from shaketable.harness.faults.table import ClockFault, DatagramFault, Hold, MessageFault
from shaketable.harness.records import UnderTest
from shaketable.harness.systems.dialogue import Dialogue as AnyDialogue
from shaketable.harness.systems.hazelcast.dialogue import Dialogue
from shaketable.harness.systems.hazelcast.holds import point_of
from shaketable.harness.systems.hazelcast.settings import why_not
from shaketable.harness.systems.hazelcast.tells import INFERS, NEVER, TELLS
from shaketable.harness.systems.jars import Jars
from shaketable.harness.systems.log_lines import LogLines
from shaketable.harness.systems.program import Program, become
from shaketable.harness.systems.system import Place, Process, System
from shaketable.node.config import CLUSTER, DEFAULT, Settings
from shaketable.node.core.commands import DataCommand
from shaketable.node.core.env import SECOND
from shaketable.node.messages import Address, Uuid
from shaketable.node.process import control

if TYPE_CHECKING:
    from shaketable.node.process.main import Birth

SUMS: Final = {
    "5.3.8": "025449efcb40418e626345d2b6011d8702ca72651b30d655edbd72e5324095f0",
    "5.4.0": "cbcd4de863ee859dd6094fe01752e1bc9986c5240621443fe6609a5e16903f0d",
    "5.5.0": "cf560b40b988526e780e4fae12cb6fe01c5158bb9e00839882857f32b544a19e",
    "5.6.0": "f16e392740b2d64136590bc52a782c8f8e75b5cb8d3ac221c7c09efae0d7871c",
    "5.7.0": "241ec66cea8491787f68c3336f069ac463877af50bdb7676cd9d538f1940dc33",
}
"""SHA-256 of the jar of each version that can be asked for; the last one is used if none is"""
AGENT: Final = Path(__file__).parent / "agent"
OPTIONS: Final = (
    "-Xmx160m",
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-Xshare:auto",
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:+DisplayVMOutputToStderr",
    "-Djava.net.preferIPv4Stack=true",
    "-Dhazelcast.logging.class=shaketable.hazelcast.Log",
    *("--add-modules=java.se", "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED"),
    *(
        f"--add-opens={where}=ALL-UNNAMED"
        for where in (
            *("java.base/java.lang", "java.base/sun.nio.ch", "java.management/sun.management"),
            "jdk.management/com.sun.management.internal",
        )
    ),
)
"""A member of a few partitions needs little, and starts sooner without the second compiler."""
SETTINGS: Final = {
    "heartbeat_interval_seconds": 1,
    "heartbeat_timeout_seconds": 5,
    "member_list_publish_interval_seconds": 5,
    "mastership_claim_timeout_seconds": 15,
    "max_join_seconds": 20,
    "startup_vote_timeout_seconds": 2,
    "join_patience_seconds": 3,
    "merge_first_run_delay_seconds": 5,
    "merge_next_run_delay_seconds": 5,
    "partition_count": 12,
    "migration_pause_seconds": 1,
    "partition_table_send_interval_seconds": 2,
    "backup_sync_interval_seconds": 3,
    "graceful_shutdown_max_wait_seconds": 60,
}
"""It takes whole seconds for most, so `fast` is too fast for it. A candidate also tries each member as often as its
claim may take seconds. Fifteen times take one second: enough for those that notice the master's death later, and not
too long where nobody is left to answer."""


PROMISES: Final = (
    *("view order", "view agreement", "view integrity", "one list a key", "single authority", "following", "claims"),
    *("joined", "fully connected", "best clique", "split heals", "one direction"),
    *("no lost data", "settled", "converged", "balanced", "in place", "detection"),
)
"""Not the four that follow a partition table by its version, for it has one a partition; nor the three that follow a
member of ours from step to step. In a merge it raises its version only above a larger one, and tells nothing of single
entries."""


def jars(version: str) -> Jars:
    name = f"hazelcast-{version}.jar"
    return Jars(
        "hazelcast",
        version,
        AGENT,
        {name: SUMS[version]},
        properties={"hazelcast.version": version},
        options=OPTIONS,
        main="shaketable.hazelcast.Member",
        rehearsal="shaketable.hazelcast.Rehearsal",
    )


class HazelcastMembers:
    def __init__(self, under_test: UnderTest) -> None:
        self._command = jars(under_test.version).command()
        self._uuids: dict[Address, Uuid] = {}
        """as their members have told them last"""

    def address(self, place: Place) -> Address:
        return f"{place.node}:{place.port}"

    def process(self, place: Place, birth: Birth) -> Process:
        hosts = f"-Djdk.net.hosts.file={place.hosts.absolute()}"
        java, *rest = self._command
        command = (java, hosts, *rest)
        return Process(become, msgspec.msgpack.encode(Program(birth, command)))

    def dialogue(self, place: Place) -> AnyDialogue:
        return _Noting(self.address(place), self._uuids, LogLines(place.folder, place.node))


class _Noting(Dialogue):
    """Notes the uuid of its member, for those whose lines name it by its address alone; and lines behind events."""

    def __init__(self, address: Address, uuids: dict[Address, Uuid], lines: LogLines) -> None:
        super().__init__(lambda of: uuids.get(of, ""), lines.note)
        self._address = address
        self._uuids = uuids

    def heard(self, data: bytes) -> list[control.Said]:
        said = super().heard(data)
        for each in said:
            if isinstance(each, control.Reported):
                self._uuids[self._address] = each.incarnation
        return said


def _unfit(settings: Settings) -> str:
    return why_not(settings) if settings.family == CLUSTER else "it is a group's, and Hazelcast is a cluster"


def _cannot(action: Action) -> str:
    match action:
        case Start(settings=values):
            return why_not(DEFAULT.with_values(values))
        case Begin(fault=MessageFault()):
            return "it does something to single messages, and Hazelcast lets nobody do that"
        case Begin(fault=DatagramFault()):
            return "it shakes datagrams, and Hazelcast sends none here"
        case Begin(fault=ClockFault()):
            return "it sets a clock, and a Hazelcast member has the clock of its machine"
        case Begin(fault=Hold() as hold):
            _, refusal = point_of(control.ArmHold(0, 0, hold.event, hold.after, hold.nth, hold.where))
            return refusal
        case Command(command=command) if not isinstance(command, DataCommand):
            return "it speaks to a group's member"
        case Http() | WriteFile():
            return "it asks for a member list over HTTP, and Hazelcast takes none"
    return ""


def _install(under_test: UnderTest, say: Callable[[str], None]) -> None:
    jars(under_test.version).install(say)


def _missing(under_test: UnderTest) -> str:
    return jars(under_test.version).missing()


def _ready(under_test: UnderTest) -> bool:
    return jars(under_test.version).ready()


HAZELCAST: Final = System(
    UnderTest(
        name="hazelcast",
        version=list(SUMS)[-1],
        title="Hazelcast",
        tells=tuple(sorted(kind.__name__ for kind in TELLS | NEVER)),
        infers=tuple(sorted(kind.__name__ for kind in INFERS)),
        promises=PROMISES,
        one_by_one=True,
        any_best=True,
        keeps_links=True,
        untimed_losses=True,
        uneven_owners=True,
    ),
    HazelcastMembers,
    versions=tuple(SUMS),
    unfit=_unfit,
    cannot=_cannot,
    both_ways=True,
    preset="default",
    settings=SETTINGS,
    allowance=3 * SECOND,
    patience=120 * SECOND,
    last_words=0.5,
    install=_install,
    missing=_missing,
    ready=_ready,
)
