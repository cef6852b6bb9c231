"""Every mistake of a user: one sentence that says what is wrong, exit code 2, no traceback."""

from __future__ import annotations

import resource
import signal
from pathlib import Path

import pytest
from tests.harness.command.command_helpers import HEAD, assert_interrupted, harness, here, report, shaketable, write

SIM = ("--world", "sim")
GOOD = 'await cluster.form("n1", "n2")\nawait cluster.sleep(SECOND)'

COMMAND_LINES = {
    "nothing at all": ((), ("COMMAND", "shaketable --help")),
    "an unknown command": (("shake",), ("invalid choice: 'shake'", "run")),
    "an unknown option": (("run", "form", "--sed", "1", "--speed", "2"), ("--speed",)),
    "no script": (("run",), ("PATH", "shaketable run --help")),
    "an unknown world": (("run", "form", "--world", "mars"), ("'mars'", "real", "sim")),
    "an unknown preset": (("run", "form", "--preset", "slow"), ("'slow'", "default", "fast")),
    "an unknown setting": (
        ("run", "form", *SIM, "--set", "heartbeat=1"),
        ("heartbeat = 1: there is no such setting", "shaketable settings"),
    ),
    "a wrong value": (
        ("run", "form", *SIM, "--set", "heartbeat_interval_seconds=often"),
        ("heartbeat_interval_seconds = 'often'", "give a number"),
    ),
    "a wrong value by Hazelcast's name": (
        ("run", "form", *SIM, "--set", "hazelcast.partition.count=many"),
        ("shaketable: hazelcast.partition.count = 'many': give a whole number of at least 1",),
    ),
    "a setting without a value": (("run", "form", *SIM, "--set", "heartbeat_interval_seconds"), ("NAME=VALUE",)),
    "a setting given twice": (
        ("run", "form", *SIM, "--set", "partition_count=7", "--set", "partition_count=8"),
        ("--set partition_count=8: partition_count is given already, as 7",),
    ),
    "a setting by both its names": (
        ("run", "form", *SIM, "--set", "partition_count=7", "--set", "hazelcast.partition.count=8"),
        ("partition_count is given already, by its other name",),
    ),
    "a seed that is no number": (("run", "form", "--seed", "x"), ("--seed", "'x'")),
    "a seed too large for a store": (("run", "form", "--seed", str(2**63)), (f"--seed: '{2**63}': give",)),
    "no seeds": (("run", "form", *SIM, "--seeds", "0"), ("--seeds 0", "at least 1")),
    "a negative limit": (("run", "form", *SIM, "--limit", "-1"), ("--limit -1", "above 0")),
    "a limit that is no number": (("run", "form", *SIM, "--limit", "nan"), ("--limit nan",)),
    "a limit without end": (("run", "form", *SIM, "--limit", "inf"), ("--limit inf",)),
    "no such file": (("run", "none/such.py"), ("there is no file or folder none/such.py",)),
    "an empty path": (("run", "", *SIM), ("PATH is '': give a folder, a file",)),
    "a name of no file": (("run", "::form", *SIM), ("PATH is '::form': give a folder, a file",)),
    "no such name": (
        ("run", "fomr", *SIM),
        ("there is no fomr here, and no script of shaketable has this name; did you mean form? `shaketable",),
    ),
    "the beginning of names": (
        ("run", "kill", *SIM),
        ("did you mean kill-a-follower or kill-the-master or kill-the-master-while-a-follower-lags? `shaketable run",),
    ),
    "no name at all like it": (
        ("run", "zzzz", *SIM),
        ("no script of shaketable has this name; `shaketable run --list` lists them all",),
    ),
    "no such script in a file": (
        ("run", "good.py::goood", *SIM),
        ("there is no goood in good.py; did you mean good? `shaketable run --list good.py` lists them all",),
    ),
    "an empty folder": (("run", "empty"), ("empty holds no chaos script", "@script")),
    "a folder without a script": (("run", "others"), ("others holds no chaos script",)),
    "a file without a script": (("run", "others/plain.py"), ("others/plain.py holds no chaos script",)),
    "no Python": (("run", "others/notes.txt"), ("others/notes.txt is no Python file",)),
    "a syntax error": (("run", "syntax.py"), ("syntax.py:2:", "cannot be read")),
    "an import error": (("run", "imports.py"), ("imports.py:1:", "no_such_module", "cannot be loaded")),
    "an error while it is loaded": (
        ("run", "raises.py"),
        ("raises.py:2: the script cannot be loaded: ZeroDivisionError",),
    ),
    "an exit while it is loaded": (("run", "exits.py"), ("exits.py:2: the script cannot be loaded: SystemExit",)),
    "an unknown check": (("run", "check.py"), ("check.py:5: there is no check 'setled'", "settled")),
    "a script that is no coroutine": (("run", "plain.py"), ("plain.py:5: plain is no chaos script", "async def")),
    "two scripts of one name": (("run", "good.py", "twice/good.py", *SIM), ("two scripts are named good",)),
    "a report into a file": (("run", "good.py", *SIM, "--report", "good.py"), ("good.py cannot be written",)),
    "a report where nobody may write": (("run", "good.py", *SIM, "--report", "/proc/none"), ("/proc/none", "--report")),
    "a real report where nobody may write": (("run", "good.py", "--report", "/proc/none"), ("/proc/none", "--report")),
    "a Toxiproxy of which nobody knows": (("run", "good.py", "--toxiproxy", "http://127.0.0.1:9"), ("127.0.0.1:9",)),
    "a Toxiproxy that is no program": (("run", "good.py", "--toxiproxy", "no-such-thing"), ("no-such-thing",)),
    "a Toxiproxy that is no address": (("run", "good.py", "--toxiproxy", "ftp://x:y:z/"), ("ftp://x:y:z/",)),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("empty", "others", "twice"):
        (tmp_path / name).mkdir()
    write(tmp_path, GOOD, name="good")
    write(tmp_path / "twice", GOOD, name="good")
    (tmp_path / "others" / "plain.py").write_text("x = 1\n")
    (tmp_path / "others" / "notes.txt").write_text("@script\n")
    (tmp_path / "syntax.py").write_text("x = 1\ndef (\n")
    (tmp_path / "imports.py").write_text("import no_such_module\n")
    (tmp_path / "raises.py").write_text("x = 1\ny = x / 0\n")
    (tmp_path / "exits.py").write_text("import sys\nsys.exit(0)\n")
    (tmp_path / "check.py").write_text(f'{HEAD}@script(about=["setled"])\nasync def check(cluster): ...\n')
    (tmp_path / "plain.py").write_text(f'{HEAD}@script(about=["settled"])\ndef plain(cluster): ...\n')
    return tmp_path


@pytest.mark.parametrize("name", COMMAND_LINES)
@pytest.mark.usefixtures("folder")
def test_a_command_line_that_cannot_be_obeyed(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, words = COMMAND_LINES[name]
    here(capsys, *arguments).refused(*words)
    assert not Path("runs").exists() or name.startswith("a Toxiproxy")


def test_a_wrong_setting_is_said_before_anything_is_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = here(capsys, "run", "good.py", "form", *SIM, "--set", "heartbeat_timeout_seconds=0", "--report", "out")
    ran.refused("heartbeat_timeout_seconds")
    assert ran.out == ""
    assert not (folder / "out").exists()


def test_a_setting_against_advice_is_warned_of_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    count = "partial_disconnection_heartbeat_count"
    ran = here(capsys, "run", "good.py", "form", *SIM, "--set", f"{count}=2", "--set", "merging=false")
    assert ran.code == 0
    assert ran.err.splitlines() == [warning := ran.err.strip()]
    assert warning.startswith(f"shaketable: warning: {count} = 2: ")
    assert here(capsys, "run", "good.py", *SIM, "--set", f"{count}=3").err == ""
    its_own = (folder / "good.py").read_text().replace("@script(", f"@script(settings={{'{count}': 2}}, ")
    (folder / "own.py").write_text(its_own)
    assert (done := here(capsys, "run", "own.py", *SIM)).code == 0
    assert done.err == "", "what a script sets itself is its story"


def test_a_disk_that_gets_full_ends_the_recording_and_not_the_run(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.getsignal(signal.SIGXFSZ)
    write(folder, 'await cluster.form("n1", "n2", "n3")\nawait cluster.sleep(90 * SECOND)', name="long")
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1500, before[1]))
        ran = here(capsys, "run", "long.py", *SIM, "--report", "out")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert ran.code == 2
    assert "✓ PASSED  long" in ran.out
    assert ran.err.count("\n") == 1
    assert "cannot be" in ran.err
    assert "Traceback" not in ran.out + ran.err


@pytest.mark.parametrize("moment", ["a script", "the simulation"])
def test_ctrl_c_in_a_simulation(moment: str, tmp_path: Path) -> None:
    body = "while True:\n    pass" if moment == "a script" else "await cluster.sleep(80_000 * SECOND)"
    names = ", ".join(f'"n{i}"' for i in range(30))
    write(tmp_path, GOOD, name="good")
    script = write(tmp_path, f'await cluster.form_at_once({names})\nopen("come", "w").close()\n{body}')
    with harness(tmp_path, "good.py", script, "form", *SIM, "--seeds", 2) as running:
        running.wait_until((tmp_path / "come").exists, "the second script has come to it")
        running.ctrl_c()
        told = running.ended()
    assert_interrupted(running, told)
    runs = report(running.report)["runs"]
    assert [run["script"] for run in runs] == ["good", "good", "story"]
    assert "it was interrupted" in runs[-1]["reasons"][0]["text"]


# What nobody foresaw


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        ("MemoryError", "there is not enough memory: give it more, or less to do at a time\n"),
        (
            "RuntimeError('of\\n two lines')",
            "this is a fault of shaketable itself (RuntimeError: of two lines): please",
        ),
    ],
)
def test_a_fault_of_ours_is_no_broken_guarantee(raised: str, said: str, tmp_path: Path) -> None:
    """Also while the command is loaded, here by a package that it needs."""
    (tmp_path / "msgspec.py").write_text(f"raise {raised}\n")
    ran = shaketable("run", "form", cwd=tmp_path, env={"PYTHONPATH": str(tmp_path), "TMPDIR": str(tmp_path)})
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1), ran
    assert ran.err.startswith(f"shaketable: {said}")
    told = [file.read_text() for file in tmp_path.glob("shaketable-fault-*.txt")]
    assert [f'msgspec.py", line 1, in <module>\n    raise {raised}' in each for each in told] == [True] * (
        "fault" in said
    )
    assert all(file.name in ran.err for file in tmp_path.glob("shaketable-fault-*.txt"))


def test_a_folder_that_hides_a_story_of_ours_is_told_beside_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "storm").mkdir()
    here(capsys, "run", "storm", *SIM).refused("storm holds no chaos script", "storm.py::storm")
    said = here(capsys, "run", "others", *SIM).refused("others holds no chaos script")
    assert "comes with shaketable" not in said


def test_a_script_that_cannot_be_read_is_told_in_plain_words(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "some").mkdir()
    (folder / "some" / "story.py").mkdir()
    said = here(capsys, "run", "some", *SIM).refused("some/story.py cannot be read: is a directory")
    assert "Errno" not in said


def test_a_broken_guarantee_stays_exit_code_1_where_nothing_can_be_written(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "runs").write_text("no folder")
    ran = here(capsys, "run", "no-stale-overwrite", *SIM, "--set", "legacy_fault=stale overwrite")
    assert ran.code == 1
    assert "FAILED" in ran.out
    assert ran.err.count("\n") == 1
    assert "runs" in ran.err
    (folder / "out").mkdir()
    (folder / "out" / "report.md").mkdir()
    ran = here(capsys, "run", "no-stale-overwrite", *SIM, "--set", "legacy_fault=stale overwrite", "--report", "out")
    assert (ran.code, "the reports cannot be written to out" in ran.err) == (1, True)
    ran = here(capsys, "run", "good.py", *SIM, "--report", "out")
    assert (ran.code, "the reports cannot be written to out" in ran.err) == (2, True)


def test_what_plays_no_plan_cannot_be_shrunk_and_scripts_that_do_are_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = here(capsys, "shrink", "form", "--seed", "1").refused("nemesis plays plans")
    assert ".py" not in said
