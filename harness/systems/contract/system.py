"""A node in any language as a system under test."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from shaketable.harness.faults.actions import Action, Begin, Command, Http, Start, WriteFile
from shaketable.harness.faults.table import ClockFault, DatagramFault, Hold, MessageFault
from shaketable.harness.records import NODE, UnderTest
from shaketable.harness.systems.contract.described import CAN, Described, build, described_by, of_command, words
from shaketable.harness.systems.contract.dialogue import Dialogue
from shaketable.harness.systems.contract.levels import A_SET, as_a_set, tells
from shaketable.harness.systems.contract.times import Times
from shaketable.harness.systems.dialogue import Dialogue as AnyDialogue
from shaketable.harness.systems.program import OWN_LINE, Program, become
from shaketable.harness.systems.system import Place, Process, Say, System
from shaketable.node.config import CLUSTER, DEFAULT, PRESETS, Settings, by_our_names
from shaketable.node.core.commands import DataCommand
from shaketable.node.core.env import SECOND
from shaketable.node.messages import Address
from shaketable.node.process import contract

if TYPE_CHECKING:
    from shaketable.node.process.main import Birth

FOR_THE_HARNESS: Final = ("own_checks",)
"""settings of which a node need know nothing"""
OF_A_SET: Final = {"own_checks": "shaketable.harness.checks.membership.same_members:SAME_MEMBERS"}


class ContractMembers:
    def __init__(self, described: Described, folder: Path) -> None:
        self._described = described
        self._command = tuple(words(described.command))
        self._folder = str(folder.absolute())
        self._secret = b""
        """of the run"""
        self._times: dict[str, Times] = {}
        """that the newest process of each node tells"""

    def address(self, place: Place) -> Address:
        return self._described.address(place.node, place.number)

    def process(self, place: Place, birth: Birth) -> Process:
        self._secret = birth.token
        self._times[place.node] = Times()
        environment = {contract.DESCRIPTOR: str(OWN_LINE)}
        program = Program(birth, self._command, environment, own_line=True, folder=self._folder)
        return Process(become, msgspec.msgpack.encode(program))

    def dialogue(self, place: Place) -> AnyDialogue:
        return Dialogue(place.node, self._secret, self._times[place.node])


def _system(asked: str, described: Described, folder: Path) -> System:
    told = tells(described.level)
    called = described.name or folder.absolute().name

    def unfit(settings: Settings) -> str:
        if settings.family != CLUSTER and "group" not in described.can:
            return f"{called} {CAN['group']}"
        if settings.own_member:
            return f"it has members of its own, and those of {called} are programs"
        if settings.legacy_fault != DEFAULT.legacy_fault and "legacy" not in described.can:
            return f"{called} {CAN['legacy']}"
        if settings.rest_enabled and "http" not in described.can:
            return f"{called} {CAN['http']}"
        if unheeded := _unheeded(settings, described):
            return f"it sets {unheeded}, which {called} does not heed"
        return ""

    def cannot(action: Action) -> str:
        if isinstance(action, Start):
            settings = DEFAULT.with_values(action.settings)
            if "data" not in described.can and settings.partition_count != DEFAULT.partition_count:
                return f"its members differ in the number of partitions, and {called} has none"
            return unfit(settings)
        if isinstance(action, Begin) and isinstance(action.fault, DatagramFault) and not described.udp:
            return f"it shakes datagrams, and {called} sends none"
        able = _able(action)
        return f"{called} {CAN[able]}" if able and able not in described.can else ""

    def install(under_test: UnderTest, say: Say) -> None:
        if described.build:
            say(f"{called}: {described.build}")
            build(asked, described.build, folder)

    return System(
        UnderTest(
            name=asked,
            version=described.version,
            title=called,
            tells=None if told is None else tuple(sorted({*told, *described.tells, *described.never})),
            promises=described.promises,
            **dict.fromkeys(described.otherwise, True),  # type: ignore[arg-type]
        ),
        lambda under_test: ContractMembers(described, folder),
        versions=(described.version,),
        unfit=unfit,
        cannot=cannot,
        both_ways=described.transport == "both ways",
        udp=described.udp,
        preset=described.preset,
        settings=by_our_names({**(OF_A_SET if described.level == A_SET else {}), **described.settings}),
        allowance=round(described.allowance_seconds * SECOND),
        patience=round(described.patience_seconds * SECOND),
        retold=lambda: as_a_set if described.level == A_SET else lambda record: record,
        install=install,
    )


def _unheeded(settings: Settings, described: Described) -> str:
    """A setting that is not as usual, and that it does not go by; "": none is."""
    if described.heeds is None:
        return ""
    usual: list[Mapping[str, object]] = [preset.outside() for preset in PRESETS.values()]
    usual.append(by_our_names(described.settings))
    mine = {*described.heeds, *FOR_THE_HARNESS}
    set_here = (
        name
        for name, value in settings.outside().items()
        if name not in mine and all(value != values.get(name) for values in usual)
    )
    return next(set_here, "")


def _able(action: Action) -> str:
    """What of `CAN` it takes; "": nothing of that."""
    match action:
        case Begin(fault=MessageFault()):
            return "messages"
        case Begin(fault=ClockFault()):
            return "clocks"
        case Begin(fault=Hold()):
            return "hold"
        case Command(command=command):
            return "data" if isinstance(command, DataCommand) else "group"
        case Http() | WriteFile():
            return "http"
    return ""


@cache
def system_of(asked: str) -> System:
    """Of a command or a file."""
    if asked.startswith(NODE):
        return _system(asked, of_command(asked.removeprefix(NODE)), Path())
    return _system(asked, *described_by(asked))
