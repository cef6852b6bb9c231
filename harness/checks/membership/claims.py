"""A claim for the mastership (text 1.9), by the events of the candidate and those who accept.

- The candidate asks the younger members of its own list, and of every newer list in an answer. A member that only an
  older list names need not be asked, as in the real system.
- Another list of the newest version has another author, and is not newer. Its members are asked, or left out with a
  reason.
- The final list has no member that the candidate came to suspect, or that the newest list lacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.membership.claim import Claim
from shaketable.harness.checks.result import CheckResult, Findings, Watch, counted
from shaketable.harness.checks.shared.older import older_than
from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.events import (
    ClaimAnswered,
    ClaimAsked,
    ClaimConsented,
    ClaimFinished,
    ClaimStarted,
    Event,
    MasterFollowed,
    Started,
    Suspected,
    SuspicionEnded,
    ViewInstalled,
    ViewPublished,
)
from shaketable.node.messages import Member, Uuid

NAME: Final = "claims"
RULE: Final = (
    "A candidate suspects every older member, asks every unsuspected younger one, and ends with a list of those who "
    "accepted, in a version above all others, with a reason for each member left out. A member that accepts suspects "
    "everyone older than the candidate."
)
NEEDS: Final = (
    ClaimAnswered,
    ClaimAsked,
    ClaimConsented,
    ClaimFinished,
    ClaimStarted,
    Started,
    Suspected,
    SuspicionEnded,
    ViewInstalled,
)


def check(history: History, bounds: Bounds) -> CheckResult | Watch:
    judge = _Judge(history)
    return judge if history.has(ClaimStarted, ClaimConsented) else judge.result()


class _Judge:
    def __init__(self, history: History) -> None:
        self.findings = Findings(history)
        self.finished = self.consents = self.unproven = 0
        self.open: dict[Uuid, Claim] = {}
        """of candidates"""
        self._history = history
        self._names = history.names
        self._infers_answers = ClaimAnswered.__name__ in history.system.infers
        """and which list an answer had is then not always known"""
        self._consents: dict[tuple[Uuid, Uuid], list[Record[ClaimConsented]]] = {}
        """by the member that accepted, and whose claim"""
        for record in history.of(ClaimConsented):
            self._consents.setdefault((record.incarnation, record.event.peer.uuid), []).append(record)

    def see(self, record: Record, node: NodeSeen | None, seen: Observed) -> None:
        handler = _HANDLERS.get(type(record.event))
        if handler is not None and node is not None:
            handler(self, record, record.event, node)

    def result(self) -> CheckResult:
        looked_at = f"{counted(self.finished, 'finished claim')} and {counted(self.consents, 'acceptance')}"
        if self.open:
            looked_at += f"; {counted(len(self.open), 'claim')} did not come to an end"
        notes = [f"{counted(self.unproven, 'acceptance')} that a killed process did not tell of"]
        count = self.finished + self.consents
        return self.findings.result(NAME, RULE, looked_at, count, notes=notes if self.unproven else [])

    # The candidate's side

    def _started(self, record: Record, event: ClaimStarted, node: NodeSeen) -> None:
        claim = self.open[record.incarnation] = Claim(record, node)
        if (event.version, event.members) != (node.version, node.members):
            told = f"v{event.version} {self._names.members(event.members)}"
            held = f"v{node.version} {self._names.members(node.members)}"
            self._accuse(claim, f"claims the mastership of {told} and holds {held}")
        trusted = [m for m in older_than(node.members, claim.me) if m.uuid not in node.suspected]
        if trusted:
            self._accuse(
                claim, f"claims the mastership and does not suspect {self._listed(trusted)}, older than itself"
            )

    def _asked(self, record: Record, event: ClaimAsked, node: NodeSeen) -> None:
        claim = self.open.get(record.incarnation)
        if claim is None:
            return
        claim.asked[event.peer.uuid] = event.peer
        if event.peer.uuid in node.suspected:
            self._accuse(claim, f"asks {self._names.member(event.peer)}, whom it suspects", record)
        elif event.peer in older_than(claim.newest.members, claim.me):
            self._accuse(claim, f"asks {self._names.member(event.peer)}, who is older than itself", record)

    def _answered(self, record: Record, event: ClaimAnswered, node: NodeSeen) -> None:
        claim = self.open.get(record.incarnation)
        if claim is None:
            return
        claim.take_answer(record, event)
        if event.answer == "accepted":
            self._judge_answer(claim, record, event)

    def _judge_answer(self, claim: Claim, record: Record, event: ClaimAnswered) -> None:
        """The acceptance of somebody who tells the same of it."""
        told = self._consents.get((event.peer.uuid, claim.me.uuid), [])
        lists = [(consent.event.version, consent.event.members) for consent in told]
        if (event.version, event.members) in lists or (told and event.version is None and self._infers_answers):
            return
        peer = self._names.member(event.peer)
        process = self._history.by_uuid.get(event.peer.uuid)
        if told:
            said = f"is told by {peer} of v{event.version} {self._names.members(event.members or ())}, which {peer}"
            self._accuse(claim, f"{said} did not hold when it accepted the claim", told[-1], record)
        elif process is not None and process.ended is not None:
            self.unproven += 1  # the last words of a killed member may be lost
        else:
            self._accuse(claim, f"is accepted by {peer}, who tells nothing of that", record)

    def _suspected(self, record: Record, event: Suspected, node: NodeSeen) -> None:
        claim = self.open.get(record.incarnation)
        if claim is not None:
            claim.doubted[event.peer.uuid] = True

    def _published(self, record: Record, event: ViewPublished, node: NodeSeen) -> None:
        claim = self.open.get(record.incarnation)
        if claim is not None:
            self._accuse(claim, f"publishes v{event.version} in the middle of its claim", record)

    def _followed(self, record: Record, event: MasterFollowed, node: NodeSeen) -> None:
        if event.master.uuid != record.incarnation:
            self.open.pop(record.incarnation, None)  # it gave its own claim up

    def _finished(self, record: Record, event: ClaimFinished, node: NodeSeen) -> None:
        claim = self.open.pop(record.incarnation, None)
        if claim is None:
            who = self._names.process(record.node, record.incarnation)
            self.findings.add(f"{who} finishes a claim that it never started.", [record])
            return
        self.finished += 1
        for said, other in claim.wrongs(event, node.suspected, self._names):
            self._accuse(claim, said, *([other] if other is not None else []), record)

    # The side of the member that accepts

    def _consented(self, record: Record, event: ClaimConsented, node: NodeSeen) -> None:
        self.consents += 1
        names = self._names
        said = f"accepts the claim of {names.member(event.peer)}"
        wrongs = []
        if (event.version, event.author, event.members) != (node.version, node.author, node.members):
            held = f"v{node.version} {names.members(node.members)} by {names.author(node.author)}"
            told = f"v{event.version} {names.members(event.members)} by {names.author(event.author)}"
            wrongs.append(f"{said} with {told} and holds {held}")
        if event.peer not in event.members:
            wrongs.append(f"{said}, who is not in its list {names.members(event.members)}")
        suspected = {member.uuid: True for member in event.suspected if member.uuid in node.suspected}
        trusted = [m for m in older_than(event.members, event.peer) if m.uuid not in suspected]
        if trusted:
            wrongs.append(f"{said} and does not suspect {self._listed(trusted)}, older than {names.member(event.peer)}")
        for wrong in wrongs:
            self.findings.add(f"{names.process(record.node, record.incarnation)} {wrong}.", [record])

    def _accuse(self, claim: Claim, said: str, *others: Record) -> None:
        start = claim.start
        self.findings.add(f"{self._names.process(start.node, start.incarnation)} {said}.", [start, *others])

    def _listed(self, members: list[Member]) -> str:
        return " ".join(map(self._names.member, members))


_HANDLERS: Final[dict[type[Event], Callable[[_Judge, Record, Any, NodeSeen], None]]] = {
    ClaimStarted: _Judge._started,
    ClaimAsked: _Judge._asked,
    ClaimAnswered: _Judge._answered,
    ClaimFinished: _Judge._finished,
    ClaimConsented: _Judge._consented,
    Suspected: _Judge._suspected,
    ViewPublished: _Judge._published,
    MasterFollowed: _Judge._followed,
}
