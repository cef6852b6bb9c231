"""`shaketable check-node` and `shaketable contract`."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

import msgspec

from shaketable.harness.check_node.stage import Trial
from shaketable.harness.check_node.told import Broken
from shaketable.harness.check_node.trials import TRIALS
from shaketable.harness.console.screen import Screen
from shaketable.harness.errors import UserError
from shaketable.harness.systems.contract import FILE
from shaketable.harness.systems.contract.described import Described, build, described_by, of_command
from shaketable.harness.systems.contract.levels import LEVELS
from shaketable.harness.systems.contract.schema import schema
from shaketable.node.config import by_our_names, read_settings


def run_check_node(node: str, level: int | None) -> int:
    """0: it keeps the contract; 1: it does not."""
    described, folder = described_by(node) if node.endswith(FILE) else (of_command(node), Path())
    if level is not None:
        if level not in LEVELS:
            raise UserError(f"--level {level}: there are {', '.join(f'{n} ({what})' for n, what in LEVELS.items())}")
        described = msgspec.structs.replace(described, level=level)
    if described.build:
        build(node, described.build, folder)
    screen = Screen()
    with tempfile.TemporaryDirectory(prefix="shaketable-check-node-") as logs:
        try:
            asyncio.run(_tried(described, folder, Path(logs), screen))
        except Broken as broken:
            _tell(broken, Path(logs), screen)
            return 1
    screen.say(f"\n{described.name or node} keeps the contract at level {described.level}: {LEVELS[described.level]}")
    return 0


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
    screen.say(f"  ✗ {broken.said}")
    if broken.line:
        screen.say(f"    its line: {broken.line}")
    screen.say(f"    the contract, {broken.rule} (docs/contract.md)")
    for log in sorted(logs.glob("*.log")):
        if last := log.read_text(errors="replace").strip().splitlines()[-3:]:
            screen.say(f"    {log.name} ends with: {' / '.join(last)}")


def print_contract() -> int:
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(schema()), indent=2) + b"\n")
    return 0
