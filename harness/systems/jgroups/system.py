"""JGroups as a system under test: a channel over TCP, with its usual protocols for membership."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from shaketable.harness.faults.actions import Action, Begin, Command, Http, Start, WriteFile
from shaketable.harness.faults.table import ClockFault, DatagramFault, Hold, MessageFault
from shaketable.harness.records import UnderTest
from shaketable.harness.systems.dialogue import Dialogue as AnyDialogue
from shaketable.harness.systems.jars import Jars
from shaketable.harness.systems.jgroups.dialogue import Dialogue
from shaketable.harness.systems.jgroups.settings import why_not
from shaketable.harness.systems.jgroups.telling import TELLS
from shaketable.harness.systems.jgroups.trial import Retold
from shaketable.harness.systems.program import Program, become
from shaketable.harness.systems.system import Place, Process, System
from shaketable.node.config import CLUSTER, DEFAULT, Settings
from shaketable.node.core.env import SECOND
from shaketable.node.messages import Address

if TYPE_CHECKING:
    from shaketable.node.process.main import Birth

SUMS: Final = {
    "5.4.8.Final": "62ef751eec88a9237539485945c67c877473d5f23128cf4bab0b6676e050cbdc",
    "5.5.6.Final": "5806dbc04b0c7a1218c701e75335e0d3f66a70de2e0a0c5fa91ad245d5a457e2",
}
"""SHA-256 of the jar of each version that can be asked for; the first one is used if none is"""
AGENT: Final = Path(__file__).parent / "agent"
OPTIONS: Final = (
    "-Xmx96m",
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:+DisplayVMOutputToStderr",
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-Xshare:auto",
    "-Djava.net.preferIPv4Stack=true",
)
"""A member needs little, and starts sooner without the second compiler."""
SETTINGS: Final = {"join_patience_seconds": 2, "gms_verify_timeout_seconds": 1}
"""How long a joiner waits for an answer, as JGroups itself has it: one that gives up founds a cluster. And how long a
suspected member may take to say that it lives: our group's detector has a time for the same."""
PROMISES: Final = (
    "view order",
    "view agreement",
    "view integrity",
    "one list a key",
    "joined",
    "split heals",
    "converged",
    "settled",
)
"""Views, and that a merge brings parts together. Nobody promises that every member notices each silence for itself:
one member watches the connection to the next, and only the coordinator acts. So `detection` and `following` say
nothing of it, nor does `fully connected`: a view may hold two that do not reach each other.

With the setting `merging` off there is no MERGE3 in the stack. Then one that others have removed, and that still
reaches them, holds its view for ever; trial.py leaves stories out that need more."""


def jars(version: str) -> Jars:
    return Jars(
        "jgroups",
        version,
        AGENT,
        {f"jgroups-{version}.jar": SUMS[version]},
        properties={"jgroups.version": version},
        options=OPTIONS,
        main="shaketable.jgroups.Member",
    )


class JGroupsMembers:
    def __init__(self, under_test: UnderTest) -> None:
        self._command = jars(under_test.version).command()

    def address(self, place: Place) -> Address:
        return f"127.0.0.1:{place.port}"

    def process(self, place: Place, birth: Birth) -> Process:
        return Process(become, msgspec.msgpack.encode(Program(birth, self._command)))

    def dialogue(self, place: Place) -> AnyDialogue:
        return Dialogue()


def _unfit(settings: Settings) -> str:
    return why_not(settings) if settings.family == CLUSTER else "it is a group's, and its views have no master"


def _cannot(action: Action) -> str:
    match action:
        case Start(settings=values):
            settings = DEFAULT.with_values(values)
            if settings.partition_count != DEFAULT.partition_count:
                return "its members differ in the number of partitions, and a JGroups member has none"
            return why_not(settings)
        case Begin(fault=MessageFault()):
            return "it does something to single messages, and JGroups lets nobody do that"
        case Begin(fault=DatagramFault()):
            return "it shakes datagrams, and JGroups sends none over TCP"
        case Begin(fault=ClockFault()):
            return "it sets a clock, and a JGroups member has the clock of its machine"
        case Begin(fault=Hold()):
            return "it holds a node at an event, and a JGroups member holds nowhere"
        case Command():
            return "it works with data, and a JGroups member holds none"
        case Http() | WriteFile():
            return "it asks for a member list over HTTP, and JGroups takes none"
    return ""


def _install(under_test: UnderTest, say: Callable[[str], None]) -> None:
    jars(under_test.version).install(say)


def _missing(under_test: UnderTest) -> str:
    return jars(under_test.version).missing()


def _ready(under_test: UnderTest) -> bool:
    return jars(under_test.version).ready()


JGROUPS: Final = System(
    UnderTest(
        name="jgroups",
        version=next(iter(SUMS)),
        title="JGroups",
        tells=tuple(sorted(kind.__name__ for kind in TELLS)),
        promises=PROMISES,
    ),
    JGroupsMembers,
    versions=tuple(SUMS),
    unfit=_unfit,
    cannot=_cannot,
    both_ways=True,
    ports=2,
    settings=SETTINGS,
    allowance=3 * SECOND,
    patience=60 * SECOND,
    retold=Retold,
    install=_install,
    missing=_missing,
    ready=_ready,
)
