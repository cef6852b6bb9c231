"""`shaketable compare`: what it reads of a store, and what it prints."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa
import pytest
from tests.harness.command.command_helpers import here
from tests.harness.pipeline.comparing.test_comparing import Runs, hashed, of_other, outcomes, runs, with_settings
from tests.harness.pipeline.stored import finished, row

from shaketable.harness.history.history import History
from shaketable.harness.pipeline.comparing.answers import CANNOT_SAY, WORSE, Difference
from shaketable.harness.pipeline.comparing.compare_command import print_compared
from shaketable.harness.pipeline.comparing.comparing import compared
from shaketable.harness.pipeline.comparing.facts import RunFacts
from shaketable.harness.pipeline.comparing.pairs import Key
from shaketable.harness.pipeline.comparing.reading import runs_here, runs_of
from shaketable.harness.pipeline.measuring.measures import BY_NAME
from shaketable.harness.pipeline.stores.schema import history_batch, run_batch
from shaketable.harness.pipeline.stores.store import open_store
from shaketable.harness.pipeline.stores.writing import add_batch
from shaketable.harness.records import UnderTest
from shaketable.harness.verdicts.rows import KEPT_FAILED, KEPT_SAMPLE, ReasonRow
from shaketable.node.events import Suspected

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

OTHER = {"system": "other", "system_version": "5.7", "system_title": "Other"}
UNDER_TEST = UnderTest(name="other", version="5.7", title="Other")
OF_OTHER = Key("form", "sim", "", "default", 4, "other", "5.7")


def of_form(**values: Any) -> RunFacts:
    return RunFacts(file="chaos/cluster/form.py", **values)


def test_of_a_store_all_outcomes_are_read_and_the_means_of_what_passed(spark: SparkSession, tmp_path: Path) -> None:
    """By Spark and by DuckDB."""
    records = finished("no-confirmations").records
    history = History(records)
    lone = ReasonRow("failed", "check", "settled is broken", "settled")
    untold = {"claims": "Other does not promise it"}
    rows = [
        row(
            "kept", settings='{"a": 60, "b": "x", "c": true}', kept=KEPT_SAMPLE, history_hash="a", duration=history.end
        ),
        row(
            "failed",
            seed=2,
            kept=KEPT_FAILED,
            outcome="failed",
            reasons=[lone],
            again="again",
            duration=history.end,
            untold=untold,
        ),
        row("not kept", seed=3, duration=7),
        row("failed, not kept", seed=5, duration=7, outcome="failed"),
        row("with a changed plan", seed=6, duration=7, plan="out/plans/00000320.jsonl:1"),
        row("later", seed=4, duration=9, wall_began="2026-02", **OTHER),
        row("sooner", seed=4, duration=8, wall_began="2026-01", **OTHER),
    ]
    kept = pa.Table.from_batches([history_batch(run, records) for run in ("kept", "failed")])
    add_batch(tmp_path, "one", pa.Table.from_batches([run_batch(rows)]), kept)
    measures = [BY_NAME[name] for name in ("confirmation missed", "script")]
    told = runs_of(spark, open_store(spark, tmp_path), measures)
    assert runs_here(tmp_path, measures) == told
    silences = [r.event.silence for r in history.of(Suspected)]
    told_of = [each for each in silences if each is not None]
    mean = sum(told_of) / len(told_of)
    assert told == {
        Key("form", "sim", "", "default", 1): of_form(
            outcome="passed",
            history_hash="a",
            settings={"a": "60", "b": "x", "c": "true"},
            kept=True,
            means={"confirmation missed": mean, "script": float(history.end)},
        ),
        Key("form", "sim", "", "default", 2): of_form(
            outcome="failed", why="settled is broken", again="again", kept=True, checks=("settled",), untold=("claims",)
        ),
        Key("form", "sim", "", "default", 3): of_form(outcome="passed", kept=False, means={"script": 7.0}),
        Key("form", "sim", "", "default", 5): of_form(outcome="failed", kept=False),
        OF_OTHER: of_form(outcome="passed", kept=False, means={"script": 8.0}, system=UNDER_TEST),
        OF_OTHER._replace(repeat=2): of_form(outcome="passed", kept=False, means={"script": 9.0}, system=UNDER_TEST),
    }


def test_what_is_worse_stands_there_with_its_statistics(capsys: pytest.CaptureFixture[str]) -> None:
    before = {**runs({seed: 1000.0 + seed for seed in range(20)}), **outcomes("pf", script="form")}
    now = {**runs({seed: 1100.0 + 2 * seed for seed in range(20)}), **outcomes("fp", script="form")}
    now[Key("new", "sim", "", "default", 1)] = RunFacts(outcome="failed", why="settled is broken")
    now[Key("form", "sim", "", "default", 0)] = msgspec.structs.replace(
        now[Key("form", "sim", "", "default", 0)], why="claims is broken"
    )
    print_compared(compared(before, now), "old", "out/new")
    told = capsys.readouterr().out
    begins = "Worse than before.\nBefore: old. Now: out/new.\n22 runs of both; 0 only before, 1 only now.\n"
    assert told.startswith(begins)
    assert "Scripts that were only run now: new." in told
    assert "1 run of both newly fail:\n  form (sim), seed 0: claims is broken\n    run 0\n" in told
    assert "1 run of both failed and pass now:\n  form (sim), seed 1" in told
    assert "\nworse     claim, storm: median 1.010 ms, now 1.119 ms; by pairs +10." in told
    assert " %), 20 draws of both, by chance < 0.001\n" in told
    assert "\nworse     claim, all scripts: " in told
    assert told.endswith(
        "Of 3 comparisons 2 differ, 0 show that it is no more than 20 % worse. Of 1 nothing can be said.\n"
        "More draws a side would tell: about 4 for claim, form.\n"
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "by pairs +460.0 % (from +3.4 % on), 24 draws of both, by chance 0.012"),
        ({"high": 500.0}, "by pairs +460.0 % (+3.4 to +500.0 %), 24 draws of both, by chance 0.012"),
        ({"low": None, "high": -3.0}, "by pairs +460.0 % (up to -3.0 %), 24 draws of both, by chance 0.012"),
        (
            {"paired": False, "chance": 0.0},
            "cell by cell +460.0 % (from +3.4 % on), 24 draws a side, by chance < 0.001",
        ),
        (
            {"kind": CANNOT_SAY, "low": None, "more": 3},
            "by pairs +460.0 % (no bound is known), 24 draws of both; about 3 more would do",
        ),
    ],
)
def test_the_size_by_the_test_is_told_in_plain_words(given: dict[str, Any], said: str) -> None:
    told = Difference(
        measure="claim", script="storm", paired=True, draws=24, differ=24, before=1.0, now=2.0, percent=460.0, low=3.4,
        high=None, chance=0.012, kind=WORSE,
    )  # fmt: skip
    assert msgspec.structs.replace(told, **given).words == said
    assert (told.usual, msgspec.structs.replace(told, average=True).usual) == ("median", "mean")


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that sentences are found in one line; one test says how they are broken."""
    monkeypatch.setenv("COLUMNS", "300")


def test_lines_are_broken_between_words_and_no_name_and_no_command_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    before = {**runs({seed: 1000.0 + seed for seed in range(20)}), **outcomes("p", script="form")}
    now = {**runs({seed: 1100.0 + 2 * seed for seed in range(20)}), **outcomes("f", script="form")}
    names = [f"{'a-long-' * 11}{n:02}" for n in range(13)]
    now |= {key: run for name in names for key, run in outcomes("p", script=name).items()}
    key = Key("form", "sim", "", "default", 0)
    again = "shaketable run form --seed 0" + 5 * " --set heartbeat=5"
    now[key] = msgspec.structs.replace(now[key], why="settled is broken " * 5, again=again)
    lines = told_of(before, now, capsys).splitlines()
    assert [each for each in lines if len(each) > 60] == [
        *(f"  {name}," for name in names[:9]), f"  {names[9]}", f"    {again}",
    ]  # fmt: skip
    assert lines[lines.index(f"  {names[9]}") + 1] == "  and 3 more."
    run = lines.index("1 run of both newly fail:") + 1
    assert lines[run : run + 2] == [
        "  form (sim), seed 0: settled is broken settled is broken",
        "    settled is broken settled is broken settled is broken",
    ]
    worse = next(place for place, line in enumerate(lines) if line.startswith("worse     claim, storm: "))
    assert lines[worse + 1].startswith(" " * 10)


def told_of(before: Runs, now: Runs, capsys: pytest.CaptureFixture[str]) -> str:
    print_compared(compared(before, now), "old", "new")
    return capsys.readouterr().out


def test_that_all_runs_are_alike_is_all_that_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """However few of them are measured."""
    same = hashed(outcomes("ppp"))
    assert told_of(same, same, capsys) == (
        "Nothing worse was found.\nBefore: old. Now: new.\n3 runs of both; 0 only before, 0 only now.\n\n"
        "All 3 runs of both are alike, event by event: nothing differs.\n"
    )
    told = told_of({**same, **outcomes("ppp", script="form")}, {**same, **outcomes("ppp", script="form")}, capsys)
    assert "6 runs of both, 3 of them alike event by event;" in told
    assert "nothing differs" not in told


def test_runs_that_pass_now_are_told_whether_they_failed_or_were_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    def unmeasured(told: str) -> Runs:
        return {key: msgspec.structs.replace(run, means={}) for key, run in outcomes(told).items()}

    told = told_of(unmeasured("ffu"), unmeasured("ppp"), capsys)
    assert told.startswith("Nothing worse was found.\n")
    assert "\n2 runs of both failed and pass now:\n  storm (sim), seed 0\n  storm (sim), seed 1\n" in told
    assert "\n1 run of both were unknown and pass now:\n  storm (sim), seed 2\n" in told
    assert "\nNo measure could be compared: " in told
    assert "Of 0" not in told


def test_where_few_histories_are_kept_it_is_told_how_to_keep_more(capsys: pytest.CaptureFixture[str]) -> None:
    few = outcomes("ppp")
    assert "--sample" not in told_of(few, few, capsys)
    first, *_ = few
    few[first] = msgspec.structs.replace(few[first], kept=False, means={})
    said = "Most measures need the histories of the runs, and 4 of 6 are kept. To keep more: campaign --sample 100.\n"
    assert told_of(few, few, capsys).endswith(said)


def test_whose_members_ran_is_told_where_they_were_not_all_ours(capsys: pytest.CaptureFixture[str]) -> None:
    older, newer = of_other("5.3", outcomes("pp", "real")), of_other("5.7", outcomes("fp", "real"))
    told = told_of(older, newer, capsys)
    assert "\nBefore: old (Other 5.3). Now: new (Other 5.7).\n2 runs of both; 0 only before, 0 only now.\n" in told
    assert "  storm (real, Other 5.3, now Other 5.7), seed 0\n" in told
    assert "several versions" not in told
    both = told_of({**outcomes("p"), **older, **newer}, newer, capsys)
    begins = "\nBefore: old (Shaketable, Other 5.3, Other 5.7). Now: new (Other 5.7).\n2 runs of both; 3 only "
    assert begins in both
    assert "\nOf Other there are several versions in one store: " in both


def test_why_there_is_no_pair_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    told = told_of(outcomes("pp", "real"), of_other("5.7", outcomes("pp", "real")), capsys)
    assert "\nNo runs are a pair: they differ in system (shaketable; now other).\n" in told
    assert "No runs are a pair" not in told_of(outcomes("p"), outcomes("p"), capsys)


def test_other_settings_of_pairs_are_told_in_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    before = with_settings(outcomes("pp"), heartbeat_timeout_seconds="60", maps="")
    now = with_settings(outcomes("pp"), heartbeat_timeout_seconds="75", maps="")
    told = told_of(before, now, capsys)
    assert "\nThe settings differ: heartbeat_timeout_seconds 60, now 75.\n" in told
    first = min(now)
    now[first] = msgspec.structs.replace(now[first], settings={"heartbeat_timeout_seconds": "75", "maps": "a"})
    some = 'heartbeat_timeout_seconds 60, now 75; maps "", now a (in 1 of 2 pairs).'
    assert some in " ".join(told_of(before, now, capsys).split())
    assert "The settings" not in told_of(before, before, capsys)
    many = [with_settings(outcomes("p"), **{f"s{n}": value for n in range(8)}) for value in "ab"]
    assert "s4 a, now b and 3 more." in told_of(many[0], many[1], capsys)


@pytest.mark.parametrize(
    ("asked", "said"), [(("--least", "-1"), "give 0 or more"), (("--margin", "1"), "than --least 1")]
)
def test_what_would_say_nothing_is_refused(
    asked: tuple[str, str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    here(capsys, "compare", "a", "b", *asked).refused(said)
