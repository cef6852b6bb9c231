"""What all tests share: what came out is compared with a file, or written there; which of them run one by one."""

import contextlib
import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest
from tests.lengths import LONGEST

from shaketable.harness.folders import CONFIG, STATE
from shaketable.harness.pipeline.spark.session import spark_session, stop_spark
from shaketable.harness.runs.run import collect_garbage_rarely
from shaketable.tui.kept import of_this_user

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

AsWritten = Callable[[Path, str], None]
"""`as_written(file, happened)`: what the file says has come out. With `--rewrite` it is made to say so."""
GIVING_WAY = 3
"""the niceness of a process that has no real ones below it: half the share of one that has"""
REAL = {"real", "check_node", "examples"}
"""the folders of tests with real processes"""
FIRST = ("spark", "spark alone", "command", "real", "screens")
"""Each of these is for one process. One that began late would end last, and other cores would have nothing to do."""


def pytest_configure(config: pytest.Config) -> None:
    """A developer's settings for the screens, and the screens' memory, are no matter of the tests.

    A process started in the background ignores Ctrl-C, and one that outlives its terminal the end of that; so would all
    that the tests start and then interrupt or leave."""
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, usual)
    # How long it takes to draw a case says something of the machine alone.
    slow = [hypothesis.HealthCheck.too_slow]
    hypothesis.settings.register_profile("any machine", deadline=None, suppress_health_check=slow)
    hypothesis.settings.load_profile("any machine")
    own = tempfile.TemporaryDirectory(prefix="shaketable-tests-")
    config.add_cleanup(own.cleanup)
    for variable, _ in (CONFIG, STATE):
        os.environ[variable] = str(Path(own.name) / variable)
    of_this_user().keep(toured=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite",
        action="store_true",
        help="write what came out into the data files of tests/data; the diff is then the review",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that need Spark are long. Those that share a Spark stay in one process. So do those that start one as
    another process, those that run the command, those with real screens, and all others with real processes: they
    mostly wait. These come first, and then those that take a minute each."""
    ranks: dict[pytest.Item, int] = {}
    for item in items:
        group = _real_part(item)
        if spark := item.get_closest_marker("spark"):
            group = " ".join(["spark", *spark.args])
            item.add_marker(pytest.mark.long)
        ranks[item] = _rank(item, group)
        if group and config.pluginmanager.hasplugin("xdist"):
            item.add_marker(pytest.mark.xdist_group(group))
    items.sort(key=ranks.__getitem__)


def pytest_collection_finish() -> None:
    """Ten thousand tests are some million objects: gone through again and again, they take a fifth of a run's time."""
    collect_garbage_rarely()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Those with real processes go by the wall clock, wait most of the time, and come first: who simulates beside them
    gives way from its first test on."""
    if "PYTEST_XDIST_WORKER" in os.environ and not _real_part(item):
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, 0, max(os.getpriority(os.PRIO_PROCESS, 0), GIVING_WAY))


def _rank(item: pytest.Item, group: str) -> int:
    """On several cores they begin in this order."""
    if group:
        return FIRST.index(group)
    return len(FIRST) + (LONGEST.mark not in item.iter_markers("long"))


def _real_part(item: pytest.Item) -> str:
    """Of those with real processes."""
    parts = item.path.parts
    if "command" in parts:
        return "command"
    if not REAL.isdisjoint(parts) or (hasattr(item, "callspec") and "real" in item.nodeid):
        return "screens" if "tui" in parts else "real"
    return ""


@pytest.fixture(scope="session")
def spark_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Spark takes relative paths for those of this folder, wherever this process is."""
    return tmp_path_factory.mktemp("spark")


@pytest.fixture(scope="session")
def spark(spark_folder: Path) -> Iterator["SparkSession"]:
    """One for all tests of a process: its start costs seconds."""
    with contextlib.chdir(spark_folder):
        session = spark_session(memory="1g", short=True, app="tests")
    yield session
    stop_spark()


@pytest.fixture
def as_written(request: pytest.FixtureRequest) -> AsWritten:
    rewrite, test = request.config.getoption("--rewrite"), request.node.nodeid

    def compare(file: Path, happened: str) -> None:
        if rewrite:
            file.write_text(happened, encoding="utf-8")
        else:
            assert happened == file.read_text(encoding="utf-8"), f"pytest '{test}' --rewrite writes {file.name} anew"

    return compare
