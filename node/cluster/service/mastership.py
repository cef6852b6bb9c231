"""The mastership claim process (text 1.9).

A follower that suspects every member older than itself claims the mastership. It asks each younger member that it does
not suspect. Each answer carries a list. The newest list is the working view, and each member in it is asked in turn. A
member that refuses for now is asked again. A member that refuses for good, is suspected, or stays silent for the whole
claim timeout is left out. The final list, with a version above all others, is published. A member accepts a claim only
if it suspects everyone older than the candidate.

The text's example shows whole lists in the answers, so whole lists are sent. The candidate uses the part from itself
on. Two lists of one version have two authors, and neither is newer. So a member that only the other list names is asked
too, and stands behind all others if it accepts. While a claim runs, the candidate publishes nothing, admits nobody, and
only marks the members that it suspects."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from shaketable.node.cluster.service.updates import Updates
from shaketable.node.cluster.service.views import Membership
from shaketable.node.core.env import Micros
from shaketable.node.core.requests import Ask, Requests
from shaketable.node.events import (
    ClaimAnswered,
    ClaimAsked,
    ClaimFinished,
    ClaimStarted,
)
from shaketable.node.messages import (
    ClaimAccepted,
    ClaimRefused,
    MastershipClaim,
    Member,
    MemberList,
    Message,
    Uuid,
)
from shaketable.node.why import Because, Why, because, or_nothing


class Mastership:
    """The candidate's side; what the asked member says to it, consent.py says."""

    def __init__(self, membership: Membership, *, requests: Requests, updates: Updates) -> None:
        self._membership = membership
        self._requests = requests
        self._updates = updates
        self._working = MemberList(0, "", ())
        """the newest list heard of, and of it only the members from the candidate on count"""
        self._beside: tuple[Member, ...] = ()
        """whom, of those that count, only other lists of the same version name"""
        self._waiting: dict[Uuid, Ask] = {}
        self._asked: dict[Uuid, Member] = {}
        self._outcome: dict[Uuid, str] = {}
        """what became of each that was asked"""
        self._give_up_at: Micros = 0
        self.heard_of_table = False
        """somebody who accepted the last claim has a partition table"""

    def newly_suspected(self, members: Sequence[Member]) -> None:
        if self._membership.claiming:
            for member in members:
                self._settle(member, "suspected")
            self._finish_if_all_answered()
        else:
            self.claim_if_due()

    def claim_if_due(self) -> None:
        """Asked after each new suspicion, and after each new list: it may have lost the last older member whom I did
        not suspect."""
        ms = self._membership
        follows = ms.joined and ms.master is not ms.me
        if follows and all(m.uuid in ms.suspected for m in ms.older_than(ms.me)):
            self._start()

    def _start(self) -> None:
        ms = self._membership
        ms.claiming = True
        ms.follow(ms.me, because(Why.OWN_CLAIM))
        self._working, self._beside = ms.view, ()
        self._asked.clear()
        self._outcome.clear()
        self.heard_of_table = False
        self._give_up_at = ms.env.now() + ms.settings.mastership_claim_timeout
        ms.env.report(ClaimStarted(ms.view.version, ms.view.members))
        self._finish_if_all_answered()

    def _learn(self, view: MemberList) -> None:
        if view.version > self._working.version:
            self._working, self._beside = view, ()
        elif view.version == self._working.version:
            named = {m.uuid: True for m in (*self._working.members, *self._beside)}
            self._beside += tuple(m for m in self._from_me_on(view) if m.uuid not in named)

    def _from_me_on(self, view: MemberList) -> tuple[Member, ...]:
        me, members = self._membership.me, view.members
        return members[members.index(me) :] if me in members else members

    def _ask_the_unasked(self) -> None:
        ms = self._membership
        for member in (*self._from_me_on(self._working), *self._beside):
            # A list that lacks me may have an earlier incarnation of me.
            unasked = member.uuid not in self._asked and member.address != ms.me.address
            if unasked and member.uuid not in ms.suspected:
                self._asked[member.uuid] = member
                ms.env.report(ClaimAsked(member))
                self._waiting[member.uuid] = self._requests.ask(
                    lambda to=member.address: to,  # type: ignore[misc]
                    partial(MastershipClaim, ms.me, target=member.uuid),
                    on_answer=partial(self._on_answer, member),
                    on_silence=partial(self._on_silence, member),
                    retry=ms.settings.mastership_claim_retry,
                    longest_retry=ms.settings.mastership_claim_longest_retry,
                    budget=max(0, self._give_up_at - ms.env.now()),
                )

    def _on_answer(self, member: Member, answer: Message) -> bool:
        if isinstance(answer, ClaimAccepted) and answer.sender == member:
            self._report_answer(member, "accepted", answer.view, None)
            self._settle(member, "accepted")
            self.heard_of_table = self.heard_of_table or answer.has_table
            self._learn(answer.view)
        elif isinstance(answer, ClaimRefused):
            self._report_answer(member, "refused" if answer.final else "not yet", None, answer.reason)
            if not answer.final:
                return False
            self._settle(member, f"refused: {answer.reason}")
        else:
            return False
        self._finish_if_all_answered()
        return True

    def _on_silence(self, member: Member) -> None:
        self._report_answer(member, "silent", None, because(Why.NO_ANSWER_TO_CLAIM))
        self._settle(member, "silent")
        self._finish_if_all_answered()

    def _report_answer(self, member: Member, answer: str, view: MemberList | None, reason: Because | None) -> None:
        version, members = (view.version, view.members) if view is not None else (None, None)
        self._membership.env.report(ClaimAnswered(member, answer, version, members, *or_nothing(reason)))

    def _settle(self, member: Member, outcome: str) -> None:
        ask = self._waiting.pop(member.uuid, None)
        if ask is not None:
            ask.cancel()
            self._outcome[member.uuid] = outcome

    def _finish_if_all_answered(self) -> None:
        ms = self._membership
        if not ms.claiming:
            return
        self._ask_the_unasked()
        if self._waiting:
            return
        staying, left_out = {ms.me.address: ms.me}, []
        named = (*self._working.members, *self._beside)
        for member in named:
            if member.uuid == ms.me.uuid:
                continue
            if member.uuid in ms.suspected:
                left_out.append((member, "suspected"))
            elif member.address == ms.me.address:
                left_out.append((member, "an earlier incarnation of the candidate"))
            elif member.address in staying:
                left_out.append((member, "another one at its address stays"))
            elif self._outcome.get(member.uuid) == "accepted":
                staying[member.address] = member
            else:
                left_out.append((member, self._outcome.get(member.uuid, "older than the candidate")))
        newest = {m.uuid: True for m in named}
        left_out += [(m, "the newest list lacks it") for m in self._asked.values() if m.uuid not in newest]
        view = MemberList(self._working.version + 1, ms.me.uuid, tuple(staying.values()))
        ms.env.report(ClaimFinished(view.version, view.members, tuple(left_out)))
        ms.claiming = False
        ms.install(view, because(Why.OWN_CLAIM))
        self._updates.publish(change=True)
