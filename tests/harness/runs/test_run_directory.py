"""A run on disk: it comes back as it was, and survives whatever cuts it short."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from io import FileIO
from pathlib import Path
from typing import NoReturn

import msgspec
import pytest
from tests.notation.notation import history_of
from tests.where import ROOT

from shaketable.harness.errors import UserError
from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.harness.runs import directory as directory_module
from shaketable.harness.runs.directory import RunInfo, RunWriter, read_run
from shaketable.harness.verdicts.verdict import RunVerdict, ScriptSubject, judge
from shaketable.harness.whole_files import write_all
from shaketable.node import events as e
from shaketable.node.config import DEFAULT

STORY = """
n1 installs v1 [n1]
n1 installs v2 [n1 n2]
n1 publishes v2 [n1 n2]
n2 installs v2 by n1 [n1 n2]
fault 1: kill n2
n2 is killed
n1 installs v3 [n1]
"""
INFO = RunInfo(script="story", seed=7, world="sim", preset="default", settings={"a_seconds": 0.5})
SUBJECT = ScriptSubject("story", "A story", "chaos/story.py")


def verdict_of(records: list[Record]) -> RunVerdict:
    return judge(records, SUBJECT, DEFAULT, 0)


def written(directory: Path, records: list[Record]) -> Path:
    writer = RunWriter(directory, INFO)
    for record in records:
        writer.append(record)
    writer.finish(verdict_of(records))
    return directory


def test_a_run_comes_back_from_its_directory(tmp_path: Path) -> None:
    records = history_of(STORY)
    run = read_run(written(tmp_path / "a" / "run", records))
    assert run.records == History(records).records
    assert run.verdict == verdict_of(records)
    assert run.info == msgspec.structs.replace(INFO, exit=verdict_of(records).outcome)
    assert run.notes == []
    names = sorted(path.name for path in (tmp_path / "a" / "run" / "events").iterdir())
    assert names == ["harness.jsonl", "n1.jsonl", "n2.jsonl"]


def test_a_run_that_is_over_is_written_in_one_go(tmp_path: Path) -> None:
    records = history_of(STORY)
    writer = RunWriter(tmp_path, INFO)
    writer.extend(records)
    writer.finish(None, "unknown")
    assert read_run(tmp_path).records == History(records).records
    assert read_run(tmp_path).info.exit == "unknown"


def test_each_line_is_on_disk_at_once(tmp_path: Path) -> None:
    writer = RunWriter(tmp_path, INFO)
    for number, record in enumerate(history_of(STORY), 1):
        writer.append(record)
        assert len(read_run(tmp_path).records) == number
    assert read_run(tmp_path).info.exit == ""


def test_names_of_nodes_may_hold_anything(tmp_path: Path) -> None:
    writer = RunWriter(tmp_path, INFO)
    records = [Record(1, name, "u", 1, e.Leaving()) for name in ("../up", "a b", "harness", "é/", "")]
    for record in records:
        writer.append(record)
    writer.finish(None)
    assert sorted(read_run(tmp_path).records) == sorted(records)
    assert not list(tmp_path.parent.glob("up*"))


def test_a_truncated_last_line_is_lost_and_said(tmp_path: Path) -> None:
    records = history_of(STORY)
    path = written(tmp_path, records) / "events" / "n1.jsonl"
    whole = path.read_bytes()
    last = whole.count(b"\n")
    for cut in range(1, 60):
        path.write_bytes(whole[:-cut])
        run = read_run(tmp_path)
        lost = [] if cut == 1 else [f"{path} ends within line {last}: that event is lost"]
        assert run.notes == lost
        assert len(run.records) == len(records) - len(lost)


def test_a_broken_line_in_the_middle_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, history_of(STORY)) / "events" / "n1.jsonl"
    lines = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([lines[0], lines[1][:-3], *lines[2:], b""]))
    with pytest.raises(UserError, match=r"n1\.jsonl line 2: this is no line of a history"):
        read_run(tmp_path)


def test_an_unknown_kind_is_named_with_file_and_line(tmp_path: Path) -> None:
    path = written(tmp_path, history_of(STORY)) / "events" / "n1.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"kind":"ViewInstalled"', b'"kind":"ViewDreamt"', 1))
    with pytest.raises(UserError, match=r"n1\.jsonl line 3: no event of the kind 'ViewDreamt' is known here"):
        read_run(tmp_path)


def test_a_run_that_broke_off_before_its_first_event_can_be_read(tmp_path: Path) -> None:
    RunWriter(tmp_path, INFO)
    run = read_run(tmp_path)
    assert (run.records, run.verdict) == ([], None)
    assert "broke off before the first" in run.notes[0]


def test_a_verdict_that_cannot_be_read_is_no_loss_of_the_events(tmp_path: Path) -> None:
    records = history_of(STORY)
    (written(tmp_path, records) / "verdict.json").write_text("{")
    run = read_run(tmp_path)
    assert (len(run.records), run.verdict) == (len(records), None)
    assert "the events can" in run.notes[0]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "is no recorded run: it has no run.json"),
        ("", "is no description of a recorded run"),
        ("[]", "is no description of a recorded run"),
        ('{"schema": 2}', "is no description of a recorded run"),
        ('{"name": "somebody else\'s"}', "is no description of a recorded run"),
        ('{"schema": 99}', "is of schema 99, and this shaketable reads schema 2: take a newer one"),
        (
            '{"schema": 1}',
            "is of schema 1, and this shaketable reads schema 2: run it again, or read it with the shaketable",
        ),
    ],
)
def test_an_empty_or_foreign_directory_gets_one_sentence(tmp_path: Path, content: str | None, complaint: str) -> None:
    if content is not None:
        (tmp_path / "run.json").write_text(content)
    with pytest.raises(UserError, match=complaint) as caught:
        read_run(tmp_path)
    assert "\n" not in str(caught.value)


def test_no_directory_at_all_gets_one_sentence(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere", Path(__file__)):
        with pytest.raises(UserError, match="is no folder: give that of a recorded run"):
            read_run(path)


def test_a_directory_that_holds_a_run_is_not_written_over(tmp_path: Path) -> None:
    written(tmp_path, history_of(STORY))
    with pytest.raises(UserError, match="holds a run already"):
        RunWriter(tmp_path, INFO)


# A disk that takes nothing


def test_a_full_disk_ends_the_recording_and_keeps_the_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: FileIO, data: bytes) -> None:
        if str(file.name).endswith("n1.jsonl"):
            raise OSError(errno.ENOSPC, "No space left on device")
        write_all(file, data)

    records = history_of(STORY)
    writer = RunWriter(tmp_path, INFO)
    monkeypatch.setattr(directory_module, "write_all", full)
    for record in records:
        writer.append(record)
    assert writer.trouble is not None
    with pytest.raises(UserError, match=r"the run cannot be recorded, .*: no space left on device; make room, or give"):
        writer.finish(verdict_of(records))
    assert read_run(tmp_path).verdict == verdict_of(records)


def test_a_line_that_fits_only_in_part_is_the_last(tmp_path: Path) -> None:
    """A limit on the size of files stands for a disk that fills up in the middle of a line."""
    code = f"""
import resource, signal, sys
sys.path.insert(0, {str(ROOT)!r})
from tests.harness.runs.test_run_directory import *
from shaketable.harness.history.codec import to_line
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
directory, records = Path(sys.argv[1]), history_of(STORY)
writer = RunWriter(directory, INFO)
most = len(to_line(records[0])) + 100
resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
for record in records:
    writer.append(record)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
try:
    writer.finish(verdict_of(records))
except UserError as error:
    print(error)
"""
    answer = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=True)
    assert answer.stdout.startswith("the run cannot be recorded, ")
    assert answer.stdout.endswith(": file too large; make room, or give another directory\n")
    run = read_run(tmp_path)
    assert len(run.notes) == 1
    assert "ends within line" in run.notes[0]
    assert 0 < len(run.records) < len(history_of(STORY))
    assert run.verdict == verdict_of(history_of(STORY))


def test_a_path_that_cannot_be_a_directory_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"the run cannot be recorded, .*: (not a directory|file exists); make room"):
        RunWriter(tmp_path / "file", INFO)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_read_only_directory_is_refused_at_once(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(UserError, match=r"the run cannot be recorded, .*: permission denied; make room"):
            RunWriter(tmp_path / "run", INFO)
    finally:
        tmp_path.chmod(0o700)


def test_a_refusal_names_the_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only(self: Path, *args: object, **kwargs: object) -> None:
        raise OSError(30, "Read-only file system", str(self))

    monkeypatch.setattr(Path, "mkdir", read_only)
    with pytest.raises(UserError, match=f"cannot be recorded, {tmp_path}: read-only file system; make room"):
        RunWriter(tmp_path, INFO)


# Other users of the machine


def test_a_recording_is_its_owner_s_alone_whatever_others_get_usually(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        written(tmp_path / "run", history_of(STORY))
    finally:
        os.umask(before)
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "run").rglob("*")}
    assert len(modes) > 4
    assert all(mode == (0o700 if path.is_dir() else 0o600) for path, mode in modes.items()), modes
    assert stat.S_IMODE((tmp_path / "run").stat().st_mode) == 0o700


@pytest.mark.parametrize("place", ["run", "run/events", "run/run.json", "run/events/n1.jsonl", "run/verdict.json"])
def test_a_recording_is_not_written_through_a_link(place: str, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_text("precious")
    link = tmp_path / place
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(kept / "file" if link.suffix else kept)
    with pytest.raises(UserError, match=r"it is a symbolic link, and nothing is written|holds a run"):
        written(tmp_path / "run", history_of(STORY))
    assert {path.name: path.read_text() for path in kept.iterdir()} == {"file": "precious"}


def test_a_folder_that_may_not_be_looked_into_is_not_called_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stat(path: Path, **_: object) -> NoReturn:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    folder = written(tmp_path / "run", history_of(STORY))
    monkeypatch.setattr(Path, "is_dir", lambda path: True)
    monkeypatch.setattr(Path, "stat", stat)
    with pytest.raises(UserError, match=r"run\.json cannot be read: permission denied"):
        read_run(folder)
