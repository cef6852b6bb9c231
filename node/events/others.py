"""Events that members of other systems tell, and ours do not."""

from __future__ import annotations

from shaketable.node.events.base import Event
from shaketable.node.messages import Member


class MembersSeen(Event, frozen=True):
    """A member takes these for alive, itself among them. Its system has no lists with versions."""

    members: tuple[Member, ...]
