"""The collector of reports against a plain re-computation from all that ever happened to it."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from shaketable.node.cluster.disconnection.reports import STABLE, Reports

NAMES = "abcdef"
WAIT = 10


@dataclass
class Moment:
    """What all said after it, and what it was."""

    time: int
    said: dict[str, frozenset[str]]
    taken_back: bool = False
    slept: bool = False

    def pairs(self) -> set[tuple[str, str]]:
        return {(min(a, b), max(a, b)) for a, named in self.said.items() for b in named}


class Plainly:
    """Remembers everything, and computes nothing before it is asked."""

    def __init__(self) -> None:
        self.past = [Moment(0, {})]

    def update(self, reporter: str, suspected: frozenset[str], now: int) -> None:
        before = self.past[-1].said.get(reporter, frozenset())
        self.past.append(Moment(now, {**self.past[-1].said, reporter: suspected}, taken_back=bool(before - suspected)))

    def forget(self, member: str, now: int) -> None:
        said = {who: named - {member} for who, named in self.past[-1].said.items() if who != member}
        self.past.append(Moment(now, said))

    def wait_afresh(self, now: int) -> None:
        self.past.append(Moment(now, self.past[-1].said, slept=True))

    def since(self, pair: tuple[str, str]) -> int:
        """It is broken from then on, as far as one knows who has not slept since."""
        found = self.past[-1].time
        for moment in reversed(self.past):
            if pair not in moment.pairs():
                break
            found = moment.time
            if moment.slept:
                break
        return found

    def news(self) -> int:
        found = 0
        for before, moment in zip(self.past, self.past[1:], strict=False):
            if moment.taken_back or moment.slept or moment.pairs() - before.pairs():
                found = moment.time
        return found

    def due(self, now: int) -> bool:
        pairs = self.past[-1].pairs()
        stood = max((now - self.since(pair) for pair in pairs), default=0)
        return bool(pairs) and (now - self.news() >= WAIT or stood >= STABLE * WAIT)


NAME = st.sampled_from(NAMES)
HAPPENINGS = st.lists(
    st.tuples(
        st.integers(0, WAIT),
        st.one_of(
            st.tuples(st.just("report"), NAME, st.frozensets(NAME, max_size=3)),
            st.tuples(st.just("report"), st.sampled_from("ab"), st.frozensets(st.sampled_from("abc"), max_size=2)),
            st.tuples(st.just("removal"), NAME, st.just(frozenset[str]())),
            st.tuples(st.just("sleep"), NAME, st.just(frozenset[str]())),
        ),
    ),
    max_size=30,
)


@given(HAPPENINGS)
@settings(max_examples=600, deadline=None)
def test_what_is_broken_and_when_it_is_decided_follows_from_all_that_was_said(
    happenings: list[tuple[int, tuple[str, str, frozenset[str]]]],
) -> None:
    reports, plainly, now = Reports(), Plainly(), 0
    for pause, (what, who, named) in happenings:
        for moment in range(now, now + pause):
            assert reports.due(moment, WAIT) == plainly.due(moment)
        now += pause
        if what == "report":
            suspected = named - {who}
            changed = plainly.past[-1].said.get(who, frozenset()) != suspected
            assert reports.update(who, suspected, now) == changed
            plainly.update(who, suspected, now)
        elif what == "removal":
            reports.forget(who)
            plainly.forget(who, now)
        elif reports.broken:  # an empty collector has nothing to wait for
            reports.wait_afresh(now)
            plainly.wait_afresh(now)
        latest = plainly.past[-1]
        assert set(reports.broken) == latest.pairs()
        said = {reporter: frozenset(suspected) for reporter, suspected in reports.suspected().items()}
        assert said == {reporter: suspected for reporter, suspected in latest.said.items() if suspected}
    for moment in range(now, now + STABLE * WAIT + 1):
        assert reports.due(moment, WAIT) == plainly.due(moment)
