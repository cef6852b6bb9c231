"""What a plan does to its nodes as its deeds begin, one after the other: who is there, who is down, who sleeps.

By this a plan is drawn, and a changed one is mended: a deed that cannot be done when its time comes, or leaves too few
awake, is no part of it."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.harness.faults.node_kinds import LEAVE
from shaketable.harness.faults.verb import STARTED_AGAIN
from shaketable.harness.nemesis.deeds import HIDE, JOIN, KINDS, Standing, why_not
from shaketable.harness.nemesis.plan import Deed
from shaketable.node.core.env import Micros


class Course:
    def __init__(self, nodes: Sequence[str], awake: int) -> None:
        """`awake`: so many nodes stay up and awake."""
        self.known = list(nodes)
        self._awake = awake
        self._named_by_all: tuple[str, ...] = ()
        self._out: dict[str, tuple[str, Micros | None]] = {}
        """by which verb they are down, or asleep, and until when; None: for good"""

    @property
    def next_name(self) -> str:
        """Of a node that joins."""
        return f"n{len(self.known) + 1}"

    def standing(self, at: Micros) -> Standing:
        out = {name: how for name, (how, until) in self._out.items() if until is None or until > at}
        running = [name for name in self.known if out.get(name) != "down"]
        return Standing(self.known, running, {name: True for name, how in out.items() if how == "asleep"})

    def takes(self, deed: Deed) -> bool:
        """Whether it can be done, as far as a plan knows; if so, it is done. Deeds come in the order of their times."""
        now = self.standing(deed.at)
        if why_not(deed, now) or not self._leaves_enough(deed, now):
            return False
        kind = KINDS[deed.verb]
        if deed.verb == JOIN:
            self.known.append(deed.on[0])
        elif deed.verb == HIDE:
            self._named_by_all = deed.to
        elif kind.ends == STARTED_AGAIN or kind.sleeps:
            until = None if deed.lasts is None else deed.at + deed.lasts
            self._out[deed.on[0]] = ("asleep" if kind.sleeps else "down", until)
        return True

    def _leaves_enough(self, deed: Deed, now: Standing) -> bool:
        kind = KINDS[deed.verb]
        # One that leaves may take longer than its part, and is not started again then.
        for_good = deed.lasts is None or deed.verb == LEAVE.verb
        if kind.ends == STARTED_AGAIN and for_good and deed.on[0] in self._named_by_all:
            return False
        stops = kind.sleeps or kind.ends == STARTED_AGAIN
        return not stops or len([name for name in now.awake if name not in deed.on]) >= self._awake
