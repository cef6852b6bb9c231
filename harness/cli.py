"""The console command `shaketable`."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

from shaketable import harness
from shaketable.harness.check_node.arguments import add_check_node, add_contract
from shaketable.harness.command.new import add_new, make_project
from shaketable.harness.command.screens_arguments import add_replay, add_tui
from shaketable.harness.command.systems_arguments import add_system, add_systems, refuse_system
from shaketable.harness.command.why_arguments import add_differ, add_export, add_why
from shaketable.harness.detectors.arguments import add_compare_detectors
from shaketable.harness.errors import UserError, sentence_of
from shaketable.harness.explain.arguments import add_explain
from shaketable.harness.explore.arguments import add_explore
from shaketable.harness.nemesis.arguments import add_shrink
from shaketable.harness.pipeline.arguments import (
    add_campaign,
    add_compare,
    add_measure,
    add_museum,
    add_report,
    add_store_commands,
)
from shaketable.harness.pipeline.choosing.arguments import add_search_options, is_search
from shaketable.harness.pipeline.needed import refuse_what_is_needed
from shaketable.harness.seeds import seed
from shaketable.harness.visible import visible

PASSED, UNKNOWN = 0, 2

_DESCRIPTION = """\
Shakes clusters: it starts real node processes, breaks nodes and the links between them, shows what every node
believes, and says with evidence whether the guarantees held. Each chaos script runs on real processes, and hundreds of
times faster in virtual time."""

_RUN = """\
Runs chaos scripts and reports which guarantees held. PATH is a file or a folder of scripts, FILE.py::NAME one script of
a file, or the name of a script that comes with shaketable. Exit code: 0 passed, 1 a guarantee or an expectation was
violated, 2 unknown (a fault had no effect, or a script did not run to its end) or could not run."""


_NO_OPTION: Final = re.compile(r"-[,0-9]")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message}; see {self.prog} --help")

    def parse_known_args(self, *given: Any, **named: Any) -> Any:
        """Of each command by itself: else what it does not know is told as if `shaketable` alone did not know it."""
        options, unknown = super().parse_known_args(*given, **named)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return options, unknown

    def _parse_optional(self, arg_string: str) -> Any:
        """A row of replicas may begin with nobody (-,-,-), and a value may be less than it can be (-1/month): no option
        begins so."""
        return None if _NO_OPTION.match(arg_string) else super()._parse_optional(arg_string)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="shaketable", description=_DESCRIPTION)
    parser.add_argument("--version", action="version", version=f"shaketable {harness.version()}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    run = commands.add_parser("run", help="run chaos scripts", description=_RUN)
    run.add_argument("paths", nargs="*", metavar="PATH", help="scripts: a folder, a file, FILE.py::NAME, or a name")
    run.add_argument(
        "--world", choices=("real", "sim"), default="real", help="real processes (default) or virtual time"
    )
    add_system(run)
    run.add_argument("--seed", type=seed, default=1, metavar="N", help="the seed of all random draws (default 1)")
    run.add_argument("--seeds", type=int, default=1, metavar="K", help="run each script with K seeds, from --seed on")
    run.add_argument(
        "--preset",
        choices=("default", "fast"),
        help="preset of the settings (default: fast in the real world, default in sim)",
    )
    run.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", dest="values",
        help="one setting, by our name or Hazelcast's: --set heartbeat_interval_seconds=0.5; "
        "a secret also as file:PATH or env:VARIABLE",
    )  # fmt: skip
    run.add_argument(
        "--plan", default="", metavar="FILE", help="play this fault plan in the place of the one that the script draws"
    )
    run.add_argument("--limit", type=float, metavar="SECONDS", help="end a script that takes longer, in its own time")
    run.add_argument("--toxiproxy", metavar="URL|PATH|relay", help="a running server, a program, or the built-in relay")
    run.add_argument("--report", metavar="DIR", help="write report.html, .md, .json, junit.xml and recordings there")
    run.add_argument(
        "--twins",
        action="store_true",
        help="after each run, also run its quiet twin: as long, without faults; nobody may be suspected",
    )
    run.add_argument(
        "--quiet", action="store_true", help="print only verdicts: one line for each script, and why a run did not pass"
    )
    run.add_argument(
        "--list", action="store_true", help="only list the scripts that would run; without PATH, those of shaketable"
    )

    add_systems(commands)
    add_check_node(commands)
    add_contract(commands)
    add_new(commands)
    add_tui(commands)
    add_replay(commands)
    add_why(commands)
    add_differ(commands)
    add_export(commands)
    add_explain(commands)
    compare = add_compare_detectors(commands)
    add_system(compare, "with --under: measure this system's detector beside ours, on real processes")
    add_search_options(compare)
    add_shrink(commands)
    add_explore(commands)
    add_campaign(commands)
    add_museum(commands)
    add_store_commands(commands)
    add_measure(commands)
    add_compare(commands)
    add_report(commands)
    refuse_system(commands)
    commands.add_parser(
        "doctor",
        help="say what is installed, what is missing, and which command mends it",
        description="Says what is installed, what is missing, and which command mends it. Exit code: 0 all that is "
        "needed is here, 2 something is missing.",
    )
    commands.add_parser(
        "settings",
        help="list every setting of a node: unit, default, fast, property name, meaning",
        description="Lists every setting of a node: its unit, its default and its value with --preset fast, "
        "Hazelcast's name of it, and its meaning. --set NAME=VALUE changes one.",
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Every mistake of a user ends in one sentence and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter is no reason to say nothing
    try:
        options = _parser().parse_args(arguments)
        try:
            code = _dispatch(options)
        except SystemExit:
            raise UserError("something of your own that was run ended the command (SystemExit)") from None
        if sys.stdout is not None:  # it was closed before we began
            sys.stdout.flush()
        return code
    except UserError as error:
        print(f"shaketable: {visible(str(error))}", file=sys.stderr)
        return UNKNOWN
    except KeyboardInterrupt:
        print("shaketable: interrupted", file=sys.stderr)
        return UNKNOWN
    except OSError as error:
        _let_go_of_the_output()
        if not isinstance(error, BrokenPipeError):  # whoever read our output has gone: there is nobody to tell
            print(f"shaketable: {visible(sentence_of(error))}", file=sys.stderr)
        return UNKNOWN


def _let_go_of_the_output() -> None:
    """The rest of it cannot be written either: keep the interpreter from trying once more at its end."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _dispatch(options: argparse.Namespace) -> int:
    # Each command imports what it needs: a short command should not wait for the others' libraries.
    if options.command == "campaign" and options.list_variants:
        from shaketable.harness.pipeline.campaigns.variants import asked_for, listed

        if options.scripts or options.more_scripts:
            raise UserError("--list-variants lists variants, whatever the scripts: leave out PATH")
        print("\n".join(listed(asked_for(options.variants, options.vary))))
        return PASSED
    refuse_what_is_needed(options)
    match options.command:
        case "run":
            if not options.paths and not options.list:
                raise UserError("give a PATH: a folder, a file, or the name of a script; see shaketable run --help")
            from shaketable.harness.command.session import run_session

            return run_session(options)
        case "systems":
            from shaketable.harness.command.systems import systems

            return systems(options)
        case "new":
            return make_project(Path(options.folder))
        case "tui" | "replay":
            # By name, at run time: the harness does not import the screens.
            return int(importlib.import_module("shaketable.tui.command").run(options))
        case "why":
            from shaketable.harness.command.why import why

            return why(options)
        case "differ":
            from shaketable.harness.command.differ import differ

            return differ(options)
        case "export":
            from shaketable.harness.command.export import export

            return export(options)
        case "explain" if options.subject == "plan":
            from shaketable.harness.explain.plan import explain_plan

            return explain_plan(options)
        case "explain":
            from shaketable.harness.explain.clique import explain_clique

            return explain_clique(options)
        case "compare-detectors" if is_search(options):
            from shaketable.harness.pipeline.choosing.command import choose

            return choose(options)
        case "compare-detectors":
            from shaketable.harness.pipeline.choosing.measuring import compare

            return compare(options)
        case "ingest":
            from shaketable.harness.pipeline.stores.ingest_command import ingest_runs

            return ingest_runs(options)
        case "check":
            from shaketable.harness.pipeline.stores.check_command import check_store

            return check_store(options)
        case "measure":
            from shaketable.harness.pipeline.measuring.measure_command import measure

            return measure(options)
        case "compare":
            from shaketable.harness.pipeline.comparing.compare_command import compare

            return compare(options)
        case "revalidate":
            from shaketable.harness.pipeline.stores.revalidate_command import revalidate_store

            return revalidate_store(options)
        case "compact":
            from shaketable.harness.pipeline.stores.compact_command import compact_store

            return compact_store(options)
        case "campaign":
            from shaketable.harness.pipeline.campaigns.campaign_command import campaign

            return campaign(options)
        case "shrink":
            from shaketable.harness.nemesis.shrink_case import shrink_command

            return shrink_command(options)
        case "explore":
            from shaketable.harness.command.explore import explore

            return explore(options)
        case "report":
            from shaketable.harness.pipeline.reports.report_command import report

            return report(options)
        case "museum":
            from shaketable.harness.pipeline.museum.museum_command import museum

            return museum(options)
        case "check-node":
            from shaketable.harness.check_node.command import run_check_node

            return run_check_node(options.node, options.level)
        case "contract":
            from shaketable.harness.check_node.command import print_contract

            return print_contract()
        case "doctor":
            from shaketable.harness.command.doctor import run_doctor

            return run_doctor()
        case _:
            from shaketable.harness.command.settings_table import print_settings

            print_settings()
            return PASSED
