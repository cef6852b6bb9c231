"""The one Spark session of a process: on this machine unless a master is named, bound to the loopback there, silent.

When this process ends, for any reason, Spark's ends too: it reads our end of a pipe, and goes when that is closed."""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import psutil

from shaketable.harness.errors import UserError, reason_of
from shaketable.harness.pipeline.needed import refuse_without_spark
from shaketable.harness.pipeline.spark.configuration import (
    settings_for,
    variables_for,
    with_retries,
    write_configuration,
)
from shaketable.harness.pipeline.spark.java import find_java, write_wrapper
from shaketable.harness.pipeline.spark.masters import refuse_wrong_master
from shaketable.harness.pipeline.spark.travel import send_code
from shaketable.harness.pipeline.spark.trouble import LOG, told_in_words
from shaketable.harness.runs.interrupts import sigterm_as_ctrl_c

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GONE_WITHIN: Final = 5.0
"""seconds that it gets to end by itself"""
_SCRATCH: Final = "shaketable-spark-"


class _Running:
    """What has to be cleared up at the end."""

    def __init__(self, session: SparkSession, asked: str, scratch: Path) -> None:
        self.session = session
        self.asked = asked
        self.scratch = scratch


_running: _Running | None = None


def spark_session(
    master: str | None = None,
    *,
    cores: int | None = None,
    app: str = "shaketable",
    memory: str | None = None,
    short: bool = False,
    begins: Callable[[], None] | None = None,
) -> SparkSession:
    """`master` as --spark-master gives it; without it all cores of this machine, or so many of them. `memory` is for
    Spark's own process, as in 1g. A `short` session ends before Java's best compiler has made up for its own work.
    `begins` is called when nothing is left to refuse, and Java starts."""
    global _running
    if cores is not None and (master is not None or cores < 1):
        why = "give at least 1" if cores < 1 else "it counts cores of this machine, and does not go with --spark-master"
        raise UserError(f"--cores {cores}: {why}")
    asked = master or f"local[{cores or '*'}]"
    refuse_wrong_master(asked)
    if _running is not None:
        if _running.asked != asked:
            raise UserError(f"Spark runs at {_running.asked} in this process: it cannot be at {asked} as well")
        return _running.session
    refuse_without_spark()
    scratch = _new_scratch()
    try:
        session = _start(asked, app, memory, short, scratch, begins)
    except BaseException as error:
        _end_gateway()
        shutil.rmtree(scratch, ignore_errors=True)
        if isinstance(error, ImportError):
            raise UserError(f"Spark's package cannot be loaded: {error}; install it anew: make spark") from None
        raise
    _running = _Running(session, asked, scratch)
    atexit.register(stop_spark)
    return session


def bytes_below(folder: Path) -> int:
    """By which a command knows whether its work is short; 0 for what is not on this machine."""
    found = 0
    for file in folder.rglob("*"):
        with contextlib.suppress(OSError):
            found += file.stat().st_size
    return found


def scratch_folder() -> Path:
    """Of the session that runs; it goes with it."""
    assert _running is not None
    return _running.scratch


def stop_spark() -> None:
    """Does nothing where none runs. Nothing of it is left behind, also if its process was killed or hangs."""
    global _running
    running, _running = _running, None
    if running is None:
        return
    atexit.unregister(stop_spark)
    with contextlib.suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it may be gone already, or not listen any more
        running.session.stop()
    _end_gateway()
    shutil.rmtree(running.scratch, ignore_errors=True)


def _start(
    asked: str, app: str, memory: str | None, short: bool, scratch: Path, begins: Callable[[], None] | None
) -> SparkSession:
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    if begins is not None:
        begins()
    java, own, conf = find_java(), scratch / "java", scratch / "conf"
    write_wrapper(java, own)
    given = write_configuration(conf)
    if not logging.root.handlers:
        logging.root.addHandler(logging.NullHandler())  # else py4j tells the console of each interrupted call
    values = {**settings_for(asked, scratch, memory, short), "spark.master": with_retries(asked), "spark.app.name": app}
    asked_for = {"spark.master", "spark.app.name", *(["spark.driver.memory"] if memory else [])}
    settings = SparkConf().setAll([each for each in values.items() if each[0] not in given or each[0] in asked_for])
    with _environment(variables_for(asked, own, conf, scratch)), told_in_words(f"Spark cannot be started at {asked}"):
        try:
            with _own_signals(), Path(os.environ.get(LOG) or os.devnull).open("ab") as told:
                # In a session of its own no Ctrl-C of the terminal reaches it in the middle of its work. The
                # last words of its processes are no matter of the console.
                apart: dict[str, Any] = {"stdout": told, "stderr": told, "start_new_session": True}
                context = SparkContext(conf=settings, gateway=launch_gateway(settings, apart))  # type: ignore[no-untyped-call]
            # Else it says on the console, with a traceback, that Spark's process was killed.
            context._accumulatorServer.handle_error = lambda *_: None  # type: ignore[method-assign]
            session = SparkSession(context)
        except RuntimeError as error:  # the process ended before it answered
            raise UserError(f"Spark cannot be started at {asked}: {error} (set {LOG}=FILE for what it says)") from None
    send_code(session, scratch)
    return session


@contextlib.contextmanager
def _own_signals() -> Iterator[None]:
    """pyspark would call Java in the handler of Ctrl-C, in the middle of another call."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """Only while Spark is started: what this process starts later has its own."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _new_scratch() -> Path:
    """Where all its temporary files go. Those of processes that were killed are removed now."""
    top = Path(tempfile.gettempdir())
    for old in top.glob(f"{_SCRATCH}*"):
        number = old.name.removeprefix(_SCRATCH).partition("-")[0]
        if number.isdigit() and not psutil.pid_exists(int(number)):
            shutil.rmtree(old, ignore_errors=True)
    try:
        return Path(tempfile.mkdtemp(prefix=f"{_SCRATCH}{os.getpid()}-"))
    except OSError as error:
        why = reason_of(error)
        raise UserError(f"{top} takes no temporary files: {why}; set TMPDIR to another folder") from None


def _end_gateway() -> None:
    """pyspark keeps Spark's process for a next session, until this process ends."""
    if "pyspark" not in sys.modules:
        return  # it could not be loaded
    from pyspark import SparkContext

    gateway: Any = SparkContext._gateway
    if gateway is None:
        return
    SparkContext._gateway = None
    SparkContext._jvm = None
    process: subprocess.Popen[bytes] | None = getattr(gateway, "proc", None)
    with contextlib.suppress(Exception):
        gateway.shutdown()
    if process is None:
        return
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()
    try:
        process.wait(GONE_WITHIN)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextlib.contextmanager
def ending_in_order() -> Iterator[None]:
    """For a command: SIGTERM ends it as Ctrl-C does, with nothing left of the Spark that it started."""
    stays = _running is not None or threading.current_thread() is not threading.main_thread()
    with sigterm_as_ctrl_c():
        try:
            yield
        finally:
            if not stays:
                stop_spark()
