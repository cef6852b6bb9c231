"""Before a candidate takes over it asks one more member, where there is one, whether that one still reaches the master
(rulings 5.3)."""

from __future__ import annotations

from collections.abc import Callable, Collection

from shaketable.node.core.requests import Ask, Requests
from shaketable.node.gms.election import elected
from shaketable.node.gms.group import Group
from shaketable.node.gms.probes import Probes
from shaketable.node.gms.sender import Sender
from shaketable.node.messages import Address, Message, Seat, StillHeard, StillHeardAnswer, Uuid


class Witness:
    def __init__(self, group: Group, *, requests: Requests, sender: Sender, probes: Probes) -> None:
        self._group = group
        self._requests = requests
        self._sender = sender
        self._probes = probes
        self._asks: Ask | None = None

    @property
    def is_asked(self) -> bool:
        return self._asks is not None

    def ask(
        self, master: Seat, without: Collection[Uuid], reached: Callable[[Address], None], gone: Callable[[], None]
    ) -> None:
        """`reached`: by whom; `gone`: not by this one either, or there is nobody to ask."""
        group = self._group
        if self._asks is not None:
            return
        witness = elected(group.rank, group.view, [*without, group.me.uuid, master.member.uuid])
        if witness is None:
            gone()
            return
        to = witness.member.address

        def answered(message: Message) -> bool:
            assert isinstance(message, StillHeardAnswer)
            self._asks = None
            if message.heard:
                reached(to)
            else:
                gone()
            return True

        def silent() -> None:
            self._asks = None
            gone()

        budget = group.settings.gms_probe_timeout + group.settings.gms_verify_timeout
        self._asks = self._requests.ask(
            lambda: to,
            lambda number: StillHeard(group.me, group.stamp, number, master.member),
            on_answer=answered,
            on_silence=silent,
            retry=budget,
            budget=budget,
        )

    def cancel(self) -> None:
        if self._asks is not None:
            self._asks.cancel()
            self._asks = None

    def on_still_heard(self, message: StillHeard) -> None:
        group = self._group
        to, request = message.sender.address, message.request

        def answer(heard: bool) -> None:
            self._sender.send(to, StillHeardAnswer(group.me, group.stamp, request, heard))

        if group.master == message.master and not group.leads:
            self._probes.probe(message.master, lambda: answer(True), lambda _: answer(False))
        else:
            answer(False)  # nobody asks the master itself
