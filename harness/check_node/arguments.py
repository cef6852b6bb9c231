"""What `shaketable check-node` can be asked for."""

from __future__ import annotations

import argparse
from typing import Any

_CHECK = """\
Tries whether a program keeps the contract (docs/contract.md): alone, among three and among five, in under a minute.
NODE is a command, or the path of a system.toml. Exit code: 0 it does, 1 it does not, 2 it cannot be said."""


def add_check_node(commands: Any) -> None:
    check: argparse.ArgumentParser = commands.add_parser(
        "check-node", help="try whether a program of yours keeps the contract of a node", description=_CHECK
    )
    check.add_argument("node", metavar="NODE", help="'./my-node --flag', or the path of a system.toml")
    check.add_argument(
        "--level", type=int, metavar="N", help="how much it tells, 0 to 5 (default: as system.toml says, else 1)"
    )


def add_contract(commands: Any) -> None:
    text = "Prints the JSON Schema of all lines between a node and the harness."
    commands.add_parser("contract", help="print the JSON Schema of the contract of a node", description=text)
