"""`shaketable campaign` as it is typed: what it ends with, what it refuses, and what it leaves in its folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from tests.harness.command.command_helpers import here
from tests.harness.nemesis.test_shrink import STORY
from tests.harness.pipeline.campaigns.campaigns import written

from shaketable.harness.nemesis.drawn import drawn_by
from shaketable.harness.nemesis.plan import to_json
from shaketable.harness.nemesis.plan_files import plan_at
from shaketable.harness.pipeline.campaigns import campaign_command, manifest, waves
from shaketable.harness.pipeline.campaigns.corpora import FILE, Kept, read_corpus, write_corpus
from shaketable.harness.pipeline.campaigns.nights import PAGE, read_nights
from shaketable.harness.pipeline.reports.store_report import rows_of
from shaketable.harness.pipeline.stores.store import open_store
from shaketable.harness.runs.alone import alone_in
from shaketable.harness.runs.run import Options
from shaketable.harness.scripting.scripts import scripts_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

FEW = ["form", "kill-the-master", "--variant", "as written"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--runs", "0"], "--runs 0: give 1 to 10000000"),
        (["--sample", "101"], "--sample 101: give a percentage, 0 to 100"),
        (["--cores", "0"], "--cores 0: give at least 1"),
        (["--for", "8"], "--for 8: give a time, as 8h, 30m, 90s or 1h30m"),
        (["--for", "8h", "--runs", "5"], "--for gives a time in the place of a number: leave out --runs"),
        (["--corpus", "nowhere"], "--corpus nowhere: nowhere cannot be read: no such file or directory"),
        (["no-such-script"], "there is no no-such-script here"),
        (["--variant", "slow"], "there is no variant 'slow'; there are as written, fast"),
        (["--vary", "gms_udp"], "--vary gms_udp: give each setting once, as NAME=A,B"),
        (["--vary", "gms_udp=none,by post"], "gms_udp"),
        (["--vary", "lite_member=true", "--variant", "fast"], "give one of the two"),
        (["--set", "heartbeat_interval_seconds=0"], "heartbeat_interval_seconds"),
        (["form", "--variant", "two missed"], "none of these variants is for any of these scripts"),
        (["--before", "no/such/campaign"], "no/such/campaign is no store of runs"),
        (["--variant", "phi-accrual", "--set", "failure_detector=deadline"], "no variant is left"),
    ],
)
def test_what_is_wrong_is_told_in_a_sentence_before_anything_starts(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    ran = here(capsys, "campaign", "--out", str(tmp_path / "out"), *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert ran.err.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("inside", ["campaign.json", ""])
def test_a_folder_of_something_else_is_refused(inside: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    if inside:
        out.mkdir()
        (out / inside).write_text("{}")
    else:
        out.write_text("")
    ran = here(capsys, "campaign", *FEW, "--out", str(out))
    assert ran.code == 2
    assert "give another --out" in ran.err


def test_it_writes_its_store_and_its_reports_and_takes_no_other_campaign_in(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(campaign_command, "spark_session", lambda *args, **kwargs: spark)
    monkeypatch.setattr(manifest, "_checksum", lambda scripts: "whoever edits meanwhile")
    out = tmp_path / "out"
    ran = here(capsys, "campaign", *FEW, "--runs", "4", "--out", str(out))
    assert ran.code == 0, ran.err
    verdict, *_, reports = ran.out.splitlines()
    assert verdict == "PASSED  4 runs: 4 passed"
    assert reports == f"Reports: {out}/report.html, report.md, junit.xml, report.json"
    assert ran.err.endswith("Making the reports: reading the runs\n")
    report = json.loads((out / "report.json").read_text())
    assert (report["outcome"], report["title"]) == ("passed", "campaign: 4 runs of 2 scripts under 1 variant")
    assert {"report.html", "report.md", "junit.xml", "campaign.json", "store"} <= {each.name for each in out.iterdir()}
    again = here(capsys, "campaign", *FEW, "--runs", "4", "--out", str(out))
    assert (again.code, again.out) == (0, ran.out)
    other = here(capsys, "campaign", *FEW, "--runs", "5", "--out", str(out))
    assert other.code == 2
    assert "holds a campaign with --runs 4, not 5: give the same, or another --out" in other.err

    def has_read_enough(*args: object, **kwargs: object) -> None:
        raise BrokenPipeError

    (out / "report.html").unlink()
    monkeypatch.setattr(campaign_command, "tell", has_read_enough)
    assert here(capsys, "campaign", *FEW, "--runs", "4", "--out", str(out)).code == 2
    assert (out / "report.html").exists()


@pytest.mark.parametrize("master", [[], ["--spark-master", "local[2]"]])
def test_it_reports_what_has_changed_since_the_campaign_before(
    master: list[str],
    spark: SparkSession,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(campaign_command, "spark_session", lambda *args, **kwargs: spark)
    then, today, before, now = (tmp_path / name for name in ("then", "today", "before", "now"))
    then.mkdir()
    today.mkdir()
    sound = written(then, "await cluster.form('n1')")
    broken = written(today, "await cluster.form('n1')\n    assert False, 'as it must'")
    few = ["--variant", "as written", "--runs", "2"]
    assert here(capsys, "campaign", str(sound), *few, "--out", str(before)).code == 0
    ran = here(capsys, "campaign", str(broken), *few, *master, "--out", str(now), "--before", str(before))
    assert ran.code == 1, ran.err
    report = json.loads((now / "report.json").read_text())
    assert [(each["kind"], each["before"], each["now"]) for each in report["comparisons"]] == [
        ("new failure", "passed", "failed"),
        ("new failure", "passed", "failed"),
    ]
    assert report["notes"][0].startswith(f"Compared with {before}/store: 2 runs of both, ")
    *_, compared, verdict, reports = ran.out.splitlines()
    assert [compared, verdict] == report["notes"]
    assert verdict.startswith("Worse than before.")
    assert reports.startswith("Reports: ")
    assert "| new failure | seed 1 | story | passed | failed |" in (now / "report.md").read_text()
    assert "compared" in [suite.get("name") for suite in ElementTree.parse(now / "junit.xml").getroot()]
    assert "What has changed" in (now / "report.html").read_text()
    assert f" --before {before} " in report["again"]
    itself = here(capsys, "campaign", str(broken), *few, "--out", str(now), "--before", str(now))
    itself.refused(f"--before {now}: that is this campaign; give an earlier one")


def test_two_campaigns_do_not_write_into_one_folder_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    with alone_in(out):  # as the first one has it
        ran = here(capsys, "campaign", *FEW, "--runs", "4", "--out", str(out))
        ran.refused(f"{out} is in use by another run: wait for its end, or give another folder")
        assert [each.name for each in out.iterdir()] == [".lock"]


def test_a_campaign_is_not_its_own_night_before(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_corpus(tmp_path, [])
    ran = here(capsys, "campaign", *FEW, "--out", str(tmp_path), "--corpus", str(tmp_path))
    ran.refused("that is --out itself, whose campaign goes on without it")


def test_a_failure_ends_it_with_1_and_says_how_to_see_it_again(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(campaign_command, "spark_session", lambda *args, **kwargs: spark)
    file = written(tmp_path, "await cluster.form('n1')\n    assert False, 'as it must'")
    out = tmp_path / "out"
    formerly = ["--scripts", str(file), "--variant", "fast", "--seeds", "2"]
    ran = here(capsys, "campaign", *formerly, "--out", str(out))
    assert ran.code == 1
    assert ran.out.startswith("FAILED  2 runs: 2 failed\n")
    assert "\nFAILED story/sim/fast/1\n" in ran.out
    assert f"again: shaketable run {file}::story --world sim --seed 1 --preset fast" in ran.out


def test_one_that_has_a_time_ends_then_goes_on_and_hands_its_corpus_to_the_next(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(campaign_command, "spark_session", lambda *args, **kwargs: spark)
    monkeypatch.setattr(manifest, "_checksum", lambda scripts: "whoever edits meanwhile")
    monkeypatch.setattr(campaign_command, "LEAST", 20)
    monkeypatch.setattr(waves, "LAG", 1)
    out, other = tmp_path / "out", tmp_path / "other"
    words = ["campaign", "nemesis", "form", "--variant", "as written"]
    ran = here(capsys, *words, "--for", "8s", "--out", str(out))
    assert ran.code == 0, ran.err
    first = json.loads((out / "report.json").read_text())
    runs = first["totals"]["runs"]
    assert ran.out.startswith(f"PASSED  {runs} runs: {runs} passed\n")
    assert first["outcome"] == "passed"
    assert first["title"] == f"campaign: {first['totals']['runs']} runs of 2 scripts under 1 variant"
    assert f"campaign nemesis form --for 8s --variant 'as written' --out {out}" in first["again"]
    ran = here(capsys, *words, "--for", "6s", "--out", str(out))
    assert ran.code == 0, ran.err
    second = json.loads((out / "report.json").read_text())
    assert second["totals"]["runs"] > first["totals"]["runs"] >= 20
    nights = read_nights(out)
    assert [each.runs for each in nights] == [
        first["totals"]["runs"], second["totals"]["runs"] - first["totals"]["runs"]
    ]  # fmt: skip
    assert "in 2 nights" in (out / PAGE).read_text()
    played = [row for row in rows_of(open_store(spark, out / "store").runs) if row.plan]
    assert played
    assert all(plan_at(row.plan).family == "cluster" and f"--plan {row.plan}" in row.again for row in played)
    kept = read_corpus(out)
    assert kept
    ran = here(capsys, *words, "--runs", "30", "--corpus", str(out), "--out", str(other))
    assert ran.code == 0, ran.err
    of_before = [row for row in rows_of(open_store(spark, other / "store").runs) if row.plan]
    assert {to_json(plan_at(row.plan)) for row in of_before} & {to_json(each.plan) for each in kept}
    assert len(read_nights(other)) == 3
    (out / FILE).write_text("")
    ran = here(capsys, *words, "--runs", "30", "--corpus", str(out), "--out", str(other))
    assert ran.code == 2
    assert f"holds a campaign with --corpus {out} (sha256 " in ran.err


def test_of_a_changed_plan_that_fails_the_short_story_is_made(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The corpus has a plan that fails where a fault is planted."""
    monkeypatch.setattr(campaign_command, "spark_session", lambda *args, **kwargs: spark)
    text, file, whole = STORY.replace("def noisy", "def nemesis_noisy"), tmp_path / "noisy.py", tmp_path / "whole.py"
    file.write_text(text.replace("(*NOISE, *DEEDS)", "tuple(NOISE)"))
    whole.write_text(text)
    (noisy,) = scripts_of(whole)
    plan = drawn_by(noisy, Options("sim"))
    assert plan is not None
    write_corpus(tmp_path, [Kept(noisy.name, plan)])
    out = tmp_path / "out"
    words = [str(file), "--set", "legacy_fault=missed removal", "--variant", "as written", "--no-search"]
    ran = here(capsys, "campaign", *words, "--runs", "4", "--corpus", str(tmp_path), "--out", str(out))
    assert ran.code == 1, ran.err
    assert "1 failed" in ran.out.splitlines()[0]
    assert f"--plan {out}/plans/00000000.jsonl:1" in ran.out
    assert "It fails again: " in ran.err
    assert "def " in next((out / "shrunk").glob("*/*.py")).read_text()
