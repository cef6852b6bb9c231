"""Members that break one rule of partial member disconnection each: who stays, what counts as broken, who is told.

Like those in broken_rules.py: the script about the rule must be red by what it asks for. test_chaos_scripts.py says
which is whose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tests.planted.broken_rules import Broken
from tests.planted.instead import instead

from shaketable.node.cluster.cliques import Question, Resolution
from shaketable.node.cluster.disconnection import Search
from shaketable.node.cluster.member import ClusterMember
from shaketable.node.messages import Heartbeat, MasterConfirmation, Member, Message
from shaketable.node.why import Because


class SharesNoSuspicions(Broken):
    """A follower keeps to itself whom it suspects, as it did before."""

    def break_it(self) -> None:
        self.heartbeats._shares = False


class DecidesUnasked(Broken):
    """As if the count of heartbeat rounds were never 0."""

    def break_it(self) -> None:
        self.heartbeats._shares = True
        self.disconnection._wait = 5 * self.membership.settings.heartbeat_interval


class Asks(Broken):
    """The master asks another question than it should."""

    def break_it(self) -> None:
        disconnection = self.disconnection
        go_on, remove = disconnection._go_on, self.updates.remove

        def ask() -> None:
            search = disconnection._search
            assert search is not None
            search.resolution = Resolution(self.question(search))
            go_on()

        def remove_if_any(members: Sequence[Member], reason: Because) -> None:
            if members:
                remove(members, reason)

        disconnection._go_on = ask  # type: ignore[method-assign]
        disconnection._updates = instead(self.updates, remove=remove_if_any)

    def members(self, search: Search) -> list[str]:
        return [member.uuid for member in search.view.members]

    def lite(self, search: Search) -> list[str]:
        return [member.uuid for member in search.view.members if member.lite]

    def reported(self, search: Search) -> list[tuple[str, str]]:
        return [(reporter.uuid, other.uuid) for reporter, others in search.reports for other in others]

    def question(self, search: Search) -> Question:
        raise NotImplementedError


class KnowsNoLiteMembers(Asks):
    def question(self, search: Search) -> Question:
        return Question(self.members(search), search.pairs)


class KeepsTheYounger(Asks):
    def question(self, search: Search) -> Question:
        master, *others = self.members(search)
        return Question([master, *reversed(others)], search.pairs, self.lite(search))


class WantsToHearItFromBoth(Asks):
    """Only what both ends report counts as broken."""

    def question(self, search: Search) -> Question:
        said = self.reported(search)
        both = [(one, other) for one, other in said if (other, one) in said]
        return Question(self.members(search), both, self.lite(search))


class WhoComplainsHasToGo(Asks):
    """As if each reporter, and not the pair, were broken."""

    def question(self, search: Search) -> Question:
        master = search.view.members[0].uuid
        return Question(self.members(search), [(master, one) for one, _ in self.reported(search)])


class WhoIsComplainedOfHasToGo(Asks):
    def question(self, search: Search) -> Question:
        master = search.view.members[0].uuid
        return Question(self.members(search), [(master, other) for _, other in self.reported(search)])


class AllInABrokenPairHaveToGo(Asks):
    def question(self, search: Search) -> Question:
        master = search.view.members[0].uuid
        return Question(self.members(search), [(master, one) for pair in search.pairs for one in pair])


class WantsMostData(Asks):
    """More data members come before more members."""

    def question(self, search: Search) -> Question:
        question = Question(self.members(search), search.pairs, self.lite(search))
        heavy = len(question.members) + 1
        question.weights = lambda: [1 + heavy * data for data in question.data]  # type: ignore[method-assign]
        return question


class RemovesOneByOne(Broken):
    """The victims of one decision go by as many lists."""

    def break_it(self) -> None:
        remove = self.updates.remove

        def one_by_one(members: Sequence[Member], reason: Because) -> None:
            for member in members:
                remove([member], reason)

        self.disconnection._updates = instead(self.updates, remove=one_by_one)


class LeavesStrangersAlone(Broken):
    """A member that was removed and does not know it is answered nothing."""

    def receive(self, message: Message) -> None:
        ms = self.membership
        if not isinstance(message, Heartbeat | MasterConfirmation) or not ms.joined or ms.is_member(message.sender):
            super().receive(message)


class NeverHangsUp(Broken):
    """Its link to who is no member any more stays as it is."""

    def break_it(self) -> None:
        self.connections._hang_up = lambda address: None  # type: ignore[method-assign]


class KeepsWhoIsSilent(Broken):
    """A master suspects, and removes nobody for it."""

    def break_it(self) -> None:
        self.suspicion._updates = instead(self.updates, remove=lambda members, reason: None)


class NeverClaims(Broken):
    def break_it(self) -> None:
        self.mastership.claim_if_due = lambda: None  # type: ignore[method-assign]


_FIGURE_5: Final = [f"figure-5-{how}" for how in (
    "cut", "black-hole", "cannot-send", "is-not-sent-to", "is-not-heard", "does-not-hear", "one-way-each"
)]  # fmt: skip
_ONE_WAY: Final = [
    *_FIGURE_5[2:], "one-way-breaks-only", "racks-one-way", "the-larger-rack-one-way", "random-breaks-one-way",
    "random-breaks-of-the-master-one-way", "a-lite-member-has-to-go-one-way", "six-pairs-of-twenty-one-way",
    "racks-one-way-black-hole", "the-larger-rack-one-way-black-hole", "random-breaks-one-way-black-hole",
    "random-breaks-of-the-master-one-way-black-hole", "the-older-stays-one-way", "more-data-before-older-one-way",
    "more-members-before-more-data-one-way",
]  # fmt: skip
_LATER: Final = ["more-one-way-cuts-while-the-master-collects", "a-flapping-link-beside-one-that-is-cut-one-way"]
"""one way too, but there is time until both sides know"""
_TOLD_AT_ONCE: Final = [
    "figure-5-cut", "figure-5-black-hole", "figure-5-cannot-send", "figure-5-is-not-sent-to", "figure-5-is-not-heard",
    "figure-5-does-not-hear", "racks-cut", "racks-black-hole", "racks-one-way", "the-larger-rack-cut",
    "the-larger-rack-black-hole", "random-breaks-cut", "random-breaks-black-hole", "random-breaks-one-way",
    "random-breaks-of-the-master-cut", "random-breaks-of-the-master-black-hole", "the-older-stays",
    "the-older-stays-after-a-silence", "a-lite-member-has-to-go", "a-lite-member-has-to-go-after-a-silence",
    "more-data-before-older", "more-members-before-more-data", "six-pairs-of-twenty-cut",
    "six-pairs-of-twenty-black-hole", "six-pairs-of-twenty-one-way", "more-data-before-older-after-a-silence",
    "more-members-before-more-data-after-a-silence", "six-pairs-of-twenty-one-way-black-hole",
]  # fmt: skip
_TWO_OR_MORE_LEAVE: Final = [
    "one-way-breaks-only", "racks-cut", "racks-black-hole", "racks-one-way", "the-larger-rack-cut",
    "the-larger-rack-black-hole", "the-larger-rack-one-way", "random-breaks-cut", "random-breaks-black-hole",
    "random-breaks-one-way", "more-data-before-older", "six-pairs-of-twenty-cut", "six-pairs-of-twenty-black-hole",
    "six-pairs-of-twenty-one-way",
]  # fmt: skip
_A_TIE_OF_AGES: Final = [
    "one-way-breaks-only", "racks-cut", "racks-black-hole", "racks-one-way", "random-breaks-cut",
    "random-breaks-black-hole", "random-breaks-one-way", "random-breaks-of-the-master-cut",
    "random-breaks-of-the-master-black-hole", "random-breaks-of-the-master-one-way", "the-older-stays",
    "the-older-stays-after-a-silence", "six-pairs-of-twenty-cut", "six-pairs-of-twenty-black-hole",
    "six-pairs-of-twenty-one-way", "the-older-stays-one-way", "racks-one-way-black-hole",
    "random-breaks-one-way-black-hole", "random-breaks-of-the-master-one-way-black-hole",
]  # fmt: skip
_LITE: Final = [
    "a-lite-member-has-to-go", "a-lite-member-has-to-go-after-a-silence", "a-lite-member-has-to-go-one-way",
    "more-data-before-older", "more-data-before-older-after-a-silence", "more-data-before-older-one-way",
]  # fmt: skip
_FIGURES_2_AND_3: Final = [
    "figure-2-cut", "figure-2-black-hole", "figure-2-not-heard", "figure-2-hears-nobody", "figure-3-cut",
    "figure-3-black-hole", "figure-3-the-master-is-not-heard", "figure-3-the-master-does-not-hear",
]  # fmt: skip
_FIGURE_4: Final = [f"figure-4-{how}" for how in ("crash", "cut", "black-hole", "not-heard", "hears-nobody")]
_LOST: Final = [f"the-master-dies-on-deciding-{how}" for how in ("about-cuts", "about-silences", "one-way")]

WHOSE: Final[dict[type[ClusterMember], Sequence[str]]] = {
    SharesNoSuspicions: [*dict.fromkeys([*_FIGURE_5, *_ONE_WAY, *_TOLD_AT_ONCE, *_LATER]), "demo-figure-5"],
    DecidesUnasked: ["figure-5-undecided", "figure-5-undecided-black-hole", "figure-5-undecided-one-way"],
    KnowsNoLiteMembers: _LITE,
    KeepsTheYounger: _A_TIE_OF_AGES,
    WantsToHearItFromBoth: _ONE_WAY,
    WhoComplainsHasToGo: ["figure-5-cut", "figure-5-black-hole", "figure-5-is-not-sent-to", "figure-5-is-not-heard"],
    WhoIsComplainedOfHasToGo: [
        "figure-5-cut",
        "figure-5-cannot-send",
        "figure-5-does-not-hear",
        "figure-5-one-way-each",
    ],
    AllInABrokenPairHaveToGo: [*_FIGURE_5, *_A_TIE_OF_AGES, *_LITE],
    WantsMostData: [f"more-members-before-more-data{how}" for how in ("", "-after-a-silence", "-one-way")],
    RemovesOneByOne: _TWO_OR_MORE_LEAVE,
    LeavesStrangersAlone: _TOLD_AT_ONCE,
    NeverHangsUp: [*dict.fromkeys([*_TOLD_AT_ONCE, *_ONE_WAY]), *_FIGURES_2_AND_3[2:]],
    KeepsWhoIsSilent: _FIGURES_2_AND_3,
    NeverClaims: [*_FIGURE_4, *_LOST],
}
"""Each with the scripts that are about the rule which it breaks."""
