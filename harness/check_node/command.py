"""`shaketable check-node` and `shaketable contract`."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path

import msgspec

from shaketable.harness.check_node.stage import Trial
from shaketable.harness.check_node.told import Broken
from shaketable.harness.check_node.trials import HIGHEST_TRIED, TRIALS
from shaketable.harness.console.screen import Screen
from shaketable.harness.errors import SystemRefused, UserError
from shaketable.harness.runs.interrupts import sigterm_as_ctrl_c
from shaketable.harness.systems.contract import FILE
from shaketable.harness.systems.contract.described import Described, build, described_by, is_file, of_command
from shaketable.harness.systems.contract.levels import LEVELS
from shaketable.harness.systems.contract.schema import schema
from shaketable.harness.visible import in_one_line
from shaketable.harness.worlds.real.meeting_point import room_for_sockets
from shaketable.harness.worlds.real.node_log import NodeLog
from shaketable.node.config import by_our_names, read_settings


def run_check_node(node: str, level: int | None) -> int:
    """0: it keeps the contract; 1: it does not."""
    described, folder = _described(node, level)
    screen = Screen()
    with sigterm_as_ctrl_c(), _folder_for_logs() as logs:
        try:
            asyncio.run(_tried(described, folder, Path(logs), screen))
        except Broken as broken:
            _tell(broken, Path(logs), screen)
            return 1
    screen.say(f"\n{described.name or node} keeps the contract {_as_far_as(described.level)}")
    return 0


def _described(node: str, level: int | None) -> tuple[Described, Path]:
    """By a command or by a file, and in which folder. It is built."""
    if not node.endswith(FILE) or (len(node.split()) > 1 and not is_file(node)):
        return _at(of_command(node), level), Path()
    try:
        described, folder = described_by(node)
        described = _at(described, level)
        if described.build:
            build(node, described.build, folder)
    except SystemRefused as error:
        raise UserError(f"{error.asked}: {error.why}") from None
    return described, folder


def _at(described: Described, level: int | None) -> Described:
    if level is None:
        return described
    if level not in LEVELS:
        raise UserError(f"--level {level}: there are {', '.join(f'{n} ({what})' for n, what in LEVELS.items())}")
    return msgspec.structs.replace(described, level=level)


def _as_far_as(level: int) -> str:
    """As it was tried: of the higher levels the trials see nothing."""
    if level <= HIGHEST_TRIED:
        return f"at level {level}: {LEVELS[level]}"
    more = f"what it tells at level {level} beyond that is for scripts to try"
    return f"at level {HIGHEST_TRIED} of {max(LEVELS)}: {LEVELS[HIGHEST_TRIED]}; {more}"


def _folder_for_logs() -> tempfile.TemporaryDirectory[str]:
    """By its name the guard removes it, however this process ends."""
    return tempfile.TemporaryDirectory(prefix=f"sht-{os.getpid()}-", dir=room_for_sockets())


async def _tried(described: Described, folder: Path, logs: Path, screen: Screen) -> None:
    settings = read_settings(described.preset or "fast", by_our_names(described.settings))
    for count, trials in TRIALS:
        trial = Trial(described, folder, settings, count, logs)
        try:
            await trial.open()
            async for passed in trials(trial):
                screen.say(f"  ✓ {passed}")
        finally:
            await trial.close()


def _tell(broken: Broken, logs: Path, screen: Screen) -> None:
    screen.say(f"  ✗ {in_one_line(broken.said)}")
    if broken.line:
        screen.say(f"    its line: {in_one_line(broken.line)}")
    screen.say(f"    the contract, {broken.rule} (docs/contract.md)")
    for log in sorted(logs.glob("*.log")):
        if last := NodeLog(log, begin=0).last():
            screen.say(f"    {log.name} ends with: {in_one_line(last)}")


def print_contract() -> int:
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(schema()), indent=2) + b"\n")
    return 0
