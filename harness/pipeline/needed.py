"""Which packages that come with Spark a command needs for what was asked; said before any of them is loaded."""

from __future__ import annotations

import argparse
import shutil
from importlib.util import find_spec
from typing import Final

from shaketable.harness.errors import UserError

MANY: Final = 2_000
"""runs, for which Spark is started if nobody asks for it, and of which it is said how long things took. Spark's start,
its Python and its first statements take longer than fewer runs do"""
USUAL: Final = 1_000
"""runs of a campaign, if neither a number nor a time is given"""
STORE: Final = ("pyarrow",)
"""for a store that this process reads and writes"""
SPARK: Final = ("pyspark", "numpy", "pandas", "pyarrow")
DUCKDB: Final = ("duckdb",)
COMPARISON: Final = ("scipy",)
_OTHERS: Final = frozenset({"check", "compact", "ingest", "revalidate"})


def refuse_what_is_needed(options: argparse.Namespace) -> None:
    refuse_without(*needed_for(options))


def needed_for(options: argparse.Namespace) -> tuple[str, ...]:
    """Nothing for commands that are no part of the pipeline, or ask for Spark when they have come so far."""
    match options.command:
        case "campaign":
            if plays_on_spark(options):
                return (*SPARK, *COMPARISON) if options.before else SPARK
            return (*STORE, *DUCKDB, *COMPARISON) if options.before else STORE
        case "measure":
            return (*STORE, *DUCKDB) if asks_duckdb(options, options.store) else SPARK
        case "compare":
            packages = (*STORE, *DUCKDB) if asks_duckdb(options, options.before, options.now) else SPARK
            return (*packages, *COMPARISON)
        case "report":
            return (*SPARK, *COMPARISON) if options.against else SPARK
        case command:
            return SPARK if command in _OTHERS else ()


def plays_on_spark(options: argparse.Namespace) -> bool:
    """Of a campaign, which is played by processes of this machine else."""
    asked = bool(options.spark_master or options.last) or "://" in (options.before or "")
    return asked or (options.runs or USUAL) >= MANY


def asks_duckdb(options: argparse.Namespace, *stores: str) -> bool:
    """About these, which lie on this machine."""
    return options.spark_master is None and not any("://" in store for store in stores)


def refuse_without_spark() -> None:
    """For a command, before it imports what needs these."""
    refuse_without(*SPARK)


def refuse_without(*packages: str) -> None:
    missing = [each for each in packages if find_spec(each) is None]
    if missing:
        names = ", ".join(missing[:-1]) + " and " * (len(missing) > 1) + missing[-1]
        raise UserError(
            f"this needs {names}, which {'are' if len(missing) > 1 else 'is'} not installed: make spark, or "
            "pip install 'shaketable[spark]'"
        )
    if "pyspark" in packages and shutil.which("bash") is None:
        raise UserError("Spark is started by a bash script, and there is no bash on the PATH: install it")
