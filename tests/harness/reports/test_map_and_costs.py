"""The page of a campaign in its order: what failed, what was reached as a map, how soon what is broken was found, which
stories are slow, and what has changed."""

from __future__ import annotations

import re

import pytest
from tests.harness.reports.test_campaign_report import row
from tests.harness.reports.test_report_page import Read
from tests.harness.reports.told_runs import crash, quiet

from shaketable.harness.coverage import ALL_MARKS, SERVICES
from shaketable.harness.reports.campaign_report import CampaignFacts, report_of_campaign
from shaketable.harness.reports.model import Comparison
from shaketable.harness.reports.page import to_html
from shaketable.harness.reports.page.reached import darkness
from shaketable.harness.verdicts.rows import RunRow

CLAIM, TABLE = "claim: began", "table: assigned"
SECOND = 1_000_000


def rows() -> list[RunRow]:
    """Of 40 runs one in ten is broken; the others reach a mark, and take a quarter of the time."""
    good, bad = quiet()[0], crash()[0]
    made = [row(good, seed, marks={CLAIM: 1}, wall_micros=SECOND // 4) for seed in range(1, 37)]
    return made + [row(bad, seed, marks={}, wall_micros=SECOND) for seed in range(1, 5)]


def page(*, comparisons: bool = False) -> str:
    changed = Comparison(what="seed 1", script="crash", before="passed", now="failed", said="", kind="new failure")
    facts = CampaignFacts(
        title="a campaign", rows=rows(), marks=ALL_MARKS, comparisons=[changed] if comparisons else ()
    )
    return to_html(report_of_campaign(facts))


def test_what_failed_comes_first_and_what_has_changed_after_the_costs() -> None:
    headings = re.findall("<h2>(.*?)</h2>", page(comparisons=True))
    assert headings == [
        "What did not pass",
        "What was covered",
        "How soon it was found",
        "Which stories are slow",
        "How long it took",
        "What has changed",
        "What else passed",
    ]


def test_every_mark_is_of_a_service() -> None:
    assert SERVICES.keys() == ALL_MARKS.keys()


def test_the_map_has_a_row_a_service_and_a_cell_a_mark() -> None:
    made = page()
    services = dict.fromkeys(SERVICES[name] for name, mark in ALL_MARKS.items() if mark.family != "gms")
    assert re.findall('class="service">(.*?)<', made) == [service.capitalize() for service in services]
    ours = [name for name in ALL_MARKS if SERVICES[name] == "cluster service"]
    told = Read(made).said
    assert f"Cluster service 1 of {len(ours)}" in told
    cells = re.findall(r'<i class="cell of-(\d)" title="(.*?)">', made)
    assert len(cells) == len([mark for mark in ALL_MARKS.values() if mark.family != "gms"])
    assert ("4", f"{CLAIM}: in 36 runs") in cells
    assert ("0", f"{TABLE}: never") in cells


@pytest.mark.parametrize(
    ("times", "runs", "expected"),
    [(0, 10, 0), (1, 10, 1), (3, 3, 1), (4, 100, 2), (5, 100, 2), (6, 100, 3), (25, 100, 3), (26, 100, 4), (4, 4, 4)],
)
def test_a_cell_is_the_darker_the_more_runs_reached_it(times: int, runs: int, expected: int) -> None:
    assert darkness(times, runs) == expected


def test_how_soon_what_is_broken_was_found_is_told_in_runs_and_in_time_of_a_core() -> None:
    told = Read(page()).said
    # 4 of 40 runs show it, and all together took 36 / 4 + 4 seconds.
    assert "view integrity check 4 10 runs 3.25 s" in told
    assert "crash script 4 10 runs 3.25 s" in told
    facts = CampaignFacts(title="", rows=[each for each in rows() if each.outcome == "passed"])
    assert "How soon it was found" not in to_html(report_of_campaign(facts))


def test_the_slowest_story_comes_first_with_its_share_of_the_time() -> None:
    told = Read(page()).said
    assert "crash 1 s 4 30.8 % quiet 250 ms 36 69.2 %" in told


def test_where_no_time_is_known_no_story_is_called_slow() -> None:
    facts = CampaignFacts(title="", rows=[row(quiet()[0], 1), row(crash()[0], 1)])
    assert "Which stories are slow" not in to_html(report_of_campaign(facts))


def test_how_coverage_grew_is_drawn_where_there_are_seeds_enough_to_see_it() -> None:
    def drawn(last: int) -> bool:
        reached = [{CLAIM: 1}, {TABLE: 1}]
        made = [row(quiet()[0], seed, marks=reached[seed % 2]) for seed in range(1, last + 1)]
        return 'class="grows"' in to_html(report_of_campaign(CampaignFacts(title="", rows=made, marks=ALL_MARKS)))

    assert [drawn(last) for last in (2, 10, 11, 40)] == [False, False, True, True]
