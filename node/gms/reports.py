"""A watcher of a silent member tells the member that is to decide: one report at a time about each (rulings 5.3)."""

from __future__ import annotations

from collections.abc import Callable

from shaketable.node.core.requests import Ask, Requests
from shaketable.node.events import SuspectReported
from shaketable.node.gms.group import Group
from shaketable.node.messages import Message, Seat, SuspectReport, Uuid


class Reports:
    def __init__(self, group: Group, *, requests: Requests) -> None:
        self._group = group
        self._requests = requests
        self._open: dict[Uuid, Ask] = {}
        """by the member that they are about"""

    def send(self, suspect: Seat, to: Seat, nobody_there: Callable[[], None]) -> None:
        """`nobody_there`: nobody has taken it within the verify time, or only another incarnation, which knows nothing
        of it."""
        group, uuid = self._group, suspect.member.uuid
        if uuid in self._open:
            return
        group.env.report(SuspectReported(to.member, suspect.member))

        def silent() -> None:
            self._open.pop(uuid, None)
            nobody_there()

        def taken(message: Message) -> bool:
            if message.sender == to.member:
                self._open.pop(uuid, None)
            else:
                silent()
            return True

        self._open[uuid] = self._requests.ask(
            lambda: to.member.address,
            lambda number: SuspectReport(group.me, group.stamp, number, suspect),
            on_answer=taken,
            on_silence=silent,
            retry=group.settings.gms_verify_timeout,
            budget=group.settings.gms_verify_timeout,
        )

    def cancel(self) -> None:
        for ask in self._open.values():
            ask.cancel()
        self._open.clear()
