"""The collector of reports against a plain re-computation from all that ever happened to it."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from shaketable.node.cluster.disconnection.reports import STABLE, Reports

NAMES = "abcdef"
WAIT = 10
PATIENCE = 3


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
        self.heard: list[tuple[str, int]] = []
        """who said whom it suspects, and when; or had nothing to say any more, that is -1"""

    def update(self, reporter: str, suspected: frozenset[str], now: int) -> None:
        self.heard.append((reporter, now if suspected else -1))
        before = self.past[-1].said.get(reporter, frozenset())
        self.past.append(Moment(now, {**self.past[-1].said, reporter: suspected}, taken_back=bool(before - suspected)))

    def forget(self, member: str, now: int) -> None:
        said = {who: named - {member} for who, named in self.past[-1].said.items() if who != member}
        self.past.append(Moment(now, said))
        self.heard += [(who, -1) for who in NAMES if not said.get(who)]

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

    def may_be_believed(self, reporter: str) -> bool:
        """Its last word was not the first one after a silence."""
        last, *before = [time for who, time in reversed(self.heard) if who == reporter]
        return not before or before[0] == -1 or last - before[0] <= PATIENCE

    def reporters(self) -> list[str]:
        return [who for who, named in self.past[-1].said.items() if named]

    def settled(self, now: int) -> set[tuple[str, str]]:
        return {pair for pair in self.past[-1].pairs() if now - self.since(pair) >= WAIT}


NAME = st.sampled_from(NAMES)
HAPPENINGS = st.lists(
    st.tuples(
        st.integers(0, WAIT),
        st.frozensets(NAME, max_size=1),
        st.one_of(
            st.tuples(st.just("report"), NAME, st.frozensets(NAME, max_size=3)),
            st.tuples(st.just("report"), st.sampled_from("ab"), st.frozensets(st.sampled_from("abc"), max_size=2)),
            st.tuples(st.just("removal"), NAME, st.just(frozenset[str]())),
            st.tuples(st.just("sleep"), NAME, st.just(frozenset[str]())),
        ),
    ),
    max_size=30,
)


class Both:
    def __init__(self) -> None:
        self.reports, self.plainly, self.now = Reports(), Plainly(), 0

    def report(self, who: str, suspected: frozenset[str]) -> None:
        changed = self.plainly.past[-1].said.get(who, frozenset()) != suspected
        assert self.reports.update(who, suspected, self.now) == changed
        if changed:
            self.plainly.update(who, suspected, self.now)
        else:
            self.plainly.heard.append((who, self.now if suspected else -1))

    def pass_by(self, time: int, silent: frozenset[str]) -> None:
        """A member that is not silent tells the same again at each moment, which changes nothing else."""
        for _ in range(time):
            for who in self.plainly.reporters():
                if who not in silent:
                    self.report(who, self.plainly.past[-1].said[who])
            self.compare()
            self.now += 1

    def compare(self) -> None:
        due, settled = self.plainly.due(self.now), self.plainly.settled(self.now)
        assert self.reports.due(self.now, WAIT) == due
        believed = all(map(self.plainly.may_be_believed, self.plainly.reporters()))
        assert self.reports.believable(PATIENCE) == believed
        assert sorted(self.reports.settled(self.now, WAIT)) == sorted(settled)
        assert settled or not due, "there is something to decide"
        if self.now - self.plainly.news() >= WAIT:
            assert settled == self.plainly.past[-1].pairs(), "where nothing is news all counts"


@given(HAPPENINGS)
@settings(max_examples=150, deadline=None)
def test_what_is_broken_and_when_it_is_decided_follows_from_all_that_was_said(
    happenings: list[tuple[int, frozenset[str], tuple[str, str, frozenset[str]]]],
) -> None:
    both = Both()
    reports, plainly = both.reports, both.plainly
    for pause, silent, (what, who, named) in happenings:
        both.pass_by(pause, silent)
        if what == "report":
            both.report(who, named - {who})
        elif what == "removal":
            reports.forget(who)
            plainly.forget(who, both.now)
        elif reports.broken:  # an empty collector has nothing to wait for
            reports.wait_afresh(both.now)
            plainly.wait_afresh(both.now)
        latest = plainly.past[-1]
        assert set(reports.broken) == latest.pairs()
        said = {reporter: frozenset(suspected) for reporter, suspected in reports.suspected().items()}
        assert said == {reporter: suspected for reporter, suspected in latest.said.items() if suspected}
    both.pass_by(STABLE * WAIT + 1, frozenset("a"))
    both.pass_by(STABLE * WAIT + 1, frozenset())
    both.pass_by(PATIENCE + 2, frozenset(NAMES))
