"""`shaketable run` of scripts that go wrong, in both worlds: a verdict or one sentence, an exit code that says so, and
nothing is left. tests/harness/runs/test_scripts_that_go_wrong.py has what a script does within its process."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.harness.command.command_helpers import Harness, Ran, harness, report, write
from tests.lengths import LONG, one_in
from tests.waiting import wait_until

FORM = 'await cluster.form("n1", "n2")\n'
SWALLOWS = "while True:\n    try: {}\n    except BaseException: pass"
LEAVES = "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1000)']{})"
ENDED = "shaketable: the run ended without a verdict: something in it ended its process, with exit code 0\n"
KILLED = "shaketable: the run ended without a verdict: its process was ended by {}\n"

WITH_A_VERDICT: dict[str, tuple[str, int, str]] = {
    "os._exit": ("import os; os._exit(0)", 2, "os._exit would end the harness before its verdict"),
    "a fork": ("import os; os.fork()", 2, "os.fork would leave a copy of the harness"),
    "a fork by another way": ("import posix; posix.fork()", 0, ""),
    "a child that is left": (LEAVES.format(""), 0, ""),
    "a child in a session of its own": (LEAVES.format(", start_new_session=True"), 0, ""),
    "a grandchild": ("import subprocess; subprocess.run('sleep 1000 & sleep 1000 &', shell=True)", 0, ""),
    "a thread": ("import threading, time\nthreading.Thread(target=time.sleep, args=(1000,)).start()", 0, ""),
    "another folder": ("import os; os.mkdir('there'); os.chdir('there')\nawait cluster.sleep(SECOND)", 0, ""),
    "another output": ("import sys\nwith open('mine', 'w') as sys.stdout: print(7)", 0, ""),
    "KeyboardInterrupt": ("raise KeyboardInterrupt", 2, "story.py:10: KeyboardInterrupt"),
    "a handler of Ctrl-C": ("import signal as s\ns.signal(s.SIGINT, s.SIG_IGN)", 2, "signal.signal would keep"),
    "all is caught": (
        SWALLOWS.format("await cluster.expect(cluster.that.agree('n1'), within=0)"), 1,
        "it went on after 1,000 things had not come true",
    ),
    "files": ("kept = []\nwhile True: kept.append(open('/dev/null'))", 2, "story.py:11: OSError"),
    "hidden files": ("import os; os.umask(0o777)", 2, "story.py:10: os.umask would keep you"),
    "descriptors": ("import os; os.closerange(3, 256)", 2, "story.py:10: os.closerange would close"),
    "a closed output": ("import sys; sys.stdout.close()", 2, "story.py:10: sys.stdout.close would leave"),
    "little depth": ("import sys; sys.setrecursionlimit(60)", 2, "story.py:10: sys.setrecursionlimit would leave"),
    "recursion": ("def deeper(): return deeper()\ndeeper()", 2, "RecursionError"),
}  # fmt: skip
WITHOUT: dict[str, tuple[str, str]] = {
    "an exit that nothing catches": ("import ctypes; ctypes.CDLL(None)._exit(0)", ENDED),
    "SIGKILL": (
        "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
        KILLED.format("SIGKILL; perhaps there was not enough memory"),
    ),
    "closed one by one": (
        "import os\nfor number in range(3, 256):\n    try: os.close(number)\n    except OSError: pass",
        f"shaketable: bad file descriptor\n{ENDED.replace('code 0', 'code 2')}",
    ),
    "a bad pointer": ("import ctypes; ctypes.string_at(0)", KILLED.format("SIGSEGV")),
}
WORLDS = ("sim", "real")


def played(folder: Path, world: str, body: str) -> tuple[Harness, Ran]:
    """Processes that were left are looked for by the marker in their environment."""
    with harness(folder, write(folder, FORM + body), "--world", world) as running:
        ended = running.ended()
        running.nothing_is_left()
    assert not list(Path(os.environ["TMPDIR"]).iterdir())
    return running, ended


@pytest.fixture(autouse=True)
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """With a short name: the path of a socket has little room."""
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setenv("TMPDIR", folder)
        yield


@pytest.mark.parametrize(("world", "what"), one_in(7, [(w, what) for w in WORLDS for what in WITH_A_VERDICT]))
def test_a_verdict(world: str, what: str, tmp_path: Path) -> None:
    body, code, sentence = WITH_A_VERDICT[what]
    running, ended = played(tmp_path, world, body)
    (verdict,) = report(running.report)["runs"]
    if any(reason["about"] == "machine" for reason in verdict["reasons"]):
        code = 2  # it was too busy to blame anybody
    assert (ended.code, ended.err) == (code, ""), verdict["reasons"]
    assert verdict["outcome"] == ["passed", "failed", "unknown"][code]
    assert any(sentence in reason["text"] for reason in verdict["reasons"]) or not sentence, verdict["reasons"]


@pytest.mark.parametrize(("world", "what"), one_in(3, [(w, what) for w in WORLDS for what in WITHOUT]))
def test_no_verdict_but_a_sentence(world: str, what: str, tmp_path: Path) -> None:
    body, sentence = WITHOUT[what]
    _, ended = played(tmp_path, world, LEAVES.format(", start_new_session=True") + "\n" + body)
    assert (ended.code, ended.err) == (2, sentence)


@LONG
@pytest.mark.parametrize(
    ("world", "body"),
    [
        ("sim", "import time; time.sleep(38)\nwhile True: pass"),
        ("real", "import time\nwhile True:\n    try: time.sleep(9)\n    except: pass"),
    ],
)
def test_a_script_that_never_awaits(world: str, body: str, tmp_path: Path) -> None:
    """It is looked at after 20 s, and after as many again: the one that computes does so for the last two of them."""
    running, ended = played(tmp_path, world, body)
    assert (ended.code, ended.err) == (2, "")
    assert "it ran for 20 s without awaiting anything" in str(report(running.report)["runs"])


def test_a_working_folder_that_is_removed_in_the_real_world(tmp_path: Path) -> None:
    body = "import os; os.mkdir('there'); os.chdir('there'); os.rmdir(os.getcwd())\nawait cluster.join('n3')"
    running, ended = played(tmp_path, "real", body)
    assert (ended.code, ended.err) == (2, "")
    assert "the working folder was removed, and a process needs one to start in" in str(report(running.report)["runs"])


def test_many_prints_are_the_user_s_own(tmp_path: Path) -> None:
    """Nothing keeps them: a harness that has little memory gets through."""
    _, ended = played(tmp_path, "sim", "for _ in range(200): print('x' * 1_000_000)")
    assert ended.code == 0
    assert ended.out.count("x") >= 200_000_000


def test_help_passes_the_guard(tmp_path: Path) -> None:
    with harness(tmp_path, "--help") as running:
        ended = running.ended()
    assert (ended.code, ended.err) == (0, "")
    assert "PATH" in ended.out


SLEEPS = FORM + "await cluster.sleep(200 * SECOND)"


def test_ctrl_z_stops_the_scripts_too_and_they_go_on(tmp_path: Path) -> None:
    with harness(tmp_path, write(tmp_path, SLEEPS)) as running:
        running.wait_for("NodeSpawned")
        (child,) = running.pair() - {running.process.pid}
        running.process.send_signal(signal.SIGTSTP)
        wait_until(lambda: stopped(child) and stopped(running.process.pid), "both are stopped")
        os.killpg(running.process.pid, signal.SIGCONT)
        wait_until(lambda: not stopped(child) and not stopped(running.process.pid), "both go on")
        running.ctrl_c()
        assert running.ended().code == 2
        running.nothing_is_left()


def stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def test_a_child_that_does_not_end_is_ended_at_the_fourth_interruption(tmp_path: Path) -> None:
    """It hangs where nothing of Python runs."""
    body = "import ctypes\nopen('deaf', 'w').close()\nctypes.PyDLL(None).sleep(1000)"
    with harness(tmp_path, write(tmp_path, FORM + body), "--world", "sim") as running:
        running.wait_until((tmp_path / "deaf").exists, "it hangs")
        while running.process.poll() is None:
            running.ctrl_c()
        assert running.ended().code == 2
        running.nothing_is_left()
