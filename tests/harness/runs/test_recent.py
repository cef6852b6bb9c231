"""The recorded runs around a folder: those of `runs/`, of reports beside it, and of itself; damaged ones are told."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from shaketable.harness.runs.directory import RunInfo
from shaketable.harness.runs.recent import recent_runs


def described(folder: Path, name: str, at: int) -> None:
    folder.mkdir(parents=True)
    info = RunInfo(script=name, seed=1, world="sim", preset="fast", settings={}, exit="passed")
    (folder / "run.json").write_bytes(msgspec.json.encode(info))
    os.utime(folder / "run.json", (at, at))


def test_the_newest_is_the_first_wherever_it_lies(tmp_path: Path) -> None:
    described(tmp_path / "runs" / "a", "old", 100)
    described(tmp_path / "out" / "runs" / "b", "newest", 300)
    described(tmp_path / "c", "middle", 200)
    described(tmp_path / "too" / "deep" / "down" / "d", "never", 400)
    found = recent_runs(tmp_path)
    assert [each.info.script for each in found if each.info] == ["newest", "middle", "old"]
    assert found[0].directory == tmp_path / "out" / "runs" / "b"


def test_what_is_no_description_is_told_and_hides_nothing(tmp_path: Path) -> None:
    described(tmp_path / "runs" / "good", "good", 100)
    for name, text in (("garbage", b"\xff{"), ("newer", b'{"schema": 99}')):
        described(tmp_path / "runs" / name, name, 200)
        (tmp_path / "runs" / name / "run.json").write_bytes(text)
    (tmp_path / "runs" / "pipe").mkdir()
    os.mkfifo(tmp_path / "runs" / "pipe" / "run.json")
    found = {each.directory.name: each for each in recent_runs(tmp_path)}
    assert found["good"].info is not None
    assert found["good"].trouble == ""
    for name, words in (("garbage", "is no description"), ("newer", "schema 99"), ("pipe", "is no file")):
        assert found[name].info is None
        assert words in found[name].trouble


def test_where_there_is_nothing_nothing_is_found(tmp_path: Path) -> None:
    assert recent_runs(tmp_path) == []
    assert recent_runs(tmp_path / "gone") == []
