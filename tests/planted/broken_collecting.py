"""Members that break one rule each of how the master collects suspicions, when it decides, and how slow is too slow.

Like those in broken_rules.py: the script about the rule must be red by what it asks for. test_chaos_scripts.py says
which is whose."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from tests.planted.broken_rules import Broken, TakesAnyHeartbeat
from tests.planted.instead import instead
from tests.reasons import reason_in

from shaketable.node.cluster.disconnection.reports import Reports
from shaketable.node.cluster.member import ClusterMember
from shaketable.node.core.env import Micros
from shaketable.node.events import DisconnectionUnresolved
from shaketable.node.messages import Member, Uuid


class Hears(Broken):
    """The master makes something else of what it is told."""

    def break_it(self) -> None:
        reported = self.disconnection.reported

        def otherwise(reporter: Member, suspected: Sequence[Member]) -> None:
            reported(reporter, self.heard(reporter, suspected))

        self.disconnection.reported = otherwise  # type: ignore[method-assign]

    def heard(self, reporter: Member, suspected: Sequence[Member]) -> Sequence[Member]:
        raise NotImplementedError


class TakesNothingBack(Hears):
    """A report of a follower stands, once made."""

    def break_it(self) -> None:
        super().break_it()
        self.said: dict[Uuid, dict[Uuid, Member]] = {}

    def heard(self, reporter: Member, suspected: Sequence[Member]) -> Sequence[Member]:
        said = self.said.setdefault(reporter.uuid, {})
        said.update((member.uuid, member) for member in suspected)
        return tuple(said.values())


class ListensOnlyAsTheFounder(Hears):
    """A master by a claim collects nothing."""

    def heard(self, reporter: Member, suspected: Sequence[Member]) -> Sequence[Member]:
        return suspected if self.followed_nobody else ()

    followed_nobody = True

    def _installed(self, added: list[Member], removed: list[Member]) -> None:
        super()._installed(added, removed)
        self.followed_nobody = self.followed_nobody and self.membership.master is self.me


class Checks(Broken):
    """The master decides at another time."""

    def break_it(self) -> None:
        disconnection = self.disconnection
        check = disconnection.check

        def instead(lateness: Micros) -> None:
            if not disconnection._reports.broken or self.may_check(disconnection._reports, self.env.now()):
                check(lateness)

        disconnection.check = instead  # type: ignore[method-assign]

    def may_check(self, reports: Reports, now: Micros) -> bool:
        raise NotImplementedError


class WaitsForCalm(Checks):
    """As long as there is news it decides nothing."""

    def may_check(self, reports: Reports, now: Micros) -> bool:
        return now - reports._news >= self.disconnection._wait


class WaitsNoLongerForNews(Checks):
    """The wait counts from the first report, whatever comes after it."""

    def may_check(self, reports: Reports, now: Micros) -> bool:
        reports._news = min(reports.broken.values())
        return True


class HasTheWaitOf(Broken):
    def break_it(self) -> None:
        self.disconnection._wait = self.rounds * self.membership.settings.heartbeat_interval

    rounds = 0


class DecidesInTheNextRound(HasTheWaitOf):
    """Decides even if members are silent just then."""

    rounds = 1

    def break_it(self) -> None:
        super().break_it()
        self.disconnection._patience = 10**18


class HearsEverybodyOut(HasTheWaitOf):
    rounds = 10


class MindsNoSilence(Broken):
    """A member that it has not heard for long is taken at its last word."""

    def break_it(self) -> None:
        self.disconnection._patience = 10**18


class CountsWhatHasJustBroken(Broken):
    """When it decides, all that it has been told of counts, even what broke a moment ago."""

    def break_it(self) -> None:
        disconnection = self.disconnection
        begin = disconnection._begin

        def begin_with_all() -> None:
            disconnection._reports.broken = dict.fromkeys(disconnection._reports.broken, 0)
            begin()

        disconnection._begin = begin_with_all  # type: ignore[method-assign]


class DecidesOnlyOnce(Broken):
    def break_it(self) -> None:
        disconnection = self.disconnection
        begin = disconnection._begin
        begun: list[bool] = []

        def once() -> None:
            if not begun:
                begun.append(True)
                begin()

        disconnection._begin = once  # type: ignore[method-assign]


class DecidesOnTheGone(Broken):
    """Reports of who is gone, and about them, are kept, silent as they are: a decision is due, and void."""

    def break_it(self) -> None:
        disconnection, ms = self.disconnection, self.membership
        disconnection._patience = 10**18
        # A member that is gone is not in the detector any more.
        disconnection._detector = instead(disconnection._detector, silent_since=lambda uuid: ms.env.now())
        begin = disconnection._begin
        disconnection.members_changed = lambda added, removed: None  # type: ignore[method-assign]

        def begin_or_not() -> None:
            if all(uuid in ms.known for pair in disconnection._reports.broken for uuid in pair):
                begin()
                return
            disconnection._reports = Reports()
            ms.env.report(DisconnectionUnresolved(ms.view.version, False, 0, *reason_in("somebody has gone by itself")))

        disconnection._begin = begin_or_not  # type: ignore[method-assign]


class DecidesAsSoonAsItWakes(Broken):
    """A round that is late is a round like any other, and whom it did not hear meanwhile was not silent."""

    def break_it(self) -> None:
        self.disconnection._patience = 10**18
        check = self.disconnection.check
        self.disconnection.check = lambda lateness: check(0)  # type: ignore[method-assign]


class HasTimeWithoutEnd(Broken):
    """No search is too much work."""

    def break_it(self) -> None:
        self.disconnection._budget = 10**18


class SendsHeartbeatsToSuspects(Broken):
    """So that every suspicion ends with its cause."""

    def break_it(self) -> None:
        send_to = self.heartbeats._send_to
        others = self.membership.others
        self.heartbeats._send_to = lambda peers: send_to(others())  # type: ignore[method-assign]


class BearsAnEighth(Broken):
    """A heartbeat is too old after an eighth of the timeout."""

    def break_it(self) -> None:
        self.heartbeats._stale_after = self.membership.settings.heartbeat_timeout // 8


class BearsHalfOfIt(Broken):
    """A heartbeat is too old after half the timeout: a quarter there and a quarter back are a little more."""

    def break_it(self) -> None:
        self.heartbeats._stale_after = self.membership.settings.heartbeat_timeout // 2


class HangsWithOneLink(Broken):
    """A member that has ever missed somebody sends heartbeats to nobody, as if it hung in a handshake."""

    def break_it(self) -> None:
        send_to = self.heartbeats._send_to
        missed: list[Member] = []

        def send(peers: Iterable[Member]) -> None:
            if self.membership.suspected:
                missed.extend(self.membership.suspects())
            if not missed:
                send_to(peers)

        self.heartbeats._send_to = send  # type: ignore[method-assign]


_HEALS: Final = ["a-silence-ends-while-the-master-collects", "a-one-way-cut-ends-while-the-master-collects"]
_HEALS_IN_VAIN: Final = ["a-cut-heals-while-the-master-collects", "a-black-hole-heals-while-the-master-collects"]
_MORE: Final = ["more-cuts-while-the-master-collects", "more-black-holes-while-the-master-collects"]
_TWO_DECISIONS: Final = [
    "a-second-cut-after-the-decision", "a-second-black-hole-after-the-decision", "a-cut-and-a-black-hole-at-once",
    "a-count-of-1-is-too-early",
]  # fmt: skip
_GONE: Final = [
    "the-master-loses-the-reported-member", "the-member-that-would-have-to-go-leaves",
    "the-member-that-would-have-to-go-crashes", "the-one-who-would-stay-leaves",
]  # fmt: skip
_NEXT_MASTER: Final = [
    "the-master-crashes-while-it-collects-cuts", "the-master-crashes-while-it-collects-silences",
]  # fmt: skip
_BORNE: Final = [
    "a-slow-link-between-followers", "a-slow-link-to-the-master", "all-links-of-a-follower-are-slow",
    "all-links-of-the-master-are-slow",
]  # fmt: skip

WHOSE: Final[dict[type[ClusterMember], Sequence[str]]] = {
    TakesNothingBack: [*_HEALS, "a-silence-ends-while-the-master-sleeps"],
    SendsHeartbeatsToSuspects: _HEALS_IN_VAIN,
    WaitsForCalm: ["a-flapping-link-beside-a-cut-one", "a-flapping-link-of-others"],
    CountsWhatHasJustBroken: ["a-flapping-link-of-others"],
    MindsNoSilence: [
        "a-reporter-falls-silent-while-the-master-collects", "a-reporter-sleeps-while-the-master-collects",
        "a-joiner-misses-a-member-that-does-not-hear-the-master",
    ],
    WaitsNoLongerForNews: _MORE,
    DecidesInTheNextRound: [
        *_HEALS_IN_VAIN, *_MORE, "the-master-misses-the-reported-member", "a-count-of-10-is-not",
    ],
    HearsEverybodyOut: ["a-count-of-1-is-too-early"],
    DecidesOnlyOnce: [*_TWO_DECISIONS, "too-much-to-search"],
    DecidesOnTheGone: _GONE,
    ListensOnlyAsTheFounder: _NEXT_MASTER,
    DecidesAsSoonAsItWakes: ["a-silence-ends-while-the-master-sleeps", "a-cut-lasts-while-the-master-sleeps"],
    HasTimeWithoutEnd: ["too-much-to-search"],
    BearsAnEighth: _BORNE,
    BearsHalfOfIt: ["a-slow-link-to-the-master", "all-links-of-a-follower-are-slow"],
    TakesAnyHeartbeat: [
        "a-link-too-slow-between-followers", "a-link-too-slow-one-way", "a-link-too-slow-to-the-master",
    ],
    HangsWithOneLink: ["halves-that-are-silent", "halves-that-are-cut"],
}  # fmt: skip
"""Each with the scripts that are about the rule which it breaks."""
