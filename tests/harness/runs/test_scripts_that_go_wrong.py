"""Scripts are code, and code goes wrong: whatever a script does, its run ends, with a verdict that says what it did.

In virtual time and in this process, which stays as it was. tests/harness/command/test_guard.py does the same to the
command, in both worlds, and also what no process can do to itself and live."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.harness.command.command_helpers import write

from shaketable.harness.errors import UserError
from shaketable.harness.reports import write_reports
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.scripts import scripts_of
from shaketable.harness.scripting.verbs.base import MOST_STEPS, MOST_UNMET
from shaketable.harness.verdicts.reasons import MOST_OF_A_KIND
from shaketable.harness.verdicts.verdict import MOST_EXPECTATIONS, RunVerdict, session_of
from shaketable.node.cluster.member import ClusterMember
from shaketable.node.config import Settings
from shaketable.node.core.env import SECOND, Env
from shaketable.node.events import Failed
from shaketable.node.legacy import make_cluster_member
from shaketable.node.messages import Address

PAGE = 5_000_000
"""bytes, as docs/reports.md says"""
FORM = 'await cluster.form("n1", "n2")\n'
OPTIONS, IMPATIENT = Options(), Options(stuck=0.05)
SWALLOWS = "while True:\n    try:\n        {}\n    except BaseException:\n        pass"


def verdict_of(folder: Path, body: str, options: Options = OPTIONS) -> RunVerdict:
    (script,) = scripts_of(write(folder, FORM + body))
    return judged(run_simulated(script, options))


def told(verdict: RunVerdict) -> str:
    return "\n".join(f"{reason.outcome}: {reason.text}" for reason in verdict.reasons)


@pytest.mark.parametrize(
    ("body", "line", "sentence"),
    [
        pytest.param("import os; os._exit(0)", 10, "os._exit would end the harness before its verdict", id="os._exit"),
        pytest.param("import os; os.abort()", 10, "os.abort would end the harness before its verdict", id="abort"),
        pytest.param("import os; os.fork()", 10, "os.fork would leave a copy of the harness", id="fork"),
        pytest.param(
            "import multiprocessing as m\nm.get_context('fork').Process(target=print).start()",
            11, "os.fork would leave a copy of the harness", id="multiprocessing",
        ),
        pytest.param("import os; os.execl('/bin/true', 'true')", 10, "os.execv would put another program", id="exec"),
        pytest.param("import sys; sys.exit(0)", 10, "SystemExit: 0", id="sys.exit"),
        pytest.param("class Own(BaseException): pass\nraise Own('no')", 11, "Own: no", id="BaseException"),
        pytest.param("def deeper():\n    return deeper()\ndeeper()", 11, "RecursionError", id="recursion"),
        pytest.param("raise ValueError('x' * 10**8)", 10, "ValueError: xxx", id="a long error"),
        pytest.param("import signal as s\ns.signal(s.SIGINT, s.SIG_IGN)", 11, "signal.signal would keep", id="SIGINT"),
        pytest.param("import signal as s\ns.signal(s.SIGALRM, print)", 11, "signal.signal would keep", id="SIGALRM"),
        pytest.param("import signal as s\ns.setitimer(s.ITIMER_REAL, 0)", 11, "signal.setitimer would", id="alarm"),
        pytest.param("import os; os.umask(0o777)", 10, "os.umask would keep you from reading what", id="umask"),
        pytest.param("import os; os.closerange(3, 9)", 10, "os.closerange would close what", id="closerange"),
        pytest.param("import sys; sys.stdout.close()", 10, "sys.stdout.close would leave the harness", id="stdout"),
        pytest.param("import sys\nwith sys.stderr: pass", 11, "sys.stderr.close would leave the harness", id="stderr"),
        pytest.param(
            "import sys; sys.setrecursionlimit(60)", 10, "sys.setrecursionlimit would leave the harness", id="depth"
        ),
        pytest.param("while True: pass", 10, "it ran for 0.05 s without awaiting anything", id="a loop"),
        pytest.param("import time; time.sleep(10**6)", 10, "it ran for 0.05 s without awaiting", id="time.sleep"),
        pytest.param(SWALLOWS.format("pass"), 14, "it ran for 0.05 s without", id="a loop that catches all"),
        pytest.param(SWALLOWS.format("import time; time.sleep(9)"), 14, "it ran for 0.05 s", id="so does a sleep"),
        pytest.param("while True: cluster.note('on')", 10, f"it has told of {MOST_STEPS:,} steps", id="notes"),
    ],
)  # fmt: skip
def test_what_a_script_does_ends_its_run_alone(body: str, line: int, sentence: str, tmp_path: Path) -> None:
    verdict = verdict_of(tmp_path, body, IMPATIENT if "it ran for" in sentence else OPTIONS)
    (reason,) = verdict.reasons
    assert (verdict.outcome, reason.about) == ("unknown", "script"), told(verdict)
    assert sentence in reason.text
    assert any(f"story.py:{line + off}: " in reason.text for off in (range(0, -5, -1) if "except" in body else (0,)))
    assert len(reason.text) < 3_000


@pytest.fixture
def ctrl_c_is_noted() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c_is_noted")
def test_a_script_may_raise_what_ctrl_c_raises(tmp_path: Path) -> None:
    assert "story.py:10: KeyboardInterrupt" in told(verdict_of(tmp_path, "raise KeyboardInterrupt"))


def test_ctrl_c_that_nobody_notes_goes_its_way(tmp_path: Path) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt):
        verdict_of(tmp_path, "import signal; signal.raise_signal(signal.SIGINT)")


@pytest.mark.parametrize("verb", ["expect", "until"])
def test_a_script_that_catches_all_that_is_unmet(verb: str, tmp_path: Path) -> None:
    verdict = verdict_of(tmp_path, SWALLOWS.format(f"await cluster.{verb}(cluster.that.agree('n1'), within=0)"))
    assert f"it went on after {MOST_UNMET:,} things had not come true" in told(verdict)
    if verb == "until":
        assert verdict.outcome == "unknown"
        return
    assert verdict.outcome == "failed"
    (unmet,) = verdict.expectations
    assert (unmet.held, unmet.times) == (False, MOST_UNMET + 1)
    assert verdict.reasons[0].text.endswith(f"wanted are n1 ({MOST_UNMET + 1:,} times)")


def test_many_different_things_that_are_unmet(tmp_path: Path) -> None:
    body = (
        "from shaketable import Condition\n"
        "for n in range(900):\n"
        "    try: await cluster.expect(Condition(f'wish {n}', lambda seen: 'no'), within=0)\n"
        "    except Exception: pass"
    )
    verdict = verdict_of(tmp_path, body)
    assert verdict.outcome == "failed"
    assert len(verdict.reasons) == MOST_OF_A_KIND + 1
    assert verdict.reasons[-1].text == f"and {900 - MOST_OF_A_KIND} more of the kind"
    assert len(verdict.expectations) == MOST_EXPECTATIONS
    assert verdict.more_expectations == 900 - MOST_EXPECTATIONS
    small_reports(verdict, tmp_path)


def test_thousands_of_faults_without_effect(tmp_path: Path) -> None:
    verdict = verdict_of(tmp_path, "for _ in range(3_000): await cluster.hold('n1', 'Merged')")
    assert verdict.outcome == "unknown"
    assert len(verdict.faults) == 3_000
    assert len(verdict.reasons) <= MOST_OF_A_KIND + 1
    small_reports(verdict, tmp_path)


def small_reports(verdict: RunVerdict, folder: Path) -> None:
    written = write_reports(session_of([verdict] * 25, "1"), folder / "out")
    assert written
    sizes = {path.name: path.stat().st_size for path in written if path.suffix != ".json"}  # which has everything
    assert max(sizes.values()) < PAGE, sizes


def test_another_folder_is_the_script_s_own_matter(tmp_path: Path) -> None:
    here = Path.cwd()
    verdict = verdict_of(tmp_path, f"import os; os.chdir({str(tmp_path)!r})\nawait cluster.sleep(1)\nopen('mine', 'w')")
    assert verdict.outcome == "passed"
    assert (tmp_path / "mine").exists()
    assert Path.cwd() == here


def test_another_output_is_the_script_s_own_matter(tmp_path: Path) -> None:
    here = sys.stdout, sys.stderr
    body = f"import sys\nwith open({str(tmp_path / 'mine')!r}, 'w') as sys.stdout: print(7)\nsys.stderr = None"
    assert verdict_of(tmp_path, body).outcome == "passed"
    assert (sys.stdout, sys.stderr) == here
    assert (tmp_path / "mine").read_text() == "7\n"


def test_a_working_folder_that_is_removed_is_missed_by_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (gone := tmp_path / "gone").mkdir()
    monkeypatch.chdir(gone)
    for body in ("import os; os.rmdir(os.getcwd())", "await cluster.sleep(1)"):
        verdict = verdict_of(tmp_path, body)
        assert (verdict.outcome, verdict.file) == ("passed", str(tmp_path / "story.py"))
        assert f" {tmp_path}/story.py::story " in verdict.again


def test_files_that_a_script_keeps_open_leave_some_for_its_report(tmp_path: Path) -> None:
    """In a process that may open a few hundred."""
    body = "import builtins; builtins.kept = kept = []\ntry:\n    while True: kept.append(open('/dev/null'))\n"
    body += "except OSError: pass"
    program = (
        "import builtins, sys; from pathlib import Path\n"
        "from tests.harness.runs import test_scripts_that_go_wrong as t\n"
        "folder = Path(sys.argv[1]); verdict = t.verdict_of(folder, sys.argv[2])\n"
        "t.small_reports(verdict, folder); print(verdict.outcome, len(builtins.kept) > 100)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path), body], capture_output=True, text=True, check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (512, 512)),
    )  # fmt: skip
    assert done.stdout == "passed True\n"


def test_memory_that_a_script_takes_without_end(tmp_path: Path) -> None:
    """In a process that may have a gigabyte more."""
    body = "kept = []\nwhile True: kept.append(bytes(1 << 20))"
    program = (
        "import sys; from pathlib import Path\nfrom tests.harness.runs import test_scripts_that_go_wrong as t\n"
        "print(t.told(t.verdict_of(Path(sys.argv[1]), sys.argv[2])))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path), body], capture_output=True, text=True, check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30)),
    )  # fmt: skip
    assert "story.py:11: MemoryError" in done.stdout


@pytest.mark.parametrize(
    ("does", "outcome", "sentence"),
    [
        ("os._exit(0)", "unknown", "os._exit would end the harness before its verdict"),
        ("{}['x']", "unknown", "KeyError: 'x'"),
        ("asserts(False)", "failed", "the script's assertion does not hold"),
        ("sys.exit(1)", "passed", ""),
    ],
)
def test_an_error_in_a_thread_of_a_script(
    does: str, outcome: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asserts = "import os, sys, threading\ndef asserts(it):\n    assert it\n"
    body = f"{asserts}thread = threading.Thread(target=lambda: {does})\nthread.start(); thread.join()"
    before = threading.excepthook
    verdict = verdict_of(tmp_path, body)
    assert verdict.outcome == outcome, told(verdict)
    assert not sentence or re.search(rf"in a thread: \S+/story\.py:1[23]: {re.escape(sentence)}", told(verdict))
    assert capsys.readouterr().err == ""
    assert threading.excepthook is before


def test_an_error_in_a_thread_of_others_goes_its_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It passes no line of a script."""
    caught: list[object] = []
    monkeypatch.setattr(threading, "excepthook", lambda raised: caught.append(raised.exc_type))
    body = "import threading\nthread = threading.Thread(target=int, args='x')\nthread.start(); thread.join()"
    assert verdict_of(tmp_path, body).outcome == "passed"
    assert caught == [ValueError]


def test_an_error_in_a_thread_of_a_script_that_is_loaded(tmp_path: Path) -> None:
    file = tmp_path / "story.py"
    file.write_text("import threading\nt = threading.Thread(target=lambda: 1 // 0); t.start(); t.join()\n")
    with pytest.raises(UserError, match=r"story\.py:2: the script cannot be loaded: ZeroDivisionError"):
        scripts_of(file)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("import os\nos._exit(0)", "os._exit would end the harness before its verdict"),
        ("class Own(BaseException): pass\nraise Own('no')", "the script cannot be loaded: Own: no"),
    ],
)
def test_a_script_that_goes_wrong_while_it_is_loaded(text: str, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "story.py"
    file.write_text(text)
    with pytest.raises(UserError, match=rf"story\.py:2: {re.escape(sentence)}"):
        scripts_of(file)


def test_all_else_may_fork_and_handle_signals_as_before(tmp_path: Path) -> None:
    """In the process of the tests, where scripts have been run."""
    assert verdict_of(tmp_path, "import signal; signal.signal(signal.SIGUSR1, signal.SIG_IGN)").outcome == "passed"
    pid = os.fork()
    if not pid:
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    before = signal.signal(signal.SIGALRM, signal.SIG_IGN)
    assert signal.signal(signal.SIGALRM, before) == signal.SIG_IGN


def test_a_program_that_a_script_starts_is_no_copy(tmp_path: Path) -> None:
    body = "import os, subprocess\nassert subprocess.run(['true'], preexec_fn=os.setsid).returncode == 0"
    assert verdict_of(tmp_path, body).outcome == "passed"


def test_members_that_go_round_at_one_moment_end_the_run_with_a_sentence(tmp_path: Path) -> None:
    """No time limit of a script ends that: no time passes."""

    def restless(env: Env, me: Address, addresses: Sequence[Address], settings: Settings) -> ClusterMember:
        def again() -> None:
            env.call_later(0, again)

        env.call_later(60 * SECOND, again)
        return make_cluster_member(env, me, addresses, settings)

    finally_ = "try:\n    await cluster.sleep(10**9)\nfinally:\n    await cluster.sleep(1)"
    (script,) = scripts_of(write(tmp_path, FORM + finally_))
    finished = run_simulated(script, OPTIONS, make_member=restless)
    assert finished.records[-1].time == 60 * SECOND
    assert told(judged(finished)) == (
        f"unknown: the script could not be run to its end: {tmp_path.name}/story.py:11 (a sleep of 1000 s): "
        "at 60.000 s no time passes any more: more than 300,000 things happened within 0.001 s, "
        "and the next one was to be a timer for n1"
    )


def test_a_member_whose_step_does_not_end_falls_over(tmp_path: Path) -> None:
    """The others go on, and so does the script."""

    def endless(env: Env, me: Address, addresses: Sequence[Address], settings: Settings) -> ClusterMember:
        def go_round() -> None:
            while env.now() > 0:
                pass

        if me.endswith("5702"):
            env.call_later(60 * SECOND, go_round)
        return make_cluster_member(env, me, addresses, settings)

    (script,) = scripts_of(write(tmp_path, FORM + "await cluster.sleep(100 * 10**6)"))
    finished = run_simulated(script, replace(OPTIONS, stuck=1.0), make_member=endless)
    (failed,) = [record for record in finished.records if isinstance(record.event, Failed)]
    assert (failed.node, failed.time) == ("n2", 65 * SECOND)
    assert finished.records[-1].time > 100 * SECOND
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)
    assert "a step that has computed for more than 1 s" in told(judged(finished))
