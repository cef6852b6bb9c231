"""Between the forms of the harness and the lines of the contract: one process, all its life."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from shaketable.harness.errors import shortened
from shaketable.harness.systems.contract.times import Times
from shaketable.harness.systems.contract.told import event_of
from shaketable.harness.systems.dialogue import Lines
from shaketable.node.process import contract, control


class Dialogue(Lines):
    longest = contract.LONGEST_LINE
    most = contract.MOST_LINES

    def __init__(self, node: str, secret: bytes, times: Times) -> None:
        super().__init__()
        self._node = node
        self._secret = secret
        self._times = times
        self._ready = False

    # What the harness says

    def order(self, order: control.Order) -> tuple[bytes, Sequence[control.Said]]:
        match order:
            case control.Run():
                return contract.line_of(self._run(order)), ()
            case control.AddLinks(order=number, links=links, handshake_limit=limit, hosts=hosts):
                return contract.line_of(contract.Dial(number, contract.where(hosts, links), limit)), ()
        return contract.line_of(order), ()

    def _run(self, run: control.Run) -> contract.Run:
        return contract.Run(
            contract=contract.VERSION,
            node=self._node,
            address=run.address,
            listen=f"{control.LOOPBACK}:{run.port}",
            join=run.addresses,
            dial=contract.where(run.hosts, run.links),
            settings=run.settings,
            seed=run.seed,
            secret=self._secret.hex(),
            life=run.process,
            handshake_limit=run.handshake_limit,
            rest_port=run.rest_port,
            file=run.file,
        )

    # What the process says

    def hear(self, line: bytes) -> list[control.Said]:
        try:
            form = contract.said_decoder.decode(line)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise control.BrokenStream(f"a line that is none of the contract's ({error}): {_shown(line)}") from None
        if isinstance(form, contract.Ready):
            return self._is_ready(form)
        if not self._ready:
            raise control.BrokenStream(f"its first line is not ready: {_shown(line)}")
        match form:
            case control.Reported():
                return [self._told(form, line)]
            case contract.Snapshot(order, time, links, received, useless):
                return [control.Snapshot(order, time, links, received, useless)]
        return [form]

    def _is_ready(self, ready: contract.Ready) -> list[control.Said]:
        if self._ready:
            raise control.BrokenStream("it is ready a second time")
        self._ready = True
        if ready.contract == contract.VERSION:
            return []
        return [control.CannotRun(f"it speaks version {ready.contract} of the contract, and not {contract.VERSION}")]

    def _told(self, said: control.Reported, line: bytes) -> control.Reported:
        if wrong := self._times.wrong(said.time) or self._times.too_many(said.time):
            raise control.BrokenStream(f"it {wrong}")
        try:
            _, event = event_of(bytes(said.event))
        except ValueError as error:
            raise control.BrokenStream(f"an event that is none of ours ({error}): {_shown(line)}") from None
        return msgspec.structs.replace(said, event=event)


def _shown(line: bytes) -> str:
    return shortened(line.decode(errors="replace"))
