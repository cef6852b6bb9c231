"""Opening a recorded run: whatever is missing or broken, it opens with something sensible, or is refused in words."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import msgspec
import pytest
from tests.planted.planted import AcceptsAnyClaim
from tests.planted.test_planted_bugs import a_claim_in_vain
from tests.tui.model.conftest import written

from shaketable.harness.checks.result import BROKEN
from shaketable.harness.errors import UserError
from shaketable.harness.history.codec import to_lines
from shaketable.harness.history.history import History
from shaketable.harness.records import FaultTook, Record
from shaketable.harness.runs.directory import RunInfo, RunWriter, read_run
from shaketable.harness.runs.run import Finished, Options, run_simulated
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import script
from shaketable.node import events as e
from shaketable.node.messages import Member
from shaketable.tui import source
from shaketable.tui.model.folds.picture import Picture
from shaketable.tui.model.history import indexing
from shaketable.tui.model.history.lines import Unreadable
from shaketable.tui.model.history.store import FAULT, STEP, VIEW, Store
from shaketable.tui.model.session import Session
from shaketable.tui.source import Recorded

INFO = RunInfo(script="by hand", seed=7, world="sim", preset="fast", settings={})


@pytest.fixture
def spoilt(recorded: Path, tmp_path: Path) -> Path:
    """A copy, to be spoilt."""
    return Path(shutil.copytree(recorded, tmp_path / "run"))


def opened(folder: Path) -> Session:
    session = Recorded(folder).session
    assert session.reading == 1.0
    return session


def handmade(folder: Path, records: list[Record]) -> Path:
    writer = RunWriter(folder, INFO)
    for record in records:
        writer.append(record)
    writer.finish(None, "passed")
    return folder


def same(store: Store, records: list[Record]) -> None:
    assert list(store) == records
    assert [store[place] for place in range(len(store))] == records
    assert [store.node(place) for place in range(len(store))] == [record.node for record in records]
    assert store.place_of(records[-1].time) == len(records)


def test_a_run_that_has_passed_opens_at_its_first_fault_with_all_that_there_is(recorded: Path, storm: Finished) -> None:
    session = opened(recorded)
    same(session.store, list(History(storm.records).records))
    faults = [p for p, record in enumerate(session.store) if isinstance(record.event, FaultTook)]
    assert (session.cursor, session.target) == (faults[0] + 1, None)
    assert (session.notes, session.following, session.live) == ([], False, False)
    assert session.ended is not None
    assert session.ended.outcome == "passed"
    assert session.checked == len(session.store)
    assert session.facts.again.startswith("shaketable run")


def test_a_run_that_has_passed_without_a_fault_opens_where_it_has_formed(tmp_path: Path) -> None:
    @script(about=["settled"])
    async def calm_and_quiet(cluster: Cluster) -> None:
        await cluster.form("n1", "n2")
        await cluster.calm()

    session = opened(written(run_simulated(calm_and_quiet, Options("sim", seed=1)), tmp_path / "run"))
    assert session.ended is not None
    assert session.ended.outcome == "passed", session.ended
    assert 0 < session.cursor < len(session.store)
    nodes = session.picture().observed.nodes
    assert sorted(nodes) == ["n1", "n2"]
    assert all(node.joined for node in nodes.values())


def test_its_marks_and_names_are_those_of_a_run_that_was_watched(recorded: Path, storm: Finished) -> None:
    watched, read = Store(History(storm.records).records), opened(recorded).store
    assert read.marks == watched.marks
    assert all(read.marks[kind] for kind in (FAULT, VIEW, STEP))
    assert read.names.members(_members(storm)) == watched.names.members(_members(storm))


def _members(run: Finished) -> tuple[Member, ...]:
    return tuple(record.event.member for record in run.records if isinstance(record.event, e.Started))


def test_small_slices_come_to_the_same(recorded: Path, storm: Finished, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "AT_ONCE", 0)
    monkeypatch.setattr(indexing, "CHUNK", 5000)
    monkeypatch.setattr(indexing, "SAMPLE", 10)
    run = Recorded(recorded)
    progress = [run.session.reading]
    while run.read_on(0.0):
        progress.append(run.session.reading)
    assert progress == sorted(progress)
    assert len(progress) > 100
    assert run.session.reading == 1.0
    same(run.session.store, list(History(storm.records).records))


def test_what_is_far_beyond_what_is_known_is_reached_later(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "AT_ONCE", 0)
    run = Recorded(recorded)
    session = run.session
    while len(session.store) == 0:
        run.read_on(0.0)
    session.beliefs._each = 1.0  # so slow is this machine
    here = session.cursor
    session.move(3000)
    assert (session.cursor, session.target) == (here, 3000)
    session.step(-1)
    assert (session.cursor, session.target) == (here, 2999)
    assert session.picture().count == here < 2999
    while run.read_on(0.0):
        session.beliefs._each = max(session.beliefs._each, 0.001)
        assert session.cursor in (here, 2999)
    assert (session.cursor, session.target) == (2999, None)
    assert session.picture().count == 2999


def test_a_run_that_has_failed_opens_at_the_first_violation(tmp_path: Path) -> None:
    run = run_simulated(a_claim_in_vain, Options("sim", seed=1), make_member=AcceptsAnyClaim)
    folder = written(run, tmp_path / "run")
    verdict = read_run(folder).verdict
    assert verdict is not None
    broken = [check for check in verdict.checks if check.status == BROKEN]
    assert broken, "the planted bug was not caught"
    session = opened(folder)
    proofs = [violation.proof for check in broken for violation in check.violations]
    lasts = [max((p.time, p.node, p.incarnation, p.sequence) for p in proof) for proof in proofs]
    assert session.store[session.cursor - 1][:4] == min(lasts)
    assert session.cursor == session.violations()[0]
    assert len(session.violations()) == len(set(lasts))


def test_a_run_that_has_failed_without_a_violation_opens_at_what_proves_why(spoilt: Path, storm: Finished) -> None:
    records = History(storm.records).records
    proof = {"time": records[1234].time, "kind": "X", "told": "x"}
    proof |= dict(zip(("node", "incarnation", "sequence"), records[1234][1:4], strict=True))
    verdict = msgspec.json.decode((spoilt / "verdict.json").read_bytes())
    verdict["outcome"] = "failed"
    verdict["reasons"] = [{"outcome": "failed", "about": "expectation", "text": "not so", "proof": [proof]}]
    (spoilt / "verdict.json").write_bytes(msgspec.json.encode(verdict))
    assert opened(spoilt).cursor == 1235
    verdict["reasons"][0]["proof"] = []
    (spoilt / "verdict.json").write_bytes(msgspec.json.encode(verdict))
    assert opened(spoilt).cursor == len(storm.records)  # nothing proves it but that it ended so
    assert told(spoilt) == ["failed: not so."]


def told(folder: Path) -> list[str]:
    """What is said as soon as it is open."""
    said: list[str] = []
    asyncio.run(Recorded(folder).open(lambda sentence, trouble: said.append(sentence)))
    return said


def test_of_much_that_is_wrong_not_all_covers_the_screen(spoilt: Path) -> None:
    with (spoilt / "events" / "n2.jsonl").open("ab") as file:
        file.write(b"{\n" * 5)
    first, second, rest = told(spoilt)
    assert "left out" in first
    assert "left out" in second
    assert rest == "and 3 more like these"


def test_reading_goes_on_by_itself_and_ends_when_the_screens_do(
    recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "AT_ONCE", 0)

    async def read(*, to_the_end: bool) -> Session:
        run, before = Recorded(recorded), asyncio.all_tasks()
        await run.open(lambda sentence, trouble: None)
        while to_the_end and run.session.reading < 1.0:  # noqa: ASYNC110
            await asyncio.sleep(0)
        await run.close()
        assert asyncio.all_tasks() == before
        return run.session

    assert asyncio.run(asyncio.wait_for(read(to_the_end=True), 60)).reading == 1.0
    assert asyncio.run(read(to_the_end=False)).reading < 1.0


# What is missing or broken


def test_a_run_without_events_opens_empty_and_says_so(tmp_path: Path) -> None:
    RunWriter(tmp_path, INFO)
    session = opened(tmp_path)
    assert (len(session.store), session.cursor, session.time) == (0, 0, 0)
    assert session.picture() == Picture()
    assert "broke off before the first of them" in session.notes[0]
    assert "no verdict" in session.notes[1]
    session.move(10)
    session.step(-1)
    assert not session.jump(True)


def test_a_file_without_a_line_is_none(spoilt: Path, storm: Finished) -> None:
    (spoilt / "events" / "n77.jsonl").write_bytes(b"")
    same(opened(spoilt).store, list(History(storm.records).records))


def test_a_run_without_its_beginning_shows_what_is_left(spoilt: Path) -> None:
    for path in (spoilt / "events").iterdir():
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[len(lines) // 2 :]))
    session = opened(spoilt)
    session.move(len(session.store))
    assert len(session.store) > 1000
    assert sum(node.running for node in session.picture().nodes()) >= 3
    assert any(node.version and node.members for node in session.picture().nodes())


def test_a_broken_line_in_the_middle_is_left_out_and_named(spoilt: Path, storm: Finished) -> None:
    path = spoilt / "events" / "n1.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:40], b"what is this?\n", b"\n", *lines[40:]]))
    session = opened(spoilt)
    same(session.store, list(History(storm.records).records))
    assert [note.partition(" is no line")[0] for note in session.notes] == [f"{path} line 41", f"{path} line 42"]


def test_an_unfinished_last_line_is_lost_and_said(spoilt: Path, storm: Finished) -> None:
    path = spoilt / "events" / "n1.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    same(opened(spoilt).store, list(History(storm.records).records))
    path.write_bytes(whole[:-20])
    session = opened(spoilt)
    assert len(session.store) == len(storm.records) - 1
    assert session.notes == [f"{path} ends within line {len(whole.splitlines())}: that event is lost"]


def test_a_kind_of_the_future_and_a_field_that_does_not_fit_stand_as_unreadable(spoilt: Path, storm: Finished) -> None:
    path = spoilt / "events" / "n1.jsonl"
    data = path.read_bytes().replace(b'"kind":"LinkUp"', b'"kind":"LinkGlows"', 1)
    path.write_bytes(data.replace(b'"kind":"LinkUp","detail":{"address":', b'"kind":"LinkUp","detail":{"place":', 1))
    session = opened(spoilt)
    assert len(session.store) == len(storm.records)
    reasons = [record.event.reason for record in session.store if isinstance(record.event, Unreadable)]
    assert sorted(reason.partition(":")[0] for reason in reasons) == [
        "a LinkUp that does not fit",
        "no event of the kind 'LinkGlows' is known here (schema 2)",
    ]
    assert "1 events are of kinds that are not known here" in session.notes[0]
    session.move(len(session.store))
    assert session.picture().count == len(session.store)


def test_a_verdict_that_is_missing_or_broken_is_no_loss_of_the_events(spoilt: Path, storm: Finished) -> None:
    (spoilt / "verdict.json").write_bytes(b"\xff{")
    session = opened(spoilt)
    assert (len(session.store), session.checks, session.checked) == (len(storm.records), (), 0)
    assert "the events can" in session.notes[0]
    (spoilt / "verdict.json").unlink()
    session = opened(spoilt)
    assert session.ended is None
    assert session.cursor == len(session.store)  # it broke off: what was last is of interest


def test_a_directory_that_is_no_run_is_refused_in_one_sentence(tmp_path: Path) -> None:
    for path, complaint in ((tmp_path, "it has no run.json"), (tmp_path / "nowhere", "is no folder")):
        with pytest.raises(UserError, match=complaint) as caught:
            Recorded(path)
        assert "\n" not in str(caught.value)
    (tmp_path / "events").mkdir()
    (tmp_path / "run.json").write_bytes(msgspec.json.encode(INFO))
    (tmp_path / "events" / "n1.jsonl").mkdir()
    with pytest.raises(UserError, match=r"n1\.jsonl is no file"):
        Recorded(tmp_path)


# The order of a history, exactly


def _leaving(time: int, node: str, incarnation: str, sequence: int) -> Record:
    return Record(time, node, incarnation, sequence, e.Leaving())


def test_records_of_one_time_stand_by_node_incarnation_and_sequence(tmp_path: Path) -> None:
    told = [_leaving(5, node, "u", number) for node in ("n10", "n2", "", "a b", "é") for number in (2, 1, 3)]
    told += [_leaving(4, "n2", "late", 1), _leaving(5, "n2", "a", 9), _leaving(1, "n10", "u", 0)]
    same(opened(handmade(tmp_path, told)).store, sorted(told))


def test_a_node_that_shares_the_harnesss_file_is_told_apart(tmp_path: Path) -> None:
    told = [_leaving(5, "harness", "u", 1), _leaving(4, "", "", 1), _leaving(4, "n1", "u", 1), _leaving(6, "", "", 2)]
    session = opened(handmade(tmp_path, told))
    same(session.store, sorted(told))
    (tmp_path / "events" / "more.jsonl").write_bytes(to_lines([_leaving(3, "n1", "u", 0)]))
    same(opened(tmp_path).store, sorted([*told, _leaving(3, "n1", "u", 0)]))


def test_a_proof_is_found_by_what_it_is_not_by_its_time(tmp_path: Path) -> None:
    told = [_leaving(5, node, "u", number) for node in ("n1", "n2") for number in range(5)]
    store = opened(handmade(tmp_path, told)).store
    assert [store.find(*record[:4]) for record in sorted(told)] == list(range(10))
    assert store.find(5, "n2", "u", 99) is None
    assert store.find(5, "n3", "u", 1) is None


def test_a_live_record_that_came_late_is_found_where_it_stands() -> None:
    store = Store([_leaving(5, "n1", "u", 1), _leaving(9, "n2", "u", 1), _leaving(6, "n1", "u", 2)])
    assert store.find(6, "n1", "u", 2) == 2
    assert store.find(9, "n2", "u", 1) == 1
