"""The failure detector as a policy: when has a member been silent for too long?

From text 1.2. `deadline` is the text's own: after the timeout. `phi-accrual` follows Hayashibara, Defago, Yared and
Katayama, "The phi accrual failure detector" (2004): how long a member may be silent depends on how regularly it was
heard before.

As in the real system, the timeout is a pause that phi-accrual bears on top of the mean interval, and a history begins
with two estimates, the heartbeat interval less and plus a quarter of it. So at any sensible threshold it is never
quicker than the deadline, only more patient with a member that is irregular (docs/failure-detectors.md has the
numbers). Where we differ: the real one means to leave out the interval of a silence that was long enough for suspicion,
but asks only after it has noted the new heartbeat, and so keeps every interval, a jump of its clock included. Here a
silence that ended in suspicion, or that I slept through myself, is no interval. Sums are whole numbers: nothing
drifts."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable
from typing import Final, Protocol

from shaketable.node.config import PHI_ACCRUAL, Settings
from shaketable.node.core.env import Micros
from shaketable.node.messages import Member, Uuid


class FailureDetector(Protocol):
    def heartbeat(self, uuid: Uuid, now: Micros) -> None:
        """A heartbeat of this member has come."""

    def expect(self, uuid: Uuid, now: Micros) -> None:
        """Its silence counts from now on, whatever was before: it is new, it is trusted again, or I slept."""

    def afresh(self, now: Micros) -> None:
        """All silences count from now on."""

    def forget(self, uuid: Uuid) -> None: ...

    def silent_since(self, uuid: Uuid) -> Micros:
        """When this member was heard last, or its silence began to count."""

    def silent(self, peers: Iterable[Member], now: Micros) -> list[tuple[Member, Micros]]:
        """The members that have been silent for too long, and for how long."""

    def longest_silence(self) -> Micros:
        """The silence after which a member is suspected at the latest, if its heartbeats came regularly before."""


def detector_of(settings: Settings) -> FailureDetector:
    return PhiAccrual(settings) if settings.failure_detector == PHI_ACCRUAL else Deadline(settings)


class Deadline:
    """Suspected after the heartbeat timeout."""

    def __init__(self, settings: Settings) -> None:
        self._timeout = settings.heartbeat_timeout
        self._heard: dict[Uuid, Micros] = {}
        self._first_due: Micros = 0
        """nobody's silence is too long before: later heartbeats only put that off"""

    def heartbeat(self, uuid: Uuid, now: Micros) -> None:
        self._heard[uuid] = now

    def expect(self, uuid: Uuid, now: Micros) -> None:
        self._heard[uuid] = now

    def afresh(self, now: Micros) -> None:
        for uuid in self._heard:
            self._heard[uuid] = now

    def forget(self, uuid: Uuid) -> None:
        self._heard.pop(uuid, None)

    def silent_since(self, uuid: Uuid) -> Micros:
        return self._heard[uuid]

    def silent(self, peers: Iterable[Member], now: Micros) -> list[tuple[Member, Micros]]:
        if now < self._first_due:
            return []
        heard, latest = self._heard, now - self._timeout
        self._first_due = min(heard.values(), default=now) + self._timeout
        return [(peer, now - heard[peer.uuid]) for peer in peers if heard[peer.uuid] <= latest]

    def longest_silence(self) -> Micros:
        return self._timeout


# Phi accrual

_PARTS: Final = 1_000_000
"""Standard deviations are counted in millionths."""
_MOST: Final = 100 * _PARTS
"""phi is beyond every threshold that the settings allow, long before"""


def phi(y: float) -> float:
    """The doubt about a member whose silence is y standard deviations longer than its mean: minus the logarithm (base
    10) of the chance that the heartbeat of a sound member comes later still. 1: one in ten; 10: one in ten billion.

    1 / (1 + exp(-z)) with this z is the logistic approximation of the normal distribution."""
    z = y * (1.5976 + 0.070566 * y * y)
    return (max(z, 0.0) + math.log1p(math.exp(-abs(z)))) / math.log(10)


def deviations_at(threshold: float) -> int:
    """The fewest standard deviations, in millionths, at which phi reaches this.

    phi only grows with the silence, so each member has one length of silence at which it is suspected. To compare that
    with the silence is exact on every machine; to compute phi anew each time would not be."""
    return bisect_left(range(-_MOST, _MOST), threshold, key=lambda y: phi(y / _PARTS)) - _MOST


class Intervals:
    """Between the heartbeats of one member: the last so many, with their sum and the sum of their squares."""

    __slots__ = ("_kept", "_squares", "_total", "since", "whole")

    def __init__(self, first: Iterable[Micros], most: int, since: Micros) -> None:
        self.since = since
        """from when on its silence counts"""
        self.whole = False
        """at `since` there was a heartbeat: the time from then to the next is an interval"""
        self._kept: deque[Micros] = deque(maxlen=most)
        self._total = self._squares = 0
        for interval in first:
            self.add(interval)

    def add(self, interval: Micros) -> None:
        kept = self._kept
        if len(kept) == kept.maxlen:
            oldest = kept[0]
            self._total -= oldest
            self._squares -= oldest * oldest
        kept.append(interval)
        self._total += interval
        self._squares += interval * interval

    def mean(self) -> Micros:
        return -(-self._total // len(self._kept))

    def deviation(self) -> Micros:
        count = len(self._kept)
        return math.isqrt(count * self._squares - self._total * self._total) // count


class PhiAccrual:
    """Suspected when phi has reached the threshold."""

    def __init__(self, settings: Settings) -> None:
        self._pause = settings.heartbeat_timeout
        quarter = settings.heartbeat_interval // 4
        self._first = (settings.heartbeat_interval - quarter, settings.heartbeat_interval + quarter)
        self._most = settings.phi_accrual_sample_size
        self._least_deviation = settings.phi_accrual_min_std_dev
        self._deviations = deviations_at(settings.phi_accrual_threshold)
        self._surely_alive = self._pause if self._deviations >= 0 else 0
        """a silence shorter than this is borne whatever the history: no need to look at it"""
        self._of: dict[Uuid, Intervals] = {}

    def heartbeat(self, uuid: Uuid, now: Micros) -> None:
        intervals = self._of.get(uuid)
        if intervals is None:
            return  # it claims to be me
        silence = now - intervals.since
        if intervals.whole and (silence < self._surely_alive or silence < self.borne(uuid)):
            intervals.add(silence)
        intervals.since, intervals.whole = now, True

    def expect(self, uuid: Uuid, now: Micros) -> None:
        intervals = self._of.get(uuid)
        if intervals is None:
            self._of[uuid] = Intervals(self._first, self._most, now)
        else:
            intervals.since, intervals.whole = now, False

    def afresh(self, now: Micros) -> None:
        for uuid in self._of:
            self.expect(uuid, now)

    def forget(self, uuid: Uuid) -> None:
        self._of.pop(uuid, None)

    def silent_since(self, uuid: Uuid) -> Micros:
        return self._of[uuid].since

    def silent(self, peers: Iterable[Member], now: Micros) -> list[tuple[Member, Micros]]:
        found = []
        for peer in peers:
            silence = now - self._of[peer.uuid].since
            if silence >= self._surely_alive and silence >= self.borne(peer.uuid):
                found.append((peer, silence))
        return found

    def borne(self, uuid: Uuid) -> Micros:
        """The silence at which phi reaches the threshold."""
        intervals = self._of[uuid]
        deviation = max(intervals.deviation(), self._least_deviation)
        return self._pause + intervals.mean() + _ceil(self._deviations * deviation, _PARTS)

    def longest_silence(self) -> Micros:
        """With no interval longer than the longer one of the first estimates: the mean m and the deviation of numbers
        between 0 and L are such that m + y deviations is at most L / 2 x (1 + sqrt(1 + y^2))."""
        y, longest = self._deviations, self._first[1]
        if y <= 0:
            return self._pause + longest
        irregular = _ceil(longest * (_PARTS + math.isqrt(_PARTS * _PARTS + y * y) + 1), 2 * _PARTS)
        return self._pause + max(irregular, longest + _ceil(y * self._least_deviation, _PARTS))


def _ceil(number: int, by: int) -> int:
    return -(-number // by)
