"""The best of what was found, the front of each policy, and what the picture and the words make of it."""

from __future__ import annotations

import json
from math import inf
from xml.etree import ElementTree

import pytest
from rich.console import Console
from tests.harness.detectors.choosing.questions import candidate, candidate_of, question, seen, swim_settings

from shaketable.harness.detectors.choosing.answer import (
    MESSAGES,
    Point,
    best,
    front,
    good,
    in_json,
    points,
    quickest,
)
from shaketable.harness.detectors.choosing.candidates import Ladder
from shaketable.harness.detectors.choosing.picture import picture
from shaketable.harness.detectors.choosing.playing import Crashes
from shaketable.harness.detectors.choosing.question import HOUR, Question
from shaketable.harness.detectors.choosing.search import BREAKS, KEEPS, UNSURE, Search, Tried
from shaketable.harness.detectors.choosing.text import asked, rendered
from shaketable.harness.detectors.quality.of_a_run import NEVER
from shaketable.node.core.env import SECOND

SVG = "{http://www.w3.org/2000/svg}"
ASKED = question()


def tried(policy: str, messages: float, told: float, outcome: str = KEEPS, *, period: float = 1) -> Tried:
    """`told`: by all but one of ten crashes in so many seconds."""
    crashes = Crashes([round(told * SECOND)] * 9 + [NEVER], messages, 100 * messages, 2 * messages)
    watched = seen(sleeps=4_500, silenced=100, took=10 * HOUR, watched=HOUR, heartbeats=100_000)
    most = 0.994 if outcome == KEEPS else 0.0
    return Tried(candidate(policy, period), watched, outcome, most, crashes=[crashes])


def found(*those: Tried, asked: Question = ASKED) -> Search:
    """As if the search had come to this."""
    ladders = [Ladder(each.candidate.policy, asked.members, [each.candidate]) for each in those]
    search = Search(asked, "default", ladders)
    for climb, each in zip(search.climbs, those, strict=True):
        climb.tried = [each]
    return search


RING = [tried("ring", 0.5, 12), tried("ring", 1, 6), tried("ring", 1.5, 7), tried("ring", 2, 3.3, BREAKS)]
ALL = [tried("all", 5, 4), tried("all", 9, 9)]
SEARCH = found(*RING, *ALL)
POINTS = points(SEARCH)


def named(points: list[Point]) -> list[tuple[str, float]]:
    return [(each.policy, each.messages) for each in points]


def test_a_point_is_what_was_measured() -> None:
    first = POINTS[0]
    assert (first.policy, first.messages, first.bytes, first.most) == ("ring", 0.5, 50, 1)
    assert (first.told, first.median, first.crashes) == (12 * SECOND, 12 * SECOND, 10)
    assert [each.messages for each in POINTS] == sorted(each.messages for each in POINTS)


def test_the_best_is_the_quickest_or_the_cheapest_that_is_quick_enough() -> None:
    assert named([each for each in [best(ASKED, POINTS)] if each]) == [("all", 5)]
    assert named([each for each in [best(question(within="6s"), POINTS)] if each]) == [("ring", 1)]
    assert named([each for each in [best(question(within="30s"), POINTS)] if each]) == [("ring", 0.5)]
    assert best(question(within="3.5s"), POINTS) is None, "one is as quick, and does not keep it"
    assert named(good(question(within="6s"), POINTS)) == [("ring", 1), ("all", 5)]


def test_one_that_does_not_tell_one_crash_of_five_is_no_answer() -> None:
    deaf = tried("ring", 1, 5)
    deaf.crashes[0].told[:2] = [NEVER, NEVER]
    assert best(ASKED, points(found(deaf))) is None
    assert front(points(found(deaf)), "ring") == []


def test_the_front_has_none_that_is_dearer_and_no_quicker() -> None:
    assert named(front(POINTS, "ring")) == [("ring", 0.5), ("ring", 1)]
    assert named(front(POINTS, "all")) == [("all", 5)]
    assert front(POINTS, "likely") == []


@pytest.mark.parametrize(
    ("cost", "most", "is_it"),
    [("messages", 0.4, None), ("messages", 0.5, 0.5), ("messages", 4.9, 1.0), ("messages", 5, 5.0), ("bytes", 99, 0.5)],
)
def test_at_equal_cost_each_is_one_that_is_not_dearer(cost: str, most: float, is_it: float | None) -> None:
    point = quickest(good(ASKED, POINTS), cost, most)
    assert (point and point.messages) == is_it


# In words


def told(search: Search, asked: Question = ASKED) -> str:
    console = Console(width=80, highlight=False)
    with console.capture() as shown:
        for part in rendered(asked, ["ring", "all", "deadline"], search, points(search), best(asked, points(search))):
            console.print(part)
    lines = shown.get().splitlines()
    assert max(map(len, lines)) <= 80
    assert "…" not in "".join(lines)
    return "\n".join(line.rstrip() for line in lines)


def as_one_line(text: str) -> str:
    return " ".join(text.split())


def test_the_answer_is_a_sentence_with_what_is_to_be_set() -> None:
    text = told(SEARCH)
    assert "At most 1 false removal a month, with 50 members" in text
    assert "2 % of the heartbeats are lost; each member sleeps for 3 s, once in 1 d" in text
    one_line = as_one_line(text)
    assert "The quickest: all. Half of all crashes are told within 4.00 s, nine of ten within 4.00 s" in one_line
    assert "A member sends 5.00 messages a second, and 500 bytes." in one_line
    assert "It removes at most 1.00 members falsely a month, with 95 % confidence: 0 were seen." in one_line
    assert "Watched: 4,500 sleeps, where a month has 1,500, and 100 silences, in 10.0 hours of virtual" in one_line
    assert "Computed: by loss alone a link is silent for a whole window 24 times a month." in one_line
    assert "    --set 'gms_detection=all to all'\n    --set gms_heartbeat_period_seconds=1\n" in text
    assert "Not tried, since a member would send more than 10 messages a second: deadline." in one_line
    rows = [line.split() for line in text.splitlines() if line.startswith(("ring ", "all "))]
    assert ["ring", "1", "3", "1", "0.25", "12.0", "12.0", "0.50", "1.00", "50", "<1.00", "4,600"] in rows
    assert ["ring", "-", "12.0", "6.00", *["6.00"] * (len(MESSAGES) - 3)] in rows
    assert ["all", "-", "-", "-", "-", "4.00", "4.00", "4.00"] in rows
    assert not any("3.30" in row for row in rows), "what does not keep it is in no table"


def test_of_swim_it_is_told_how_often_pings_fail_and_it_bears_no_missed_heartbeats() -> None:
    swim = tried("swim", 4, 3)
    swim.candidate = candidate_of("swim", swim_settings(0.5, suspicion=5, ping=0.2, helpers=10))
    text = told(found(swim))
    rows = [line.split() for line in text.splitlines() if line.startswith("swim ")]
    assert ["swim", "0.5", "-", "5", "0.2", "10", "2", *["3.00"] * 2, "4.00", "8.00", "400", "<1.00", "4,600"] in rows
    assert "by loss alone a ping fails, and those of all helpers, 8.2e-05 times a month." in as_one_line(text)
    assert "    --set gms_detection=swim\n    --set gms_heartbeat_period_seconds=0.5\n" in text


@pytest.mark.parametrize(
    ("rate", "said"),
    [
        ("1/hour", "At most 1 false removal an hour"),
        ("0.5/day", "At most 0.5 false removals a day"),
        ("2/year", "At most 2 false removals a year"),
    ],
)
def test_the_question_is_said_in_english(rate: str, said: str) -> None:
    assert asked(question(rate)) == said


def test_it_is_told_where_nothing_was_found_and_why() -> None:
    unsure = tried("all", 5, 4, UNSURE)
    unsure.hours_more = 1_234.5
    never = tried("deadline", 5, 4, UNSURE)
    never.hours_more = inf
    text = as_one_line(told(found(tried("ring", 1, 5, BREAKS), unsure, never)))
    assert "ring: no settings that were tried keep it." in text
    assert "all: not to be shown in 48 hours of virtual time; 1,235 hours more would, if nothing goes wrong" in text
    assert "deadline: no settings were shown to keep it, and no time would do." in text
    assert text.endswith("No settings that were tried were shown to keep that.")
    late = question(within="3s")
    slow = as_one_line(told(found(tried("ring", 1, 5), asked=late), late))
    assert slow.endswith("shown to keep that and tell nine of ten crashes within 3 s.")


def test_in_json_each_candidate_is_an_object() -> None:
    unsure = tried("all", 5, 4, UNSURE)
    unsure.hours_more = inf
    lines = [json.loads(line) for line in in_json(ASKED, found(RING[0], unsure))]
    first, second = lines
    assert (first["policy"], first["outcome"], first["false_removals_at_most"]) == ("ring", "keeps", 0.994)
    assert (first["nine_of_ten"], first["messages_a_member_and_second"], first["sleeps_watched"]) == (12.0, 0.5, 4_500)
    assert first["settings"]["gms_max_missed"] == "3"
    assert (second["outcome"], second["hours_more"], second["false_removals_at_most"]) == ("unsure", None, None)


# The picture


def test_the_picture_has_a_line_for_each_front_and_hollow_points_for_the_rest() -> None:
    root = ElementTree.fromstring(picture(ASKED, ["all", "ring", "deadline"], POINTS))
    circles = [each.get("class") for each in root.iter(f"{SVG}circle")]
    assert sorted(map(str, circles)) == ["kept"] * 5 + ["not"]
    (line,) = root.iter(f"{SVG}polyline")
    assert line.get("class") == "front"
    (first, last) = [tuple(map(float, pair.split(","))) for pair in str(line.get("points")).split()]
    assert first[0] < last[0], "dearer is further to the right"
    assert first[1] < last[1], "slower is higher"
    texts = [each.text for each in root.iter(f"{SVG}text")]
    assert "deadline: none" in texts
    titles = [each.text or "" for each in root.iter(f"{SVG}title")]
    assert any(title.startswith("ring: 12.0 s, 0.50 messages a second (gms_heartbeat_period") for title in titles)


def test_without_a_point_there_is_a_picture_too() -> None:
    texts = [each.text for each in ElementTree.fromstring(picture(ASKED, ["ring"], [])).iter(f"{SVG}text")]
    assert "nothing was measured" in texts
