"""`shaketable compare-detectors`: its page word for word, what is promised and measured, and what turns it red."""

from __future__ import annotations

import json
import os
import random
import stat
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from rich.console import Console
from tests.conftest import AsWritten
from tests.harness.command.command_helpers import here
from tests.harness.explain.explain_helpers import as_answered
from tests.lengths import LONG
from tests.where import DOCS

from shaketable.harness.bounds.group import GroupBounds
from shaketable.harness.detectors.figures import ANNOUNCED, SUSPECTED, figures
from shaketable.harness.detectors.intervals import interval_of_median
from shaketable.harness.detectors.members import Members
from shaketable.harness.detectors.promises import Span, heartbeats, promise
from shaketable.harness.detectors.text import rendered
from shaketable.harness.detectors.variants import Variant, variants
from shaketable.harness.detectors.workload import (
    CRASHES,
    GONE,
    KILLED,
    MASTER_GONE,
    MASTER_KILLED,
    NEIGHBOURS_GONE,
    Crash,
    Result,
    cycle,
)
from shaketable.harness.reports.tally import spread_of
from shaketable.node.core.env import SECOND
from shaketable.node.gms.sender import Sender
from shaketable.node.messages import Address, Message

COMPARE = "compare-detectors"
SMALL = (COMPARE, "--members", "5", "--seeds", "1")


def test_the_page_shows_what_is_measured(
    as_written: AsWritten, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = DOCS / "compare-detectors.md"
    as_written(page, as_answered(page.read_text(), capsys, monkeypatch))


@LONG
def test_the_picture_in_the_docs_is_what_the_command_draws(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], as_written: AsWritten
) -> None:
    """Of two sizes and three seeds: that of 200 members alone would take seven minutes."""
    assert here(capsys, COMPARE, "--members", "5,15", "--seeds", "3", "--out", tmp_path / "drawn.svg").code == 0
    as_written(DOCS / "compare-detectors.svg", (tmp_path / "drawn.svg").read_text(encoding="utf-8"))


def test_the_same_seed_gives_the_same_bytes_and_another_one_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def kept(folder: str, *more: str) -> tuple[bytes, ...]:
        assert here(capsys, *SMALL, "--report", tmp_path / folder, *more).code == 0
        files = sorted((tmp_path / folder).iterdir())
        assert [file.name for file in files] == ["detectors.jsonl", "detectors.svg", "detectors.txt"]
        return tuple(file.read_bytes() for file in files)

    once = kept("once")
    assert kept("again") == once
    assert all(one != other for one, other in zip(kept("other", "--seed", "2"), once, strict=True))


@pytest.mark.parametrize(
    "asked",
    [("--seeds", "1"), ("--seeds", "1", "--under", "none"), ("--at-most", "1/hour", "--messages", "0.0001")],
    ids=["times", "quality", "answer"],
)
def test_others_may_read_a_report_as_the_umask_has_it(
    asked: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = ("--out", tmp_path / "report" / "times.svg") if len(asked) == 2 else ()
    (tmp_path / "report").mkdir()
    before = os.umask(0o027)
    try:
        assert here(capsys, COMPARE, "--members", "5", *asked, "--report", tmp_path / "report", *picture).err == ""
    finally:
        os.umask(before)
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in (tmp_path / "report").iterdir()}
    assert len(modes) >= 2
    assert set(modes.values()) == {0o640}, modes


def test_in_json_every_policy_is_an_object_with_what_is_promised_and_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "times.svg"
    ran = here(capsys, COMPARE, "--members", "6", "--seeds", "2", "--preset", "fast", "--json", "--out", picture)
    told = [json.loads(line) for line in ran.out.splitlines()]
    assert (ran.code, ran.err, len(told)) == (0, "", 14)
    for each in told:
        least, most = each["heartbeats_a_period"]["promised"]
        assert all(least - 0.001 <= counted <= most for counted in each["heartbeats_a_period"]["measured"])
        for crash in each["crashes"].values():
            first = crash.pop("first suspected")
            assert first["measured"] == crash["suspected"]["measured"]
            assert first["least"] <= first["median"] <= crash["suspected"]["median"]
            assert first["most"] <= crash["suspected"]["most"]
            for measured in filter(None, crash.values()):
                least, most = measured["promised"]
                assert least - 0.001 <= measured["least"] <= measured["median"] <= measured["most"] <= most + 0.05
                assert measured["outside"] == 0
    by_policy: dict[str, Any] = {each["policy"]: each for each in told}
    assert by_policy["all, order"]["wrongly_removed"] == 0
    assert by_policy["cluster, deadline"]["wrongly_removed"] > 0
    scaled_down = {name: each["changes_of_leadership_in_the_scale_down"] for name, each in by_policy.items()}
    assert scaled_down["ring, order"] < scaled_down["ring, seniority"]
    assert by_policy["inferred, order"]["heartbeats_a_period"]["while_applications_talk"] < [6.0, 6.0]
    root = ElementTree.fromstring(picture.read_text())
    titles = [title.text or "" for title in root.iter("{http://www.w3.org/2000/svg}title")]
    assert len(titles) == 12 * 5 * 3 + 2 * 5 * 2 + 14 * 8, "five crashes: a cluster verifies none; and eight amounts"
    ring = by_policy["ring, order"]
    announced = ring["crashes"]["a member is killed"]["announced"]
    least, most = announced["promised"]
    (shown,) = [title for title in titles if title.startswith("ring, order, 6 members, a member is killed: announced ")]
    assert f" median {announced['median']:.3g} s, 99 of 100 by {announced['99th_percentile']:.3g} s, " in shown
    assert announced["measured"] == 2, "a crash a seed, whatever the number of survivors"
    assert shown.endswith(f"{announced['measured']} times; promised {least:.3g} s to {most:.3g} s")
    assert f"ring, order, 6 members, messages: {ring['messages_a_member_and_second']:.2f}" in titles
    assert "cluster, deadline, 6 members, removed: 2" in titles
    assert "ring, seniority, 6 members, while the oldest shut down: 3" in titles


def test_messages_are_counted_over_whole_cycles_and_the_busiest_member_is_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In a ring each member but the master and the one that it sends to asks the master for a sign, every seventh
    period."""
    ran = here(capsys, COMPARE, "--members", "8", "--seeds", "1", "--json")
    told: dict[str, Any] = {each["policy"]: each for each in map(json.loads, ran.out.splitlines())}
    period, members, asked = 3, 8, 1 / 7
    ring = told["ring, order"]
    beats_and_pings = (members + 2 * asked * (members - 2)) / members / period
    assert ring["messages_a_member_and_second"] == pytest.approx(beats_and_pings, abs=0.001)
    assert ring["sent_by_the_busiest_in_a_second"] == pytest.approx((1 + asked * (members - 2)) / period, abs=0.001)
    likely = told["likely, order"]
    assert likely["messages_a_member_and_second"] < 0.6
    assert likely["received_by_the_busiest_in_a_second"] == pytest.approx((members - 1) / period, rel=0.3)
    every = told["all, order"]
    assert every["messages_a_member_and_second"] == every["sent_by_the_busiest_in_a_second"]


@pytest.mark.parametrize("name", ["swim, order", "lifeguard, order"])
def test_under_swim_the_load_of_a_member_does_not_depend_on_how_many_they_are(name: str) -> None:
    """The claim of the paper. A ping and an answer each period, and of the busiest member only what chance adds: under
    all to all 50 members have twelve times as much to do as 5."""
    measured = {}
    for members in (5, 10, 20, 50):
        run = Members(of(name), members, 1)
        run.form()
        run.be_quiet()
        traffic, periods = run.world.traffic, 40
        traffic.begin(weighs=True)
        run.world.pass_time(periods * run.period)
        each = traffic.messages.total() / members / periods
        measured[members] = each
        assert traffic.heartbeats == members * periods
        assert max(*traffic.sent.values(), *traffic.received.values()) < 1.5 * each * periods
    assert all(each == pytest.approx(2, rel=0.01) for each in measured.values())


def test_a_cycle_holds_whole_windows_and_whole_turns_of_asking_the_master() -> None:
    assert [cycle(of("ring, order", gms_max_missed=missed).settings) for missed in (2, 3, 5)] == [10, 21, 55]


@pytest.mark.parametrize("name", ["ring, order", "cluster, deadline"])
def test_neighbours_in_the_ring_do_not_beat_together(name: str) -> None:
    def begins(seed: int) -> list[int]:
        members = Members(of(name), 20, seed)
        members.form()
        return [members.world.started[each] % members.period for each in members.names]

    first, second = begins(1), begins(2)
    assert first != second
    assert begins(1) == first
    for phases in (first, second):
        apart = [(after - before) % (3 * SECOND) for before, after in pairwise(phases)]
        assert min(apart) < SECOND
        assert max(apart) > 2 * SECOND
        assert len({gap // (SECOND // 2) for gap in apart}) >= 5


def test_a_crash_counts_once_until_the_last_survivor_and_so_does_what_is_wrong_with_it() -> None:
    def crash(*announced: float) -> Crash:
        times = [round(each * SECOND) for each in announced]
        return Crash(GONE, [each - 12_500_000 for each in times], [12_500_000] * len(times), times, 0)

    ring = of("ring, order")
    results = [Result(crashes=[each]) for each in (crash(32, 33, 36), crash(31.5, 34), crash(30, 31, 35))]
    found = figures(ring, 5, results).crashes[0]
    assert (found.crashes, sorted(found.times[ANNOUNCED])) == (3, [34_000_000, 35_000_000, 36_000_000])
    measure = found.measures[ANNOUNCED]
    assert (measure.spread.count, measure.spread.median, measure.outside) == (3, 35_000_000, 1)
    assert found.measures[SUSPECTED].outside == 1
    assert found.medians[ANNOUNCED] is None


def test_the_first_survivor_s_median_is_a_time_that_was_measured_and_never_after_that_of_all() -> None:
    """Of two crashes one survivor knew: the first one is the last one too."""
    crashes = [
        Crash(kind, [at], [12_500_000], [at + 12_500_000], 0) for at in (20_000_000, 22_000_000) for kind in CRASHES
    ]
    told = Console(file=StringIO(), width=80)
    for part in rendered([figures(of("ring, order"), 5, [Result(crashes=crashes)])]):
        told.print(part)
    assert isinstance(told.file, StringIO)
    rows = [
        line.split() for line in told.file.getvalue().splitlines() if line.startswith("ring, order") and "–" in line
    ]
    assert [row[3:6] for row in rows] == [["20.0", "20.0", "22.0"]] * len(CRASHES)


def test_the_largest_figures_fit_into_80_columns() -> None:
    many, crashes = 500, [Crash(kind, [54_321_000], [12_500_000], [67_891_000], 0) for kind in CRASHES]
    sent = many * (many - 1)
    result = Result(crashes, 6 * sent, 21 * sent, 21 * sent * 250, 21 * many, 22 * many, 6 * sent, 5, 2, 2, 3)
    found = [figures(each, many, [result] * 6) for each in variants("default", {})]
    told = Console(file=StringIO(), width=80)
    for part in rendered(found):
        told.print(part)
    assert isinstance(told.file, StringIO)
    assert "…" not in told.file.getvalue()
    assert "249,500" in told.file.getvalue()


def test_the_interval_of_a_median_has_the_ranks_of_the_tables() -> None:
    ranks = {many: interval_of_median(range(1, many + 1)) for many in (0, 1, 5, 6, 10, 20, 50)}
    assert ranks == {0: None, 1: None, 5: None, 6: (1, 6), 10: (2, 9), 20: (6, 15), 50: (18, 33)}


def test_in_95_of_100_measurements_the_median_lies_in_its_interval() -> None:
    draws = random.Random(7)
    hits = 0
    for _ in range(2_000):
        interval = interval_of_median(draws.randrange(1_000_000) ** 2 for _ in range(15))
        assert interval is not None
        hits += interval[0] <= 500_000**2 <= interval[1]
    assert hits > 0.95 * 2_000


# What is promised


def of(name: str, **values: object) -> Variant:
    return next(each for each in variants("default", values) if each.name == name)


def in_seconds(span: Span | None) -> tuple[float, float] | None:
    return None if span is None else (span.least / SECOND, span.most / SECOND)


PROMISED = {
    # P 3 s, K 3, R 10 s, V 2.5 s; where a process was killed its links are known to be down: R is 0.
    # A machine that is gone answers no probe: each takes all of R.
    ("all, order", GONE): ((19, 22), (12.5, 12.5), (31.5, 34.5)),
    ("all, order", KILLED): ((9, 12), (2.5, 2.5), (11.5, 14.5)),
    ("likely, seniority", NEIGHBOURS_GONE): ((19, 22), (12.5, 12.5), (31.5, 34.5)),
    ("ring, order", GONE): ((19, 24.5), (12.5, 12.5), (31.5, 37)),
    ("ring, order", NEIGHBOURS_GONE): ((19, 61.5), (12.5, 12.5), (31.5, 74)),
    # One more member is asked, which takes R + V at most.
    ("all, order", MASTER_GONE): ((19, 22), (12.5, 25), (31.5, 47)),
    ("all, order", MASTER_KILLED): ((9, 12), (2.5, 5), (11.5, 17)),
    # A member that hears nothing of the master asks it for a sign, at any time, and a probe takes R.
    ("inferred, order", MASTER_GONE): ((10, 34.5), (12.5, 25), (22.5, 59.5)),
    # Of 10 members somebody pings it within 17 periods, and all in vain 3 s later. The report takes V at most. The last
    # ping of its own, from which it counts, was up to a period before.
    ("swim, order", GONE): ((3, 17 * 3 + 3 + 2.5 + 3), (15, 15), (18, 74.5)),
    ("swim, order", KILLED): ((3, 59.5), (15, 15), (18, 74.5)),
    ("swim, order", MASTER_GONE): ((3, 69.5), (15, 27.5), (18, 97)),
    ("lifeguard, order", GONE): ((3, 59.5), (15, 90), (18, 149.5)),
    ("lifeguard, order", NEIGHBOURS_GONE): ((3, 5 * 54 + 5.5), (15, 90), (18, 5 * 54 + 5.5 + 90)),
    ("cluster, deadline", GONE): ((9, 12), None, (9, 12)),
    ("cluster, deadline", KILLED): ((0.2, 3.4), None, (0.2, 3.4)),
    ("cluster, deadline", MASTER_GONE): ((9, 12), None, (9, 12.5)),
}


@pytest.mark.parametrize(("name", "kind"), PROMISED)
def test_how_soon_a_crash_is_to_be_told(name: str, kind: str) -> None:
    told = promise(of(name), 10, kind)
    found = tuple(in_seconds(span) for span in (told.suspected, told.verified, told.announced))
    assert found == PROMISED[name, kind]


def test_how_many_heartbeats_are_to_be_sent_in_six_periods() -> None:
    counted = {
        each.name: (heartbeats(each, 10, 6), heartbeats(each, 10, 6, talking=True))
        for each in variants("default", {"likely_successors": 3})
        if "seniority" not in each.name
    }
    assert counted == {
        "all, order": ((540, 540), (540, 540)),
        "likely, order": ((72, 72), (72, 72)),
        "ring, order": ((60, 60), (60, 60)),
        # One message asks the master for a sign, in two windows of three periods.
        "inferred, order": ((59, 60), (0, 54)),
        "swim, order": ((60, 60), (60, 60)),
        # Members that have slept a while ago may still take themselves for slow.
        "lifeguard, order": ((60, 60), (6, 60)),
        "cluster, deadline": ((540, 540), (540, 540)),
        "cluster, phi-accrual": ((540, 540), (540, 540)),
    }


def test_a_cluster_gets_the_period_and_the_window_of_a_group() -> None:
    cluster = of("cluster, deadline", gms_heartbeat_period_seconds=2, gms_max_missed=5).settings
    assert (cluster.heartbeat_interval, cluster.heartbeat_timeout) == (2 * SECOND, 10 * SECOND)


def test_the_quantiles_are_times_that_were_measured() -> None:
    few, many = spread_of([4, 1, 3, 2]), spread_of(range(1, 201))
    assert few is not None
    assert (few.least, few.median, few.ninety, few.high, few.most) == (1, 2, 4, 4, 4)
    assert many is not None
    assert (many.median, many.ninety, many.high) == (100, 180, 198)


# What turns it red


def test_too_many_heartbeats_are_no_pass(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    once = Sender.beat

    def twice(sender: Sender, to: Address, message: Message) -> None:
        once(sender, to, message)
        once(sender, to, message)

    monkeypatch.setattr(Sender, "beat", twice)
    ran = here(capsys, *SMALL)
    assert ran.code == 1
    said = " ".join(ran.out.split())
    assert "all, order: the heartbeats are not as many as promised" in said
    assert "cluster, deadline: the heartbeats" not in said


def test_a_time_that_is_longer_than_promised_is_no_pass(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GroupBounds, "failure", lambda bounds, neighbours=1: bounds.verification + 5 * SECOND)
    ran = here(capsys, *SMALL)
    assert ran.code == 1
    assert "of 1 of 1 crash until it was announced are outside of what is promised" in " ".join(ran.out.split())


# Mistakes

MISTAKES = {
    "no number": (("--members", "ten"), ("--members ten: 'ten' is no size; give whole numbers from 5 to 500",)),
    "too few": (("--members", "10,4"), ("--members 10,4: '4' is no size",)),
    "too many": (("--members", "501"), ("'501' is no size",)),
    "nobody": (("--members", ""), ("'' is no size",)),
    "nobody behind a comma": (("--members", "5,"), ("--members 5,: a number is missing beside a comma",)),
    "fewer than nobody": (("--members", "-5"), ("--members -5: '-5' is no size",)),
    "no seeds": (("--seeds", "0"), ("--seeds 0: give a whole number from 1 to 1000",)),
    "no picture": (("--out", "times.png"), ("--out times.png: the picture is an SVG", ".svg")),
    "no such folder": (("--out", "nowhere/times.svg"), ("nowhere/times.svg cannot be written: no such file",)),
    "no name of a folder": ((*SMALL[1:], "--report", ""), ("--report '': give a folder",)),
    "no name of a folder for the quality": (
        (*SMALL[1:], "--under", "none", "--report", ""),
        ("--report '': give a folder",),
    ),
    "no such setting": (("--set", "period=1"), ("period = 1: there is no such setting", "shaketable settings")),
    "no value": (("--set", "gms_max_missed"), ("NAME=VALUE",)),
    "what is compared": (("--set", "gms_detection=ring"), ("gms_detection=ring", "all ways are compared")),
    "what is derived": (
        ("--set", "hazelcast.heartbeat.interval.seconds=1"),
        ("heartbeat_interval_seconds=1", "gms_heartbeat_period_seconds"),
    ),
    "too impatient": (("--set", "gms_max_missed=1"), ("gms_max_missed = 1", "from 2 missed heartbeats on")),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_gets_its_sentence(
    mistake: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments, words = MISTAKES[mistake]
    here(capsys, COMPARE, *arguments).refused(*words)
    assert list(tmp_path.iterdir()) == []
