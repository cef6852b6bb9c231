"""What --spark-master may name, looked at before Spark is: that one says it in pages, or only after a minute."""

from __future__ import annotations

import os
import re
import socket
from typing import Final

from shaketable.harness.errors import UserError

ANSWERS_WITHIN: Final = 5.0
"""seconds"""
_LOCAL: Final = re.compile(r"local(\[(\*|[1-9]\d*)(,\s*[1-9]\d*)?\])?")
_LOCAL_CLUSTER: Final = re.compile(r"local-cluster\[\s*[1-9]\d*\s*,\s*[1-9]\d*\s*,\s*([1-9]\d*)\s*\]")
LEAST: Final = 512
"""MB of an executor: Spark keeps 300 to itself"""
_STANDALONE: Final = re.compile(r"spark://[^\s:,/]+:\d+(,[^\s:,/]+:\d+)*")


def refuse_wrong_master(master: str) -> None:
    if master == "yarn":
        if not (os.environ.get("HADOOP_CONF_DIR") or os.environ.get("YARN_CONF_DIR")):
            raise UserError("--spark-master yarn: set HADOOP_CONF_DIR to the folder that says where its services are")
    elif _STANDALONE.fullmatch(master):
        addresses = master.removeprefix("spark://").split(",")
        if not any(map(_listens, addresses)):
            raise UserError(f"--spark-master {master}: nobody listens there; is the master started, on that port?")
    elif memory_of_each(master):
        if int(memory_of_each(master)) < LEAST:
            raise UserError(f"--spark-master {master}: give each executor at least {LEAST} MB")
    elif not _LOCAL.fullmatch(master) and not master.startswith("k8s://"):
        raise UserError(
            f"--spark-master {master} names no Spark master: give local[N], local-cluster[N,CORES,MB], "
            "spark://HOST:PORT, yarn or k8s://https://HOST:PORT"
        )


def memory_of_each(master: str) -> str:
    """MB of an executor, where the master is a cluster on this machine (`local-cluster[2,1,1024]`); "" elsewhere."""
    found = _LOCAL_CLUSTER.fullmatch(master)
    return found[1] if found else ""


def _listens(address: str) -> bool:
    host, _, port = address.partition(":")
    try:
        with socket.create_connection((host, int(port)), ANSWERS_WITHIN):
            return True
    except (OSError, OverflowError):
        return False
