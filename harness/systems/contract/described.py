"""What is said of a node in any language: by its command alone, or by a system.toml beside it."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, Literal

import msgspec

from shaketable.harness.errors import SystemRefused, UserError, reason_of, shortened
from shaketable.harness.otherwise import OTHERWISE
from shaketable.harness.systems.contract.levels import LEVELS
from shaketable.harness.systems.ours import FIRST_PORT
from shaketable.node.config import DEFAULT, SettingError, by_our_names, read_settings
from shaketable.node.messages import Address
from shaketable.node.process.control import LOOPBACK

CAN: Final[Mapping[str, str]] = {
    "hold": "holds nowhere",
    "messages": "lets nobody stop single messages",
    "clocks": "has the clock of its machine alone",
    "data": "holds no data for clients",
    "http": "answers no HTTP requests",
    "group": "is a cluster, and no group",
    "legacy": "has none of our legacy faults",
}
"""orders that a node may obey and settings that it may heed, and what is said of one that does not"""


LONGEST: Final = 3600.0
"""seconds"""


class Described(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What stands in a system.toml."""

    command: str
    """as a shell would read it; it is started in the folder of the file"""
    name: str = ""
    version: str = ""
    build: str = ""
    """a command that makes the program: done before each run"""
    level: int = 1
    tells: tuple[str, ...] = ()
    """more kinds of event than its level has"""
    never: tuple[str, ...] = ()
    """kinds of event that never occur there: nothing is missing if it does not tell them"""
    promises: tuple[str, ...] | None = None
    """the checks that may judge it; without it all for which it tells enough"""
    can: tuple[str, ...] = ()
    otherwise: tuple[str, ...] = ()
    """what it does otherwise than ours"""
    transport: Literal["both ways", "one way"] = "both ways"
    """whether each connection carries both directions"""
    addresses: Literal["n2:5702", "127.0.0.1:5702"] = "n2:5702"
    """how they look, by that of the second node; nobody listens there"""
    udp: bool = False
    """it also sends datagrams to the same ports"""
    preset: str = ""
    settings: dict[str, str | int | float | bool] = {}
    heeds: tuple[str, ...] | None = None
    """the settings that it goes by; without it all"""
    allowance_seconds: float = 2.0
    """that its members add to each bound"""
    patience_seconds: float = 10.0
    """for an answer of a node"""

    def address(self, node: str, number: int) -> Address:
        host = node if self.addresses.startswith("n") else LOOPBACK
        return f"{host}:{FIRST_PORT + number - 1}"


def of_command(command: str) -> Described:
    program, *arguments = words(command)
    script = next(filter(is_file, arguments), program)
    return Described(command=command, name=Path(script).name)


def is_file(word: str) -> bool:
    """A word of a command may be no path at all."""
    try:
        return Path(word).is_file()
    except (OSError, ValueError):
        return False


def described_by(path: str) -> tuple[Described, Path]:
    """And in which folder. SystemRefused: it cannot be read, or says what no system.toml says."""
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise SystemRefused(path, f"it cannot be read: {reason_of(error)}") from None
    try:
        described = msgspec.toml.decode(text, type=Described)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise SystemRefused(path, f"it is no system.toml: {shortened(error)}") from None
    if wrong := _wrong(described):
        raise SystemRefused(path, wrong)
    return described, Path(path).parent


def _wrong(described: Described) -> str:
    """What is wrong in it, and which words there are; "": nothing."""
    for key, given, known in (("can", described.can, CAN), ("otherwise", described.otherwise, OTHERWISE)):
        if unknown := next((word for word in given if word not in known), ""):
            return f"{key} has {unknown!r}, which is none of {', '.join(known)}"
    if unknown := next((name for name in described.heeds or () if name not in _all_settings()), ""):
        return f"heeds has {unknown!r}, which is no setting"
    if described.level not in LEVELS:
        return f"level = {described.level}: there are {', '.join(map(str, LEVELS))}"
    for key, command in (("command", described.command), ("build", described.build)):
        if key == "command" or command:
            try:
                words(command)
            except UserError as error:
                return str(error)
    for key, seconds in (("allowance", described.allowance_seconds), ("patience", described.patience_seconds)):
        if not 0 <= seconds <= LONGEST:
            return f"{key}_seconds = {seconds:g}: it is 0 to {LONGEST:g}"
    try:
        read_settings(described.preset or "default", by_our_names(described.settings))
    except SettingError as error:
        return f"settings: {error}"
    return ""


def words(command: str) -> list[str]:
    """UserError: it is no command."""
    if "\0" in command:
        raise UserError(f"{shortened(repr(command))} holds a NUL, which no command can")
    try:
        found = shlex.split(command)
    except ValueError as error:
        raise UserError(f"the command {shortened(repr(command))} cannot be read: {error}") from None
    if not found:
        raise UserError("a command of blanks starts nothing: give a program, such as './my-node --flag'")
    return found


@cache
def _all_settings() -> frozenset[str]:
    return frozenset(DEFAULT.outside())


def build(asked: str, command: str, folder: Path) -> None:
    try:
        done = subprocess.run(words(command), cwd=folder, capture_output=True, text=True, errors="replace")
    except OSError as error:
        raise SystemRefused(asked, f"{command} cannot be started: {reason_of(error)}") from None
    if done.returncode != 0:
        lines = (done.stderr + done.stdout).strip().splitlines() or ["it says nothing"]
        why = f"exit code {done.returncode}: {' / '.join(lines[-3:])}"
        raise SystemRefused(asked, f"{command} failed, {shortened(why)}")
