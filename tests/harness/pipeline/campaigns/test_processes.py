"""A small campaign is played by processes of this machine, without Spark, to the same rows."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path
from typing import Final

import psutil
import pytest
from tests.harness.command.command_helpers import here
from tests.harness.pipeline.campaigns.campaigns import asked, plain, written
from tests.harness.pipeline.campaigns.test_campaign import by_hand
from tests.waiting import wait_until

from shaketable.harness.errors import UserError
from shaketable.harness.history.history import History
from shaketable.harness.pipeline.campaigns import campaign_command, portions, processes
from shaketable.harness.pipeline.campaigns.campaign import Campaign
from shaketable.harness.pipeline.campaigns.cases import cells_of
from shaketable.harness.pipeline.campaigns.processes import Processes
from shaketable.harness.pipeline.campaigns.variants import each_under_all, variants_named
from shaketable.harness.pipeline.campaigns.waves import Asked
from shaketable.harness.pipeline.needed import MANY
from shaketable.harness.pipeline.stores.here import history_here, rows_here
from shaketable.harness.runs.interrupts import Interrupts
from shaketable.harness.scripting.scripts import scripts_of
from shaketable.harness.verdicts.rows import RunRow

pytestmark = pytest.mark.spark  # its packages write the store
ASKED: Final = asked("form", "kill-the-master", runs=20, variants=["as written", "fast"], wave=8)
WORKERS: Final = 2


def campaign(path: Path, what: Asked = ASKED, interrupts: Interrupts | None = None) -> Campaign:
    work = Processes(path, WORKERS)
    return Campaign(work, str(path), what, interrupts=interrupts or Interrupts())


def rows_in(path: Path) -> dict[str, RunRow]:
    rows = [*rows_here(path)]
    assert len({row.run for row in rows}) == len(rows)
    return {row.run: plain(row) for row in rows}


def workers() -> list[psutil.Process]:
    found = []
    for each in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if processes.WORKER in each.cmdline():
                found.append(each)
    return found


def test_it_gives_the_rows_that_a_plain_loop_gives_and_leaves_no_process(tmp_path: Path) -> None:
    running = campaign(tmp_path)
    assert (running.already(), running.run()) == (0, True)
    rows = rows_in(tmp_path)
    assert rows == by_hand()
    assert (running.results.runs, running.results.outcome) == (20, "passed")
    kept = {row.run: row.history_hash for row in rows.values() if row.kept}
    assert kept
    for run, told in kept.items():
        records = history_here(tmp_path, run)
        assert records is not None
        assert History(records).hash == told
    assert history_here(tmp_path, next(run for run in rows if run not in kept)) is None
    assert workers() == []


def test_an_interrupted_one_goes_on_and_ends_as_if_nothing_had_been(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(portions, "FIRST", 1)
    interrupts = Interrupts()
    first = campaign(tmp_path, interrupts=interrupts)

    def interrupt(done: int, bad: int) -> None:
        interrupts._count = int(done > 0)

    first.show = interrupt
    assert (first.already(), first.run()) == (0, False)
    assert workers() == []
    written_then = rows_in(tmp_path)
    assert 0 < len(written_then) == first.results.runs < 20
    second = campaign(tmp_path)
    assert (second.already(), second.run()) == (len(written_then), True)
    assert rows_in(tmp_path) == by_hand()
    third = campaign(tmp_path)
    assert (third.already(), third.run()) == (20, True)
    assert third.results == second.results


def that_kills(folder: Path, until: str) -> Asked:
    """A script that kills the process that plays it, as long as this is not so."""
    head = f"import os, pathlib, signal\nONCE = pathlib.Path({str(folder / 'once')!r})\n"
    body = f"await cluster.form('n1', 'n2')\n    print('heard')\n    if not {until}:\n        ONCE.touch()\n        "
    (story,) = scripts_of(written(folder, f"{body}os.kill(os.getpid(), signal.SIGKILL)", head))
    return Asked(cells_of([story], each_under_all([story], variants_named(["as written"]))), 6, 1, 5)


def test_a_killed_worker_changes_nothing(tmp_path: Path) -> None:
    """Nor does what a script prints."""
    what = that_kills(tmp_path, "ONCE.exists()")
    assert campaign(tmp_path / "store", what).run()
    assert (tmp_path / "once").exists()
    assert rows_in(tmp_path / "store") == by_hand(what)


def test_a_script_that_kills_each_worker_is_given_up_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="a worker process ended again and again"):
        campaign(tmp_path / "store", that_kills(tmp_path, "False")).run()
    assert workers() == []


def test_a_store_of_another_campaign_is_refused(tmp_path: Path) -> None:
    assert campaign(tmp_path).run()
    other = asked("form", "kill-the-master", runs=20, variants=["as written", "fast"], wave=3)
    with pytest.raises(UserError, match="holds runs of another campaign: give another --out"):
        campaign(tmp_path, other).already()
    (batch, *_) = sorted(tmp_path.glob("runs/*/batch=*"))
    (file,) = batch.glob("*.parquet")
    file.write_bytes(b"torn")
    with pytest.raises(UserError, match=f"{file} cannot be read: it is corrupt; take it away"):
        campaign(tmp_path).already()


def test_the_command_takes_spark_for_many_runs_or_where_it_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[object] = []

    def spark_session(master: str | None, **_: object) -> None:
        started.append(master)
        raise UserError("it would start")

    monkeypatch.setattr(campaign_command, "spark_session", spark_session)
    few = ["campaign", "form", "--variant", "as written", "--runs"]
    assert here(capsys, *few, "3", "--cores", "1", "--out", str(tmp_path / "few")).code == 0
    assert (tmp_path / "few" / "report.html").exists()
    assert started == []
    assert here(capsys, *few, "3", "--spark-master", "local[1]", "--out", str(tmp_path / "asked")).code == 2
    assert here(capsys, *few, str(MANY), "--out", str(tmp_path / "many")).code == 2
    assert started == ["local[1]", None]


def test_workers_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib\n"
        "from shaketable.harness.pipeline.campaigns.processes import Processes\n"
        f"work = Processes(pathlib.Path({str(tmp_path)!r}), 1)\n"
        "print(work.workers.first_process(), flush=True)\n"
        "sys.stdin.read()\n"
    )
    pipes = subprocess.PIPE
    process = subprocess.Popen([sys.executable, "-c", program], stdin=pipes, stdout=pipes, text=True)
    assert process.stdout is not None
    worker = psutil.Process(int(process.stdout.readline()))
    process.kill()
    process.communicate()
    wait_until(lambda: not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE, "it ends too")
