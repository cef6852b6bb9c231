"""Checks of a user's own, by their names: one that is right, and mistakes of each kind."""

from __future__ import annotations

from typing import NoReturn

from shaketable import Bounds, Check, CheckResult, Findings, History, NodeSeen, Observed, Record, events


def _judge_kills(history: History, bounds: Bounds) -> CheckResult:
    findings = Findings(history)
    claims = history.of(events.ClaimStarted)
    for record in claims:
        findings.add(f"{record.node} claims.", [record])
    return findings.result("another name", "", f"claims: {len(claims)}", len(claims))


def _raise(history: History, bounds: Bounds) -> NoReturn:
    raise KeyError("n1")


class _Counting:
    def __init__(self, history: History, bounds: Bounds) -> None:
        self._seen = 0
        self._known = 0

    def see(self, record: Record, node: NodeSeen | None, seen: Observed) -> None:
        self._seen += 1
        self._known += node is not None

    def result(self) -> CheckResult:
        return CheckResult("counts", "", "held", f"{self._seen} records, {self._known} of nodes", self._seen)


class _RaisesLate(_Counting):
    def see(self, record: Record, node: NodeSeen | None, seen: Observed) -> None:
        raise ValueError("of what it sees")


class _RaisesLast(_Counting):
    def result(self) -> CheckResult:
        raise ValueError("in the end")


def _exit(history: History, bounds: Bounds) -> NoReturn:
    raise SystemExit(0)


class Gone(BaseException):
    pass


def _go(history: History, bounds: Bounds) -> NoReturn:
    raise Gone("of no kind")


no_claims = Check("no claims", "Nobody claims the mastership.", _judge_kills)
counts = Check("counts", "It counts.", _Counting)
needs_claims = Check("needs claims", "Nobody claims.", _judge_kills, needs=(events.ClaimStarted,))
needs_words = Check("needs words", "", _judge_kills, needs=("ClaimStarted",))  # type: ignore[arg-type]
raises = Check("raises", "It raises.", _raise)
exits = Check("exits", "It ends the process.", _exit)
goes = Check("goes", "It raises what is no Exception.", _go)
raises_late = Check("raises late", "It raises.", _RaisesLate)
raises_last = Check("raises last", "It raises.", _RaisesLast)
counts_in_words = Check("counts in words", "", lambda h, b: Findings(h).result("", "", "", "many"))  # type: ignore[arg-type]
counts_backwards = Check("counts backwards", "", lambda h, b: Findings(h).result("", "", "", -1))
is_sure = Check("is sure", "", lambda h, b: CheckResult("", "", "certain", "", 1))
shows_nothing = Check("shows nothing", "", lambda h, b: CheckResult("", "", "broken", "", 1))
says_nonsense = Check("says nonsense", "It says nonsense.", lambda history, bounds: 7)  # type: ignore[arg-type,return-value]
taken = Check("settled", "Its name is taken.", _Counting)
no_check = 7
