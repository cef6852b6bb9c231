"""A recorded run of which events are lost: that is said, and what is broken is not dated too early for it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from tests.tui.model.conftest import written

from shaketable.chaos.legacy.legacy_faults import legacy_missed_removal
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.guarantees import IS_BROKEN, NOT_BROKEN_YET, Guarantee, guarantees
from shaketable.tui.panels.guarantees import guarantees as guarantees_panel
from shaketable.tui.panels.proof import proof
from shaketable.tui.panels.receipts import receipts
from shaketable.tui.source import Recorded
from shaketable.tui.text import plain

Spoil = Callable[[Path], object]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a run in which guarantees are broken."""
    run = run_simulated(legacy_missed_removal, Options("sim", seed=3, preset="fast"))
    return written(run, tmp_path_factory.mktemp("missed") / "run")


@pytest.fixture
def run(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "run"))


def told(folder: Path) -> tuple[Session, list[str]]:
    said: list[str] = []
    recorded = Recorded(folder)
    asyncio.run(recorded.open(lambda sentence, trouble: said.append(sentence)))
    return recorded.session, said


def shorten(paths: Iterable[Path], by: float) -> None:
    """To that part of its lines."""
    for path in paths:
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[: int(len(lines) * by)]))


def test_of_a_whole_run_nothing_is_lost(run: Path) -> None:
    session, said = told(run)
    assert (session.lost, session.notes, said) == (0, [], [])


@pytest.mark.parametrize("spoil", [Path.unlink, lambda path: path.write_bytes(b"")], ids=["missing", "empty"])
@pytest.mark.parametrize(("name", "who"), [("n2", "n2"), ("harness", "the harness")])
def test_a_file_that_is_gone_is_missed_by_name_and_number(run: Path, spoil: Spoil, name: str, who: str) -> None:
    path = run / "events" / f"{name}.jsonl"
    lines, all_of = len(path.read_bytes().splitlines()), len(told(run)[0].store)
    spoil(path)
    session, said = told(run)
    assert session.lost == lines
    assert said == [
        f"{lines} of the {all_of} events that were judged are lost",
        f"no event of {who} is here: its file is missing, or empty",
    ]
    assert f"judged: the whole run, {all_of} events, {lines} of them are lost" in plain(
        guarantees_panel(session, 100, 9)
    )


def test_without_a_verdict_a_node_of_which_nothing_is_here_is_named(run: Path) -> None:
    (run / "events" / "n2.jsonl").unlink()
    (run / "verdict.json").unlink()
    assert told(run)[1] == ["no event of n2 is here: its file is missing, or empty"]


def test_where_all_files_are_empty_the_verdict_still_says_how_many_there_were(run: Path) -> None:
    many = len(told(run)[0].store)
    shorten((run / "events").iterdir(), 0)
    session, said = told(run)
    assert said == [
        f"{run} holds no events: they are lost",
        f"{many} of the {many} events that were judged are lost",
    ]
    assert session.violations() == []
    assert {each.state for each in guarantees(session) if each.violations} == {IS_BROKEN}


def test_a_line_that_breaks_off_is_not_counted_twice(run: Path) -> None:
    path = run / "events" / "n1.jsonl"
    path.write_bytes(path.read_bytes()[:-9])
    session, said = told(run)
    assert session.lost == 1
    assert [sentence.partition("ends within")[0] for sentence in said] == [f"{path} "]


def agreement(session: Session) -> Guarantee:
    return next(each for each in guarantees(session) if each.name == "view agreement")


def test_a_guarantee_is_broken_when_all_its_proof_had_happened_not_when_the_last_did_that_is_left(run: Path) -> None:
    first = agreement(told(run)[0]).violations[0]
    last = max(first.violation.proof, key=lambda each: each.time)
    assert len(first.violation.proof) > 1, "something of it is to be left"
    path = run / "events" / f"{last.node}.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(line for line in lines if f'"time":{last.time},'.encode() not in line))
    session, _ = told(run)
    assert agreement(session).violations[0].time == first.time
    session.go_to(first.time)
    assert agreement(session).state == IS_BROKEN
    session.step(-1)
    assert agreement(session).state == NOT_BROKEN_YET
    session.chosen.check = "view agreement"
    assert "(not in this history)" in plain(proof(session, 200, 60))


def test_of_a_history_that_breaks_off_it_is_told_when_it_was_broken_later(run: Path) -> None:
    session, _ = told(run)
    times = {each.name: [broken.time for broken in each.violations] for each in guarantees(session)}
    shorten((run / "events").iterdir(), 0.2)
    session, _ = told(run)
    assert session.store.end < min(min(of) for of in times.values() if of)
    assert {each.name: [broken.time for broken in each.violations] for each in guarantees(session)} == times


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda path: path.write_bytes(b"{"), "it is missing, or cannot be read; the run ended as passed"),
        (Path.unlink, "it is missing, or cannot be read; the run ended as passed"),
    ],
)
def test_a_verdict_that_cannot_be_read_is_no_run_that_broke_off(run: Path, spoil: Spoil, why: str) -> None:
    spoil(run / "verdict.json")
    assert f"there is none: {why}" in plain(receipts(told(run)[0], 100, 9))
