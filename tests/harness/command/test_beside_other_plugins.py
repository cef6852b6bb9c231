"""The pytest plugin beside others that run coroutines or spread tests, and with options in the configuration file."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lengths import LONG

pytestmark = LONG

pytest_plugins = ["pytester"]

TESTS = """
import asyncio

import anyio
import pytest


async def test_of_a_cluster(cluster):
    await cluster.form("n1", "n2")
    await cluster.kill("n1")
    await cluster.expect(cluster.that.agree("n2"), within=cluster.bounds.crash)


async def test_that_fails(cluster):
    await cluster.form("n1", "n2")
    assert cluster.seen.master() == "n2"
"""
WHY = "*the script's assertion does not hold: assert 'n1' == 'n2'*"
OF_ASYNCIO = """
import pytest_asyncio


@pytest_asyncio.fixture
async def name():
    await asyncio.sleep(0)
    return "n7"


@pytest.mark.asyncio
async def test_of_asyncio(name):
    asyncio.get_running_loop()


@pytest.mark.asyncio
async def test_of_both(cluster, name):
    await cluster.form(name)


@pytest.mark.asyncio
@pytest.mark.shaketable(world="real")
async def test_of_both_on_real_processes(cluster, name):
    await cluster.form(name)
"""
OF_ANYIO = """
pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend():
    return "asyncio"


async def test_of_anyio():
    await anyio.sleep(0)
"""


@pytest.mark.parametrize("mode", ["auto", "strict"])
def test_beside_pytest_asyncio(pytester: pytest.Pytester, mode: str) -> None:
    pytester.makeini(f"[pytest]\nasyncio_mode = {mode}")
    pytester.makepyfile(TESTS + OF_ASYNCIO)
    told = run(pytester)
    told.assert_outcomes(passed=4, failed=1)
    told.stdout.fnmatch_lines([WHY])


def test_beside_anyio(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS + OF_ANYIO)
    told = run(pytester)
    told.assert_outcomes(passed=2, failed=1)
    told.stdout.fnmatch_lines([WHY])


def test_in_the_processes_of_xdist(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS, lonely=STORY)
    pytester.makeini("[pytest]\nshaketable_world = sim")
    told = run(pytester, "-n", "2", "--verbose")
    told.assert_outcomes(passed=2, failed=1)
    told.stdout.fnmatch_lines(["*PASSED lonely.py::lonely*"])


STORY = '''
from shaketable import Cluster, script


@script
async def lonely(cluster: Cluster) -> None:
    """One node alone."""
    await cluster.form("n1")
'''


def test_the_configuration_file_says_world_and_preset(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(lonely=STORY)
    pytester.makepyfile(
        "async def test_it(cluster):\n    await cluster.form('n1')\n    assert cluster.settings.heartbeat_interval == 0"
    )
    told = run(pytester)
    told.assert_outcomes(failed=1)
    told.stdout.fnmatch_lines(["*failed (sim world, *", "*assert 5000000 == 0*"])

    pytester.makeini("[pytest]\nshaketable_world = real\nshaketable_preset = fast")
    told = run(pytester)
    told.assert_outcomes(passed=1, failed=1)
    told.stdout.fnmatch_lines(["*failed (real world, *", "*assert 250000 == 0*"])

    told = run(pytester, "--shaketable-world=sim")
    told.assert_outcomes(passed=1, failed=1)
    told.stdout.fnmatch_lines(["*failed (sim world, *", "*assert 250000 == 0*"])


@pytest.mark.parametrize(
    ("option", "choices"),
    [("shaketable_world = virtual", "sim or real"), ("shaketable_preset = slow", "default or fast")],
)
def test_a_wrong_word_in_the_configuration_file(pytester: pytest.Pytester, option: str, choices: str) -> None:
    pytester.makeini(f"[pytest]\n{option}")
    told = run(pytester)
    assert told.ret == pytest.ExitCode.USAGE_ERROR
    name, _, value = option.partition(" = ")
    told.stderr.fnmatch_lines([f"ERROR: {name} = '{value}' in *tox.ini: give {choices}"])
    told.stderr.no_fnmatch_line("*Traceback*")


def test_a_project_may_have_folders_named_like_ours(pytester: pytest.Pytester) -> None:
    for name in ("node", "harness", "chaos", "tui"):
        pytester.mkpydir(name).joinpath("mine.py").write_text(f"NAME = {name!r}\n")
    pytester.makepyfile(
        "import sys, harness.mine, node.mine\n\n\nasync def test_it(cluster):\n"
        "    assert (harness.mine.NAME, node.mine.NAME) == ('harness', 'node')\n"
        "    await cluster.form('n1', 'n2')\n    await cluster.kill('n2')\n"
    )
    assert Path("node").is_dir()
    run(pytester).assert_outcomes(passed=1)
    run(pytester, "--shaketable-world=real").assert_outcomes(passed=1)


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """In a process of its own, as a user's pytest is."""
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments)
