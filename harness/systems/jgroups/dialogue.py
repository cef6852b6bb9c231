"""Between the forms of the harness and the lines of the agent in a JGroups member: one process, all its life."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from shaketable.harness.systems.dialogue import Lines
from shaketable.harness.systems.jgroups import facts
from shaketable.harness.systems.jgroups.facts import AnyFact, fact_decoder
from shaketable.harness.systems.jgroups.settings import why_not, words
from shaketable.harness.systems.jgroups.telling import Telling
from shaketable.node.config import Settings
from shaketable.node.config.fields import SettingError
from shaketable.node.messages import Address
from shaketable.node.process import control

Sent = tuple[bytes, tuple[control.Said, ...]]
"""What goes to the process, and what is answered at once."""


class Dialogue(Lines):
    def __init__(self) -> None:
        super().__init__()
        self._telling: Telling | None = None
        self._listens = False

    # What the harness says

    def order(self, order: control.Order) -> Sent:
        match order:
            case control.Run():
                return self._run(order)
            case control.AddLinks(order=number, links=links, hosts=hosts):
                return _line("link", _links(links, hosts)) if links else b"", (control.Done(number),)
            case control.LeaveGracefully(order=number):
                return _line("leave"), (control.Done(number),)
            case control.TakeSnapshot(order=number):
                return _line("ping", [f"number={number}"]), ()
            case control.Command(order=number, command=command):
                return _refused(number, f"a JGroups member knows no {type(command).__name__}")
            case control.ArmHold(order=number) | control.Release(order=number):
                return _refused(number, "a JGroups member holds nowhere")
            case control.ArmFilter(order=number) | control.DisarmFilter(order=number):
                return _refused(number, "a JGroups member lets nobody stop single messages")
            case control.SetClock(order=number):
                return _refused(number, "a JGroups member has the clock of its machine alone")
            case control.Probe(nonce=nonce):
                return b"", (control.ProbeSent(nonce, None),)
            case control.Stop():
                return _line("stop"), ()

    def _run(self, run: control.Run) -> Sent:
        try:
            settings = Settings().with_values(run.settings)
        except SettingError as error:
            return b"", (control.CannotRun(str(error)),)
        refusal = "it runs already" if self._telling is not None else why_not(settings)
        if refusal:
            return b"", (control.CannotRun(refusal),)
        self._telling = Telling(run.address)
        asked = [f"ask={address}" for address in run.addresses]
        return _line("run", [f"address={run.address}", *asked, *_links(run.links, run.hosts), *words(settings)]), ()

    # What the process says

    def hear(self, line: bytes) -> list[control.Said]:
        try:
            fact = fact_decoder.decode(line)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise control.BrokenStream(f"a line that is none of the agent's ({error}): {line[:200]!r}") from error
        if isinstance(fact, facts.Failed) and not self._listens:
            return [control.CannotRun(fact.reason)]
        told = self._telling.hear(fact) if self._telling is not None else []
        return [*(self.reported(*each) for each in told), *self._answer(fact)]

    def _answer(self, fact: AnyFact) -> list[control.Said]:
        match fact:
            case facts.Ready(pid=pid):
                return [control.Ready(b"", "", pid)]
            case facts.Running():
                self._listens = True
                return [control.Running()]
            case facts.CannotRun(reason=reason):
                return [control.CannotRun(reason)]
            case facts.Pong(number=number):
                return [control.Snapshot(number, fact.t, {}, 0, {})]
            case facts.Unable(reason=reason):
                self.trouble(f"it could not do what it was told: {reason}")
        return []


def _line(does: str, its_words: Iterable[str] = ()) -> bytes:
    return "\t".join([does, *its_words]).encode() + b"\n"


def _links(links: Mapping[Address, int], hosts: Mapping[Address, str]) -> list[str]:
    """A link has the port of its member, so that its loopback address is all that is new."""
    return [f"link={address}={hosts[address]}" for address in links]


def _refused(number: int, why: str) -> Sent:
    return b"", (control.Done(number, why),)
