"""The pytest plugin in test suites of a user's own, each run as a pytest of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.harness.command.command_helpers import HEAD, environment, write
from tests.waiting import HANG, wait_until
from tests.where import story

PYTEST = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-ra"]


def run_pytest(folder: Path, *arguments: object) -> tuple[int, str]:
    done = subprocess.run(
        [*PYTEST, *map(str, arguments)], cwd=folder, env=environment(COLUMNS="160"), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=HANG,
    )  # fmt: skip
    return done.returncode, done.stdout


def test_a_folder_of_scripts_is_a_test_suite_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "stories"
    folder.mkdir()
    for name in ("crashes", "leaves", "masters", "owner_crashes"):
        shutil.copy(story(name), folder)
    code, told = run_pytest(tmp_path, "--shaketable-world=sim", "--rootdir", tmp_path, folder)
    assert code == 0, told
    assert int(told.split(" passed in")[0].split()[-1]) > 10
    code, told = run_pytest(tmp_path, "--rootdir", tmp_path, folder)
    assert "no tests ran" in told


def test_a_script_runs_on_real_processes_as_a_test(tmp_path: Path) -> None:
    script = write(tmp_path, 'await cluster.form("n1", "n2")\nawait cluster.kill("n2")\nawait cluster.sleep(SECOND)')
    code, told = run_pytest(tmp_path, "--shaketable-world=real", script)
    assert (code, "1 passed" in told) == (0, True), told


def test_a_fault_of_ours_is_no_broken_guarantee(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        "from shaketable.harness.runs import judging\n\n\n"
        "def judged(finished):\n    raise KeyError('nobody foresaw it')\n\n\njudging.judged = judged\n"
    )
    code, told = run_pytest(tmp_path, "--shaketable-world=sim", write(tmp_path, 'await cluster.form("n1")'))
    assert code == 2, told
    assert "this is a fault of shaketable itself (KeyError: 'nobody foresaw it'): please report it" in told


def test_a_script_that_fails_shows_why_and_the_command_that_runs_it_again(tmp_path: Path) -> None:
    body = """
await cluster.form("n1", "n2")
await cluster.kill("n2")
await cluster.expect(cluster.that.agree("n1", "n2"), within=cluster.bounds.crash)
"""
    write(tmp_path, body)
    (tmp_path / "helper.py").write_text("raise SystemExit('no script: never loaded')\n")
    (tmp_path / "broken.py").write_text(f"{HEAD}@script(about=['setled'])\nasync def broken(cluster): ...\n")
    options = ("--shaketable-world=sim", "--shaketable-seed=4", "--shaketable-preset=fast")
    code, told = run_pytest(tmp_path, *options, "--continue-on-collection-errors", ".")
    assert code != 0
    for words in (
        "story: failed (sim world, links: simulated, seed 4)",
        "failed: expected within 0.450 s of the last fault: n1, n2 agree on one list; but n2 is not running (killed)",
        "again: shaketable run story.py::story --world sim --seed 4 --preset fast",
        "broken.py:5: there is no check 'setled'",
    ):
        assert words in told, told
    assert "Traceback" not in told
    assert "never loaded" not in told


SUITE = '''
import pytest
from pathlib import Path

async def test_passes(cluster):
    """With a title of its own."""
    await cluster.form("n1", "n2", "n3")
    await cluster.kill("n1")
    await cluster.expect(cluster.that.agree("n2", "n3"), within=cluster.bounds.crash)

async def test_fails(cluster):
    await cluster.form("n1", "n2")
    await cluster.kill("n2")
    await cluster.expect(cluster.that.agree("n1", "n2"), within=cluster.bounds.crash)

async def test_asserts(cluster):
    await cluster.form("n1", "n2")
    assert cluster.seen.master() == "n2"

async def test_takes_no_effect(cluster):
    await cluster.form("n1", "n2")
    await cluster.kill("n2")
    await cluster.pause("n2")

def test_is_no_coroutine(cluster):
    pass

@pytest.mark.shaketable(seed=9, preset="fast", settings={"heartbeat_interval_seconds": 0.125}, about="settled")
async def test_is_marked(cluster):
    assert (cluster.seed, cluster.settings.heartbeat_interval) == (9, 125_000)
    await cluster.form("n1")

@pytest.mark.shaketable(about=["setled"])
async def test_is_about_nothing(cluster):
    pass

@pytest.mark.shaketable(sed=3)
async def test_is_marked_wrong(cluster):
    pass

@pytest.mark.shaketable(limit=30)
async def test_hangs(cluster):
    await cluster.sleep(10**9)

@pytest.mark.parametrize("names", [("a",), ("a", "b")])
async def test_with_parameters_and_fixtures(cluster, names, tmp_path):
    assert tmp_path.is_dir()
    await cluster.form(*names)
    assert tuple(cluster.seen.members()) == names

class TestInAClass:
    async def test_too(self, cluster):
        await cluster.form("n1")

async def test_is_skipped(cluster):
    pytest.skip("not today")

@pytest.fixture
def formed(cluster):
    cluster.form("n1")

async def test_of_a_fixture(formed, cluster):
    pass
'''


def test_a_suite_of_ones_own_has_a_cluster(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(SUITE)
    _, told = run_pytest(tmp_path, "-vv")
    outcomes = {}
    for line in told.splitlines():
        if line.startswith("test_mine.py::"):
            name, outcome = line.split("::", 1)[1].split()[:2]
            outcomes[name] = outcome
    assert outcomes == {
        "test_passes": "PASSED",
        "test_fails": "FAILED",
        "test_asserts": "FAILED",
        "test_takes_no_effect": "FAILED",
        "test_is_no_coroutine": "ERROR",
        "test_is_marked": "PASSED",
        "test_is_about_nothing": "FAILED",
        "test_is_marked_wrong": "FAILED",
        "test_hangs": "FAILED",
        "test_with_parameters_and_fixtures[names0]": "PASSED",
        "test_with_parameters_and_fixtures[names1]": "PASSED",
        "TestInAClass::test_too": "PASSED",
        "test_is_skipped": "SKIPPED",
        "test_of_a_fixture": "ERROR",
    }
    for words in (
        "test_fails: failed (sim world, links: simulated, seed 1)",
        "again: pytest test_mine.py::test_fails --shaketable-world=sim --shaketable-seed=1 --shaketable-preset=default",
        "the script's assertion does not hold: assert 'n1' == 'n2'",
        "test_takes_no_effect: unknown (sim world",
        "fault 2 (pause n2) took no effect: n2 is not running",
        "a test that uses `cluster` is an `async def`: its verbs are awaited",
        "the marker shaketable: there is no check 'setled'",
        "the marker shaketable takes no sed; it takes about,",
        "it did not end in time; it was at",
        "cluster.form is for the `async def` test itself",
        "not today",
    ):
        assert words in told, told
    code, told = run_pytest(
        tmp_path, "test_mine.py::test_fails", "--shaketable-world=sim", "--shaketable-seed=1",
        "--shaketable-preset=default",
    )  # fmt: skip
    assert (code, "1 failed" in told) == (1, True)


def test_a_link_server_that_cannot_be_used_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text("async def test_it(cluster):\n    await cluster.form('n1')\n")
    code, told = run_pytest(tmp_path, "--shaketable-world=real", "--shaketable-toxiproxy=http://127.0.0.1:9")
    assert code == 1
    assert "http://127.0.0.1:9" in told
    assert "Traceback" not in told
    assert "pytest_plugin.py" not in told


def test_ctrl_c_ends_pytest_and_not_only_the_test(tmp_path: Path) -> None:
    both = "async def test_{0}(cluster):\n    await cluster.form('n1')\n    await cluster.sleep(10**9)\n"
    (tmp_path / "test_mine.py").write_text(both.format("one") + both.format("two"))
    with subprocess.Popen(
        [*PYTEST, "-s", "--shaketable-world=real", "--basetemp", str(tmp_path / "base")],
        cwd=tmp_path, env=environment(TMPDIR=str(tmp_path)), stdout=subprocess.PIPE, text=True, start_new_session=True,
    ) as running:  # fmt: skip
        wait_until(lambda: list(tmp_path.glob("shaketable-*/n1.log")), "n1 runs")
        time.sleep(0.2)
        os.killpg(running.pid, signal.SIGINT)
        told, _ = running.communicate(timeout=HANG)
    assert running.returncode == pytest.ExitCode.INTERRUPTED, told
    assert "KeyboardInterrupt" in told


def test_the_plugin_costs_other_suites_nothing() -> None:
    heavy = (
        "asyncio",
        "msgspec",
        "psutil",
        "requests",
        "rich",
        "shaketable.harness.scripting.cluster",
        "toxiproxy",
        "zmq",
    )
    program = (
        "import sys, pytest; before = set(sys.modules); import shaketable.harness.pytest_plugin;"
        f"print([name for name in {heavy!r} if name in set(sys.modules) - before])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_marker_that_says_nonsense_is_told_before_the_test_is_run(tmp_path: Path) -> None:
    wrong = {
        '"settled"': "takes names alone: say what 'settled' is",
        'seed="x"': "seed='x': give a whole number",
        "seed=True": "seed=True: give a whole number",
        "seed=-1": "seed=-1: give a whole number from 0 to ",
        "limit=-1": "limit=-1: give a number of seconds above 0",
        'limit="x"': "limit='x': give a number of seconds above 0",
        'world="moon"': "world='moon': give sim or real",
        "system=5": "system=5: give a name, or NAME:VERSION, as text",
        'preset="slow"': "preset='slow': give default or fast",
    }
    tests = [
        f"@pytest.mark.shaketable({given})\nasync def test_{number}(cluster):\n    raise KeyError('it was run')\n"
        for number, given in enumerate(wrong)
    ]
    (tmp_path / "test_markers.py").write_text("import pytest\n\n\n" + "\n\n".join(tests))
    _, told = run_pytest(tmp_path, "test_markers.py")
    assert f"{len(wrong)} failed" in told
    assert "it was run" not in told
    for words in wrong.values():
        assert words in told
