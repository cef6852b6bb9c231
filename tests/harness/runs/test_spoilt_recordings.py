"""A recording that somebody else made or spoilt is read, or refused in one sentence: there is no traceback."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.harness.command.command_helpers import here
from tests.harness.runs.spoiling import DEEP, spoil
from tests.lengths import seeds
from tests.tui.model.conftest import written

from shaketable.chaos.cluster.claims import a_chain_of_four_claims
from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.stores.reading import read_whole
from shaketable.harness.reports import FILES, report_of_session
from shaketable.harness.reports.picture import picture_of
from shaketable.harness.runs.directory import read_run
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.verdicts.verdict import session_of
from shaketable.tui.source import Recorded

LONGEST = 1000
"""letters of a sentence, with two paths in it"""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = run_simulated(a_chain_of_four_claims, Options("sim", seed=3, preset="fast"))
    return written(run, tmp_path_factory.mktemp("sound") / "run")


def reported(folder: Path) -> None:
    run = read_run(folder)
    if run.verdict is not None:
        report = report_of_session(session_of([run.verdict], "1"))
        pictures = {0: picture_of(run.records, run.verdict)} if run.records else {}
        for made in FILES.values():
            made(report, pictures)


def replayed(folder: Path) -> None:
    session = Recorded(folder).session
    for place in (0, len(session.store) // 2, len(session.store)):
        session.move(place)
        session.picture()


READERS: dict[str, Callable[[Path], object]] = {
    "ingest": lambda folder: read_whole("run", folder, 10**9),
    "report": reported,
    "replay": replayed,
}


def refused(read: Callable[[Path], object], folder: Path) -> str:
    """The sentence; "": it was read."""
    try:
        read(folder)
    except UserError as error:
        sentence = str(error)
        assert "\n" not in sentence
        assert len(sentence) < LONGEST, sentence[:LONGEST]
        return sentence
    return ""


@seeds(150, 500)
def test_whatever_is_spoilt_there_is_no_traceback(seeds: range, sound: Path, tmp_path: Path) -> None:
    outcomes = set()
    for seed in seeds:
        folder = Path(shutil.copytree(sound, tmp_path / "run"))
        said = spoil(folder, seed)
        for name, read in READERS.items():
            try:
                outcomes.add(bool(refused(read, folder)))
            except Exception as error:
                error.add_note(f"{name}, {said}")
                raise
        shutil.rmtree(folder)
    assert outcomes == {True, False}


LINE = '{"time":%s,"node":"n1","incarnation":"u","sequence":1,"kind":"Started","peer":"a","peer_uuid":"u"}'
BAD_LINES = {
    "a time that no clock shows": LINE % 10**30,
    "a time that no column holds": LINE % (2**63),
    "a time that is a word": LINE % '"soon"',
    "nested deeply": LINE % ("[" * DEEP),
    "no text": "\x1f\x8b\b",
    "a column is missing": '{"time":1}',
}


@pytest.mark.parametrize("line", BAD_LINES.values(), ids=BAD_LINES)
def test_a_bad_line_is_refused_where_all_have_to_be_good_and_left_out_in_a_replay(
    line: str, sound: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(sound, tmp_path / "run"))
    with (folder / "events" / "n1.jsonl").open("a") as file:
        file.write(f"{line}\n")
    assert "n1.jsonl line " in refused(READERS["ingest"], folder)
    assert any("is no line of a history, and left out" in note for note in Recorded(folder).session.notes)


@pytest.mark.parametrize("name", ["run.json", "verdict.json", "events/n1.jsonl"])
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(
    name: str, sound: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(shutil.copytree(sound, tmp_path / "run"))
    (folder / name).unlink()
    os.mkfifo(folder / name)
    here(capsys, "replay", folder).refused(f"{name} is no file: a recorded run has files alone")
    assert "is no file" in refused(READERS["ingest"], folder)


@pytest.mark.parametrize(
    "text", ["[" * DEEP, '{"schema":2,"script":"\ud800"}', "\x1f\x8b\b\0", "", "null", '{"schema":1e99}']
)
def test_a_description_that_is_none_is_one_sentence_and_exit_2(
    text: str, sound: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(shutil.copytree(sound, tmp_path / "run"))
    (folder / "run.json").write_bytes(text.encode(errors="surrogatepass"))
    here(capsys, "replay", folder).refused("is no description of a recorded run")


def test_a_verdict_with_an_outcome_that_is_none_is_left_out(sound: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(sound, tmp_path / "run"))
    verdict = folder / "verdict.json"
    verdict.write_text(verdict.read_text().replace('"outcome": "passed"', '"outcome": "splendid"'))
    run = read_run(folder)
    assert run.verdict is None
    assert "'splendid' is no outcome" in run.notes[0]
