"""A master looks for other parts of its cluster: it asks all possible addresses where no member of its own list is.

From the text on split-brain recovery: a master answers with its list; a follower, which had ignored the question,
points to its master (rulings 4.2), which is asked in the same search. All are asked at once, and none twice, so that a
hundred dead addresses take no longer than one. Once somebody has answered, the others get a heartbeat interval more, or
less: a member that has answered keeps itself for me only for a while."""

from __future__ import annotations

from collections.abc import Callable

from shaketable.node.cluster.service.addresses import JoinAddresses
from shaketable.node.cluster.service.views import Membership
from shaketable.node.cluster.splitbrain.keeping import kept
from shaketable.node.core.env import Timer
from shaketable.node.core.requests import Ask, Requests
from shaketable.node.events import SplitBrainSearchBegan, SplitBrainSearchEnded
from shaketable.node.messages import Address, MasterResponse, MergeValidation, MergeValidationAnswer, Message
from shaketable.node.why import Because, Why, because

Ended = Callable[[list[MergeValidationAnswer]], None]
"""gets the answers of the masters that told their list, in the order in which they came; not when I give up"""


class Search:
    def __init__(self, membership: Membership, *, requests: Requests, addresses: JoinAddresses) -> None:
        self._membership = membership
        self._requests = requests
        self._addresses = addresses
        self._ended: Ended | None = None
        self._asked: dict[Address, Ask] = {}
        self._done: dict[Address, bool] = {}
        self._answers: list[MergeValidationAnswer] = []
        self._soon: Timer | None = None
        self._version = 0
        self.under_way = False

    def begin(self, ended: Ended) -> None:
        self._ended = ended
        ms = self._membership
        mine = {member.address: True for member in ms.view.members}
        wanted = [each for each in self._addresses.possible() if each not in mine]
        self._version = ms.view.version
        ms.env.report(SplitBrainSearchBegan(self._version, len(wanted)))
        self.under_way = True
        self._done = dict(mine)
        for address in wanted:
            self._ask(address)
        self._end_if_all_answered()

    def give_up(self, reason: Because) -> None:
        if self.under_way:
            self._end(reason)

    def ask_too(self, address: Address) -> None:
        """Heard of in the middle of a search."""
        if address not in self._done:
            self._ask(address)

    def _ask(self, address: Address) -> None:
        ms, settings = self._membership, self._membership.settings
        view = ms.view

        def message(request: int) -> Message:
            return MergeValidation(ms.me, request, ms.config, view)

        self._done[address] = True
        self._asked[address] = self._requests.ask(
            lambda: address,
            message,
            on_answer=lambda answer: self._on_answer(address, answer),
            on_silence=lambda: self._is_done(address),
            retry=settings.merge_validation_timeout,
            budget=settings.merge_validation_timeout,
        )

    def _on_answer(self, address: Address, answer: Message) -> bool:
        if not isinstance(answer, MergeValidationAnswer) or answer.target != self._membership.me.uuid:
            return False
        if answer.view is not None and answer.view.members[:1] == (answer.sender,):
            self._answers.append(answer)
            if self._soon is None:
                settings = self._membership.settings
                soon = min(settings.heartbeat_interval, kept(settings) // 4)
                self._soon = self._membership.env.call_later(
                    soon, lambda: self._end_with_answers(because(Why.SOME_SILENT))
                )
        self._is_done(address)
        return True

    def on_master_response(self, message: MasterResponse) -> None:
        """A follower of another part says who leads it. Outside a search, too: the next one asks there."""
        ms, master, follower = self._membership, message.master, message.sender.address
        if master == follower:
            return  # what a master says to a joiner, and late
        mine = any(member.address in (master, follower) for member in ms.view.members)
        if not mine:
            self._addresses.suggest(master, because(Why.NAMED_BY_A_FOLLOWER, follower))
            if self.under_way:
                self.ask_too(master)
        if follower in self._asked:
            self._asked[follower].cancel()
            self._is_done(follower)

    def _is_done(self, address: Address) -> None:
        self._asked.pop(address, None)
        self._end_if_all_answered()

    def _end_if_all_answered(self) -> None:
        if self.under_way and not self._asked:
            self._end_with_answers(because(Why.ALL_ANSWERED))

    def _end_with_answers(self, reason: Because) -> None:
        assert self._ended is not None, "a search has begun"
        self._ended(self._end(reason))

    def _end(self, reason: Because) -> list[MergeValidationAnswer]:
        for ask in self._asked.values():
            ask.cancel()
        self._asked.clear()
        if self._soon is not None:
            self._soon.cancel()
            self._soon = None
        answers, self._answers = self._answers, []
        self.under_way = False
        self._membership.env.report(SplitBrainSearchEnded(self._version, len(answers), *reason))
        return answers
