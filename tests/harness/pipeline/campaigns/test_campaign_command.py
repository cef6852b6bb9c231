"""`shaketable campaign` as it is typed: what it ends with, what it refuses, and what it leaves in its folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.harness.command.command_helpers import here
from tests.harness.pipeline.campaigns.campaigns import written

from shaketable.harness.pipeline.campaigns import campaign_command, manifest
from shaketable.harness.runs.alone import alone_in

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
    assert verdict.startswith("PASSED  4 passed: 4 runs")
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


def test_it_reports_what_has_changed_since_the_campaign_before(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(campaign_command, "spark_session", lambda *args, **kwargs: spark)
    then, today, before, now = (tmp_path / name for name in ("then", "today", "before", "now"))
    then.mkdir()
    today.mkdir()
    sound = written(then, "await cluster.form('n1')")
    broken = written(today, "await cluster.form('n1')\n    assert False, 'as it must'")
    few = ["--variant", "as written", "--runs", "2"]
    assert here(capsys, "campaign", str(sound), *few, "--out", str(before)).code == 0
    ran = here(capsys, "campaign", str(broken), *few, "--out", str(now), "--before", str(before))
    assert ran.code == 1, ran.err
    report = json.loads((now / "report.json").read_text())
    assert [(each["kind"], each["before"], each["now"]) for each in report["comparisons"]] == [
        ("new failure", "passed", "failed"),
        ("new failure", "passed", "failed"),
    ]
    assert f"Compared with {before}/store: 2 runs of both, " in " ".join(report["notes"])
    assert "What has changed" in (now / "report.html").read_text()
    assert report["again"].endswith(f" --before {before} --out {now}")
    itself = here(capsys, "campaign", str(broken), *few, "--out", str(now), "--before", str(now))
    itself.refused(f"--before {now}: that is this campaign; give an earlier one")


def test_two_campaigns_do_not_write_into_one_folder_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    with alone_in(out):  # as the first one has it
        ran = here(capsys, "campaign", *FEW, "--runs", "4", "--out", str(out))
        ran.refused(f"{out} is in use by another run: wait for its end, or give another folder")
        assert [each.name for each in out.iterdir()] == [".lock"]


def test_a_failure_ends_it_with_1_and_says_how_to_see_it_again(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(campaign_command, "spark_session", lambda *args, **kwargs: spark)
    file = written(tmp_path, "await cluster.form('n1')\n    assert False, 'as it must'")
    out = tmp_path / "out"
    formerly = ["--scripts", str(file), "--variant", "fast", "--seeds", "2"]
    ran = here(capsys, "campaign", *formerly, "--out", str(out))
    assert ran.code == 1
    assert ran.out.startswith("FAILED  2 failed: 2 runs")
    assert "\nFAILED story/sim/fast/1\n" in ran.out
    assert f"again: shaketable run {file}::story --world sim --seed 1 --preset fast" in ran.out
