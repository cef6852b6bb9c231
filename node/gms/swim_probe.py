"""One ping of SWIM: first by myself, then by others, whose answers count as well.

My own ping has the ping timeout. If no answer has come by then, some other members are asked to try, and all have twice
as long. An answer to my own ping counts to the end. Another incarnation at the same address is somebody else."""

from __future__ import annotations

from collections.abc import Callable

from shaketable.node.core.requests import Ask, Requests
from shaketable.node.gms.group import Group
from shaketable.node.gms.local_health import LocalHealth
from shaketable.node.messages import Member, Message, Seat, SwimPing, SwimPingTried, SwimPingWanted
from shaketable.node.why import Because, Why, because


class SwimProbe:
    def __init__(
        self,
        group: Group,
        *,
        requests: Requests,
        local: LocalHealth,
        member: Member,
        doubt: int,
        reached: Callable[[], None],
        failed: Callable[[Because], None],
    ) -> None:
        """One of the two is called, in a later step. `doubt`: the number that the ping tells the member, or 0."""
        self._group = group
        self._requests = requests
        self._local = local
        self._member = member
        self._doubt = doubt
        self._reached = reached
        self._failed = failed
        self._asked: list[Ask] = []
        """who tries it for me"""
        self._silent = 0
        """of these, so many who have said nothing yet"""
        limit = local.slower * group.settings.swim_ping_timeout
        self._own = self._ask(member, self._ping, self._on_answer, 3 * limit, lambda: self._end(Why.NO_ANSWER))
        self._timer = group.env.call_later(limit, lambda: self._let_others_try(2 * limit))

    def _ask(
        self,
        whom: Member,
        message: Callable[[int], Message],
        on_answer: Callable[[Message], bool],
        limit: int,
        on_silence: Callable[[], None],
    ) -> Ask:
        return self._requests.ask(
            lambda: whom.address, message, on_answer=on_answer, on_silence=on_silence, retry=limit, budget=limit
        )

    def _ping(self, number: int) -> SwimPing:
        return SwimPing(self._group.me, self._group.stamp_of_a_heartbeat, number, self._doubt)

    def _let_others_try(self, limit: int) -> None:
        group, member = self._group, self._member
        others = [seat for seat in group.others if seat.member.address != member.address]
        helpers = group.env.rng.sample(others, min(group.settings.swim_helpers, len(others)))
        self._silent = len(helpers)
        for helper in helpers:
            self._ask_helper(helper, limit)

    def _ask_helper(self, helper: Seat, limit: int) -> None:
        group, member, heard = self._group, self._member, False

        def tried(message: Message) -> bool:
            """A helper that has said that it got no answer may still get one."""
            nonlocal heard
            assert isinstance(message, SwimPingTried)
            if not heard:
                heard = True
                self._silent -= 1
            if message.reached:
                self._end(None)
            return message.reached

        self._asked.append(
            self._ask(
                helper.member,
                lambda number: SwimPingWanted(group.me, group.stamp, number, member, self._doubt),
                tried,
                limit,
                lambda: None,
            )
        )

    def _on_answer(self, message: Message) -> bool:
        self._end(None if message.sender.uuid == self._member.uuid else Why.ANOTHER_INCARNATION)
        return True

    def _end(self, why: Why | None) -> None:
        self._timer.cancel()
        for ask in (self._own, *self._asked):
            ask.cancel()
        if why is None:
            self._local.answered()
            self._reached()
        else:
            if why is Why.NO_ANSWER:
                self._local.missed(1 + self._silent)
            self._failed(because(why))
