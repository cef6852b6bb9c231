"""Two sessions want one report folder at a time: the later one is refused, and the earlier one's recording stays."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tests.harness.command.command_helpers import here, shaketable, write
from tests.waiting import HANG

from shaketable.harness.errors import UserError
from shaketable.harness.runs.alone import alone_in

SHORT = 'await cluster.form("n1", "n2")\nawait cluster.sleep(SECOND)'
HOLDS = """
import sys
from pathlib import Path
from shaketable.harness.runs.alone import alone_in
with alone_in(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_run_is_refused_while_another_one_has_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    story = write(tmp_path, SHORT)
    assert here(capsys, "run", story, "--world", "sim", "--report", "out").code == 0
    before = {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()}
    with alone_in(Path("out")):
        second = here(capsys, "run", story, "--world", "sim", "--report", "out", "--seed", 1)
    second.refused("out is in use by another run: wait for its end, or give another folder")
    assert {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()} == before
    assert here(capsys, "run", story, "--world", "sim", "--report", "out").code == 0


def test_the_lock_is_another_process_s_and_goes_with_it_even_if_it_is_killed(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDS, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        story = write(tmp_path, SHORT)
        shaketable("run", story, "--world", "sim", "--report", folder, cwd=tmp_path).refused("is in use by another run")
        holder.send_signal(signal.SIGKILL)
        holder.wait(HANG)
        assert shaketable("run", story, "--world", "sim", "--report", folder, cwd=tmp_path).code == 0
        assert {path.name for path in folder.iterdir()} == {
            "junit.xml", "report.html", "report.json", "report.md", "runs"
        }  # fmt: skip
    finally:
        holder.kill()
        holder.communicate()


def test_a_folder_that_is_free_again_can_be_taken_and_nothing_is_left_in_it(tmp_path: Path) -> None:
    for _ in range(2):
        with alone_in(tmp_path / "out"):
            assert [path.name for path in (tmp_path / "out").iterdir()] == [".lock"]
            with pytest.raises(UserError, match="in use"), alone_in(tmp_path / "out"):
                pass
        assert list((tmp_path / "out").iterdir()) == []


def test_a_new_report_folder_is_its_owner_s_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    before = os.umask(0)
    try:
        assert here(capsys, "run", write(tmp_path, SHORT), "--world", "sim", "--report", "out").code == 0
    finally:
        os.umask(before)
    for path in (Path("out"), *Path("out").rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


@pytest.mark.parametrize("place", ["runs", "runs/story-sim-1", ".lock", "report.md"])
def test_nothing_in_a_report_folder_is_written_through_a_link(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another user who may write to the folder would choose what is overwritten, or taken away."""
    monkeypatch.chdir(tmp_path)
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "run.json").write_text("precious")
    link = Path("out", place)
    link.parent.mkdir(parents=True)
    link.symlink_to(kept / "run.json" if link.suffix or link.name == ".lock" else kept)
    ran = here(capsys, "run", write(tmp_path, SHORT), "--world", "sim", "--report", "out")
    ran.refused("it is a symbolic link, and nothing is written through one")
    assert {path.name: path.read_text() for path in kept.iterdir()} == {"run.json": "precious"}
