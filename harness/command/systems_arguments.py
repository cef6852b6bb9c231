"""What `shaketable systems` can be asked for."""

from __future__ import annotations

import argparse
from typing import Any, Final, NoReturn

from shaketable.harness.errors import UserError

_SYSTEMS: str = """\
Lists the systems whose members can be run and shaken: what each tells, whether it can be run here, and how many of the
scripts it can play, with the reasons for the others. With install, fetches and builds what that one needs, or all of
them, once a machine; the first run does so too."""


def add_systems(commands: Any) -> None:
    systems: argparse.ArgumentParser = commands.add_parser(
        "systems", help="list whose members can be shaken: ours, the real Hazelcast, ...", description=_SYSTEMS
    )
    systems.add_argument(
        "does", nargs="?", metavar="list|install", default="list", help="list them (usual), or install"
    )
    systems.add_argument("system", nargs="?", default="", metavar="NAME", help="one of them, or NAME:VERSION")
    systems.add_argument("--scripts", nargs="+", default=[], metavar="PATH", help="these, not all of shaketable")


class _Named(argparse.Action):
    """An empty name may be a variable that nobody has set: it does not mean ours."""

    def __call__(self, parser: argparse.ArgumentParser, options: argparse.Namespace, name: Any, *_: object) -> None:
        if not name:
            raise UserError(f"{parser.prog} --system: the name is empty; `shaketable systems` lists them")
        options.system = name


def add_system(command: argparse.ArgumentParser, whose: str = "whose members") -> None:
    """`--system`, and `--node` for those that have no name."""
    either = command.add_mutually_exclusive_group()
    either.add_argument(
        "--system", default="", action=_Named, metavar="NAME",
        help=f"{whose}: ours, one of `shaketable systems`, or the path of a system.toml",
    )  # fmt: skip
    either.add_argument(
        "--node", dest="system", type="node:{}".format, metavar="COMMAND",
        help="a node of your own that tells its views: --node './my-node --flag' (docs/contract.md)",
    )  # fmt: skip


_SIMULATED: Final = ("explore", "campaign", "shrink")


class _Refused(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *given: object) -> NoReturn:
        raise UserError(
            f"{parser.prog} --system: this command simulates our own members, and other systems have no simulated "
            "world: --system is for run, tui, pytest and compare-detectors"
        )


def refuse_system(commands: Any) -> None:
    """Where somebody may well look for it."""
    for name in _SIMULATED:
        commands.choices[name].add_argument("--system", nargs="?", action=_Refused, help=argparse.SUPPRESS)
