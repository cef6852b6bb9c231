"""How sure it is that a candidate keeps what was asked: by tables, by draws, and by what the simulator loses."""

from __future__ import annotations

import random
from math import inf, isinf

import pytest
from tests.harness.detectors.choosing.questions import ASKED, of, question, seen, settings, swim_settings
from tests.lengths import LONG

from shaketable.harness.detectors.choosing.bound import (
    at_least,
    at_most,
    by_loss,
    hours_needed,
    least_of,
    most_of,
    silences_by_loss,
    wants_silences,
)
from shaketable.harness.detectors.choosing.question import DAY, HOUR
from shaketable.harness.detectors.members import Members
from shaketable.harness.detectors.quality.named import known
from shaketable.harness.detectors.quality.trial import Trial
from shaketable.harness.records import Record
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.events import ProbeFailed
from shaketable.node.messages import Address
from shaketable.node.why import Why

RING = of("ring", settings())
SLEEPS_A_MONTH = 50 * 30


@pytest.mark.parametrize(
    ("many", "most", "least"), [(0, 2.996, 0.0), (1, 4.744, 0.0513), (2, 6.296, 0.3554), (10, 16.962, 5.425)]
)
def test_the_ends_are_those_of_the_tables(many: int, most: float, least: float) -> None:
    """Of the 95 % limits of a Poisson mean, one-sided, as in any book of tables."""
    assert most_of(many) == pytest.approx(most, abs=0.001)
    assert least_of(many) == pytest.approx(least, abs=0.001)


@pytest.mark.parametrize("mean", [0.5, 2.0, 7.0])
def test_the_true_mean_is_rarely_outside(mean: float) -> None:
    draw, above, below = random.Random(5), 0, 0
    for _ in range(1_000):
        many, time = 0, draw.expovariate(1)
        while time < mean:
            many += 1
            time += draw.expovariate(1)
        above += mean > most_of(many)
        below += mean < least_of(many)
    assert above <= 0.07 * 1_000
    assert below <= 0.07 * 1_000


def test_sleeps_stand_for_the_sleeps_of_the_time_that_was_asked_about() -> None:
    asked, watched = question(under="pauses-3s"), seen(sleeps=3_000, watched=HOUR)
    assert at_most("ring", RING, asked, watched) == pytest.approx(2.9957 * SLEEPS_A_MONTH / 3_000, rel=0.001)
    rarely = question(under="pauses-3s", every=30 * DAY)
    assert at_most("ring", RING, rarely, watched) == pytest.approx(2.9957 * 50 / 3_000, rel=0.001)
    assert isinf(at_most("ring", RING, asked, seen(sleeps=0)))


def test_other_faults_are_watched_hour_by_hour() -> None:
    for under in ("jitter", "none", "overload+loss-2"):
        found = at_most("ring", RING, question(under=under), seen(watched=720 * HOUR, heartbeats=10**9))
        assert found == pytest.approx(2.9957, rel=0.001)
    asleep_too = question(under="jitter+pauses-3s")
    both = at_most("ring", RING, asleep_too, seen(watched=720 * HOUR, sleeps=SLEEPS_A_MONTH, heartbeats=1))
    assert both == pytest.approx(2 * 2.9957, rel=0.001)


def test_silences_by_loss_count_with_what_comes_of_those_on_purpose() -> None:
    asked = question(under="loss-2")
    watched = seen(watched=HOUR, heartbeats=50 * 3_600, took=HOUR)
    silences = 50 * 720 * 3_600 * 0.02**2 * 0.0205
    assert silences_by_loss("ring", RING, asked, watched) == pytest.approx(silences, rel=0.001)
    assert by_loss("ring", RING, asked, watched) == pytest.approx(silences, rel=0.001), "nothing is known of them"
    watched.silenced = 10_000
    assert at_most("ring", RING, asked, watched) == pytest.approx(silences * 2.9957 / 10_000, rel=0.001)
    watched.removals_of_silenced = 1
    assert at_most("ring", RING, asked, watched) == pytest.approx(silences * 4.7439 / 10_000, rel=0.001)


def test_a_policy_of_which_nothing_is_known_is_watched_hour_by_hour() -> None:
    asked, watched = question(under="loss-2"), seen(watched=72 * HOUR, heartbeats=1, silenced=10**9)
    assert isinf(silences_by_loss("a new one", RING, asked, watched))
    assert at_most("a new one", RING, asked, watched) == pytest.approx(29.957, rel=0.001)


def test_where_all_send_to_all_a_group_watches_few_links() -> None:
    """A cluster watches all."""
    watched = seen(watched=HOUR, heartbeats=50 * 49 * 3_600)
    every, deadline = of("all", settings()), of("deadline", settings())
    of_group = silences_by_loss("all", every, question(), watched)
    assert silences_by_loss("deadline", deadline, question(), watched) == pytest.approx(25 * of_group)


@pytest.mark.parametrize(("helpers", "tried"), [(5, 5), (100, 48)])
def test_under_swim_a_ping_and_those_of_all_helpers_are_lost(helpers: int, tried: int) -> None:
    """Of 50 members 48 can help. A ping and its answer are two messages, and by a helper there are four."""
    swim = of("swim", swim_settings(2, helpers=helpers))
    pings = 50 * 720 * 3_600 / 2
    fail = pings * (1 - 0.98**2) * (1 - 0.98**4) ** tried
    watched = seen(watched=HOUR, took=HOUR)
    assert silences_by_loss("swim", swim, question(), watched) == pytest.approx(fail)
    assert silences_by_loss("lifeguard", swim, question(), watched) == pytest.approx(fail)
    assert silences_by_loss("swim", swim, question(under="pauses-3s"), watched) == 0


@pytest.mark.parametrize(("policy", "least"), [("swim", 0.85), ("lifeguard", 0.3)])
def test_so_many_pings_fail_by_loss(policy: str, least: float) -> None:
    """Under Lifeguard fewer: who misses answers takes itself for slow."""
    variant, under = of(policy, swim_settings(helpers=2)), "loss-20"
    run = Trial(variant, 20, 1, under, known(under))
    failed = _failed_pings(run.members)
    run.members.form()
    known(under).begin(run)
    failed.clear()
    run.members.world.pass_time(600 * SECOND)
    asked = question("1/hour", under=under, members=20)
    expected = silences_by_loss(policy, variant, asked, seen(watched=1)) / 6
    assert expected > 500
    assert least * expected < len(failed) < 1.1 * expected


def _failed_pings(members: Members) -> list[Micros]:
    failed, add = list[Micros](), members.world.add

    def added(record: Record) -> None:
        if isinstance(record.event, ProbeFailed) and record.event.why == Why.NO_ANSWER:
            failed.append(record.time)
        add(record)

    members.world.add = added  # type: ignore[method-assign]
    return failed


def test_what_may_come_of_a_silence_is_watched_where_it_matters() -> None:
    nothing_yet, few = seen(watched=0), seen(watched=HOUR, heartbeats=1)
    assert wants_silences("ring", RING, question(), nothing_yet)
    assert not wants_silences("ring", RING, question(), few)
    assert not wants_silences("ring", RING, question(under="pauses-3s"), nothing_yet)
    assert not wants_silences("ring", RING, question(under=f"{ASKED}+jitter"), nothing_yet)
    assert not wants_silences("deadline", of("deadline", settings()), question(), nothing_yet)
    assert not wants_silences("a new one", RING, question(), nothing_yet)
    assert wants_silences("swim", of("swim", swim_settings()), question(), nothing_yet)
    many = of("swim", swim_settings(helpers=20))
    assert not wants_silences("swim", many, question(), few), "so many helpers are never lost together"


def test_a_candidate_is_dropped_for_what_was_seen_and_for_nothing_else() -> None:
    assert at_least(question(), seen(sleeps=10)) == 0
    assert at_least(question(), seen(sleeps=10, removals=1)) == pytest.approx(0.05129 * SLEEPS_A_MONTH / 10, rel=0.001)
    nobody_sleeps = question(under="jitter")
    assert at_least(nobody_sleeps, seen(watched=HOUR, removals=2)) == pytest.approx(0.35536 * 720, rel=0.001)


@pytest.mark.parametrize("removals", [0, 1])
def test_after_the_hours_that_are_needed_it_is_sure(removals: int) -> None:
    asked = question()
    counts = {"sleeps": 500, "silenced": 500, "watched": HOUR, "heartbeats": 180_000, "took": 2 * HOUR}
    hours = hours_needed("ring", RING, asked, seen(**counts, removals=removals))
    for times, enough in ((1.001, True), (0.99, False)):
        more = {name: round(times * hours / 2 * many) for name, many in counts.items()}
        assert (at_most("ring", RING, asked, seen(**more, removals=removals)) <= 1) is enough


def test_a_month_is_to_be_watched_where_nothing_else_carries_over() -> None:
    asked, watched = question(under="jitter"), seen(watched=HOUR, took=HOUR)
    assert hours_needed("ring", RING, asked, watched) == pytest.approx(2.9957 * 720, rel=0.01)
    assert hours_needed("ring", RING, question("0.001/year", under="jitter"), watched) == inf


@pytest.mark.parametrize(("missed", "percent"), [(2, 10), pytest.param(3, 30, marks=LONG)])
def test_so_many_links_are_silent_by_loss(missed: int, percent: int) -> None:
    """A silence is what lies between two heartbeats that come, a window apart or more."""
    variant, under = of("ring", settings(missed=missed)), f"loss-{percent}"
    run = Trial(variant, 20, 1, under, known(under))
    silences = _silences(run.members, under, run)
    traffic, seconds = run.members.world.traffic, 900
    traffic.begin()
    silences.clear()
    run.members.world.pass_time(seconds * SECOND)
    watched = seen(watched=seconds * SECOND, heartbeats=traffic.heartbeats)
    asked = question("1/hour", under=under, members=20)
    expected = silences_by_loss("ring", variant, asked, watched) * seconds / 3_600
    assert expected > 100
    assert 0.6 * expected < len(silences) < 1.1 * expected


def _silences(members: Members, under: str, run: Trial) -> list[Micros]:
    members.form()
    known(under).begin(run)
    traffic, found = members.world.traffic, list[Micros]()
    loses, heard = traffic.loses, dict[tuple[str, Address], Micros]()
    assert loses is not None

    def lost(name: str, to: Address) -> bool:
        if loses(name, to):
            return True
        now = members.world.time
        if now - heard.get((name, to), now) > members.window:
            found.append(now)
        heard[name, to] = now
        return False

    traffic.loses = lost
    return found
