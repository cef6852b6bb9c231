"""The failure detector as a policy: how long a silence is borne, by the deadline and by phi-accrual."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.where import DOCS

from shaketable.harness.bounds.cluster import Bounds
from shaketable.node.cluster.service.detector import Deadline, Intervals, PhiAccrual, detector_of, deviations_at, phi
from shaketable.node.config import DEFAULT, FAST, PHI_ACCRUAL, PRESETS, Settings
from shaketable.node.core.env import MILLISECOND, SECOND, Micros
from shaketable.node.messages import Member

PAGE = DOCS / "failure-detectors.md"
WHO = Member("127.0.0.1:5701", "who")


def with_phi(settings: Settings, **values: object) -> Settings:
    return settings.with_values({"failure_detector": PHI_ACCRUAL, **values})


def borne(settings: Settings, intervals: Sequence[Micros]) -> Micros:
    """The shortest silence, after heartbeats at these intervals, for which this detector suspects."""
    detector = detector_of(settings)
    now = 0
    detector.expect(WHO.uuid, now)
    detector.heartbeat(WHO.uuid, now)
    for interval in intervals:
        now += interval
        detector.heartbeat(WHO.uuid, now)
    least, most = 0, 1000 * settings.heartbeat_timeout
    while least < most:
        middle = (least + most) // 2
        found = detector.silent([WHO], now + middle)
        assert found in ([], [(WHO, middle)])
        least, most = (least, middle) if found else (middle + 1, most)
    return least


# Phi


def test_phi_is_the_doubt_of_a_normal_distribution() -> None:
    """The logistic approximation of it is off by less than 0.00014 where its error is largest."""
    for tenths in range(-50, 51):
        y = tenths / 10
        later_still = math.erfc(y / math.sqrt(2)) / 2
        assert 10 ** -phi(y) == pytest.approx(later_still, abs=0.00015)
    assert phi(0) == pytest.approx(math.log10(2))


@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.5, 1, 8, 10, 16, 300])
def test_the_threshold_is_so_many_deviations(threshold: float) -> None:
    deviations = deviations_at(threshold)
    assert phi(deviations / 1e6) >= threshold > phi((deviations - 1) / 1e6)


def test_phi_of_ten_is_five_point_eight_deviations() -> None:
    assert deviations_at(10) == pytest.approx(5.8e6, abs=0.001e6)


LENGTHS = st.integers(0, 20 * SECOND)


@given(
    st.lists(LENGTHS, max_size=12),
    st.integers(0, 200 * SECOND),
    st.floats(0.1, 20),
    st.integers(2, 8),
    st.integers(1, 2000),
)
def test_a_member_is_suspected_when_phi_has_reached_the_threshold(
    lengths: list[Micros], silence: Micros, threshold: float, size: int, least: int
) -> None:
    settings = with_phi(
        DEFAULT,
        phi_accrual_threshold=threshold,
        phi_accrual_sample_size=size,
        phi_accrual_min_std_dev_millis=least,
    )
    detector, now = PhiAccrual(settings), 0
    detector.expect(WHO.uuid, 0)
    detector.heartbeat(WHO.uuid, 0)
    kept = [3750 * MILLISECOND, 6250 * MILLISECOND]

    def doubt(silence: Micros, shift: Micros) -> float:
        mean = Fraction(sum(kept), len(kept))
        deviation = max(math.sqrt(sum((k - mean) ** 2 for k in kept) / len(kept)), least * MILLISECOND)
        return phi((silence + shift - float(mean) - settings.heartbeat_timeout) / deviation)

    for length in lengths:
        now += length
        alive = not detector.silent([WHO], now)
        detector.heartbeat(WHO.uuid, now)
        kept = [*kept, *[length] * alive][-size:]
    suspected = bool(detector.silent([WHO], now + silence))
    # Whole microseconds: a few of them on either side of the limit are anybody's.
    assert doubt(silence, -40) < threshold if not suspected else doubt(silence, 40) >= threshold


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=30), st.integers(2, 10))
def test_the_sums_are_those_of_the_last_so_many_intervals(added: list[Micros], most: int) -> None:
    intervals = Intervals((), most, 0)
    for one in added:
        intervals.add(one)
    kept = added[-most:]
    mean = Fraction(sum(kept), len(kept))
    variance = sum((k - mean) ** 2 for k in kept) / len(kept)
    assert intervals.mean() == math.ceil(mean)
    assert intervals.deviation() == math.isqrt(math.floor(variance))


# What is no interval: tests/data/core/phi_accrual.txt has the stories.


def test_who_claims_to_be_me_is_nobody_to_remember() -> None:
    for settings in (DEFAULT, with_phi(DEFAULT)):
        detector = detector_of(settings)
        detector.heartbeat("me", 5)
        detector.forget("me")
        detector.afresh(10)


def test_who_is_forgotten_begins_anew() -> None:
    detector = PhiAccrual(with_phi(DEFAULT))
    detector.expect(WHO.uuid, 0)
    at_first = detector.borne(WHO.uuid)
    detector.heartbeat(WHO.uuid, 0)
    detector.heartbeat(WHO.uuid, 30 * SECOND)
    assert detector.borne(WHO.uuid) > at_first
    detector.forget(WHO.uuid)
    detector.expect(WHO.uuid, 60 * SECOND)
    assert detector.borne(WHO.uuid) == at_first


# How long it takes


def regular(settings: Settings) -> list[Micros]:
    return [settings.heartbeat_interval] * settings.phi_accrual_sample_size


def irregular(settings: Settings) -> list[Micros]:
    """Now half an interval, now one and a half."""
    half = settings.heartbeat_interval // 2
    return [half, 3 * half] * (settings.phi_accrual_sample_size // 2)


def one_pause(settings: Settings) -> list[Micros]:
    """Regular, but for one silence of half the timeout, and the heartbeat after that which comes at once."""
    return [*regular(settings)[2:], settings.heartbeat_timeout // 2, 0]


HISTORIES = {
    "nothing yet": lambda settings: [],
    "200 regular intervals": regular,
    "now half an interval, now one and a half": irregular,
    "regular, with one pause of half the timeout": one_pause,
}


def test_the_table_in_the_documentation_is_true() -> None:
    rows = ["| what was heard before | deadline, `default` | phi, `default` | deadline, `fast` | phi, `fast` |"]
    rows += ["|---|---|---|---|---|"]
    for said, history in HISTORIES.items():
        times = [borne(s, history(s)) for s in (DEFAULT, with_phi(DEFAULT), FAST, with_phi(FAST))]
        rows.append(" | ".join([f"| {said}", *[f"{time / SECOND:.2f}" for time in times]]) + " |")
    last = "the most that `bounds.silence` allows for"
    times = [detector_of(s).longest_silence() for s in (DEFAULT, with_phi(DEFAULT), FAST, with_phi(FAST))]
    rows.append(" | ".join([f"| {last}", *[f"{time / SECOND:.2f}" for time in times]]) + " |")
    assert "\n".join(rows) in PAGE.read_text(encoding="utf-8"), "\n".join(rows)


@pytest.mark.parametrize("history", HISTORIES.values(), ids=HISTORIES)
@pytest.mark.parametrize("preset", PRESETS)
def test_phi_accrual_is_never_quicker_than_the_deadline(preset: str, history: object) -> None:
    settings = PRESETS[preset]
    assert callable(history)
    intervals = history(settings)
    assert borne(settings, intervals) == settings.heartbeat_timeout
    assert borne(with_phi(settings), intervals) > settings.heartbeat_timeout


@pytest.mark.parametrize("preset", PRESETS)
@given(data=st.data())
def test_the_longest_silence_is_a_bound_as_long_as_no_interval_is_too_long(preset: str, data: st.DataObject) -> None:
    settings = with_phi(
        PRESETS[preset],
        phi_accrual_sample_size=data.draw(st.integers(2, 10)),
        phi_accrual_threshold=data.draw(st.sampled_from([0.1, 1, 5, 10, 40])),
        phi_accrual_min_std_dev_millis=data.draw(st.sampled_from([1, 100, 3000])),
    )
    interval = settings.heartbeat_interval
    lengths = data.draw(st.lists(st.integers(0, interval + interval // 4) | st.just(0), max_size=12))
    assert borne(settings, lengths) <= detector_of(settings).longest_silence()


def test_and_no_wild_one() -> None:
    """Intervals of nothing and of the longest, in the worst proportion, nearly reach it."""
    settings = with_phi(DEFAULT)
    interval = settings.heartbeat_interval
    longest = interval + interval // 4
    worst = max(borne(settings, [0] * (200 - n) + [longest] * n) for n in range(80, 130))
    assert 0.99 < worst / detector_of(settings).longest_silence() <= 1


@pytest.mark.parametrize("preset", PRESETS)
def test_the_bound_of_a_silence_is_the_detectors_and_one_round(preset: str) -> None:
    settings = PRESETS[preset]
    assert Bounds(settings).silence == settings.heartbeat_timeout + settings.heartbeat_interval
    adaptive = with_phi(settings)
    assert Bounds(adaptive).silence == PhiAccrual(adaptive).longest_silence() + settings.heartbeat_interval


def test_the_deadline_is_met_and_not_before() -> None:
    detector = Deadline(DEFAULT)
    detector.expect(WHO.uuid, 7)
    assert detector.silent([WHO], 60 * SECOND + 6) == []
    assert detector.silent([WHO], 60 * SECOND + 7) == [(WHO, 60 * SECOND)]
    detector.afresh(60 * SECOND + 7)
    assert detector.silent([WHO], 120 * SECOND + 6) == []
