"""What every command that works on Spark takes on its command line besides its own. --help loads nothing else."""

from __future__ import annotations

import argparse


def add_spark_options(parser: argparse.ArgumentParser) -> None:
    """For session.spark_session: `options.spark_master` and `options.cores`."""
    parser.add_argument(
        "--spark-master", metavar="MASTER",
        help="spark://HOST:PORT, yarn, k8s://HOST:PORT, local[N] (default: all cores of this machine)",
    )  # fmt: skip
    parser.add_argument("--cores", type=int, metavar="N", help="so many cores of this machine (default: all)")
