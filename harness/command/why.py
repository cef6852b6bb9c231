"""`shaketable why`: the chain of causes of an event, of each proof, or a list of what may be asked about."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from shaketable.harness.causes.chain import chain, chain_text, violation_text
from shaketable.harness.causes.grounds import Grounds
from shaketable.harness.console.screen import Screen
from shaketable.harness.errors import UserError
from shaketable.harness.history.history import History
from shaketable.harness.history.times import time_said
from shaketable.harness.history.words.cluster import rounded, tell
from shaketable.harness.records import HARNESS, Record
from shaketable.harness.runs.directory import RecordedRun, read_run, run_in
from shaketable.node import events as e

OF_NOTE: Final = (
    e.MemberRemoved, e.ClaimFinished, e.DisconnectionResolved, e.MergeBegan, e.Merged, e.PartitionLost, e.Failed,
    e.NotificationPublished, e.LeadershipTaken,
)  # fmt: skip
MOST_LISTED: Final = 20


def why(options: argparse.Namespace) -> int:
    run = read_run(run_in(Path(options.run)))
    history = History(run.records)
    if not history.records:
        raise UserError(f"{run.directory} holds no events: there is nothing to explain")
    lines = _of_event(history, options.event) if options.event else _of_proofs(run, history)
    screen = Screen()
    for line in lines:
        screen.say(line)
    return 0


def _of_event(history: History, asked: str) -> Iterator[str]:
    yield from chain_text(chain(Grounds(history), event_asked(history, asked)), history.names)


def event_asked(history: History, asked: str) -> Record:
    """NODE:NUMBER, NODE@SECONDS or NODE."""
    node, mark, rest = asked.replace("@", ":@", 1).partition(":")
    own = [record for record in history.records if record.node == node]
    if not own:
        nodes = " ".join(dict.fromkeys(record.node for record in history.records if record.node))
        raise UserError(f"EVENT {asked}: no node {node} tells anything in this run; its nodes are: {nodes}")
    if rest.startswith("@"):
        try:
            time = time_said(rest[1:], 0, history.end)
        except UserError as error:
            raise UserError(f"EVENT {asked}: {error}") from None
        before = [record for record in own if record.time <= time]
        if not before:
            raise UserError(f"EVENT {asked}: {node} tells nothing until then; its first event is at {_at(own[0])}")
        return before[-1]
    if mark:
        if not rest.isdecimal():
            raise UserError(f"EVENT {asked}: give NODE:NUMBER, NODE@SECONDS or NODE")
        found = [record for record in own if record.sequence == int(rest)]
        if not found:
            raise UserError(f"EVENT {asked}: {node} has no event {rest}; its last one is {own[-1].sequence}")
        return found[-1]
    off = [record for record in history.records if record.node != node and _takes_off(record, history, node)]
    return off[-1] if off else own[-1]


def _takes_off(record: Record, history: History, node: str) -> bool:
    """Whether it is why this node is in a list no more."""
    match record.event:
        case e.MemberRemoved(peer):
            return history.names.place(peer.address) == node
        case e.ClaimFinished(_, _, left_out):
            return any(history.names.place(member.address) == node for member, _ in left_out)
    return False


def _at(record: Record) -> str:
    return rounded(record.time)


def _of_proofs(run: RecordedRun, history: History) -> Iterator[str]:
    broken = [check for check in run.verdict.checks if check.violations] if run.verdict is not None else []
    grounds, shown = Grounds(history), dict[tuple[str, ...], str]()
    for check in broken:
        for violation in check.violations:
            yield f"{check.name}: {violation.sentence}"
            yield ""
            lines = tuple(violation_text(grounds, violation))
            yield from [shown[lines]] if lines in shown else lines
            shown.setdefault(lines, f"{'':12}The chain is that of {check.name} above.")
            yield ""
    if not broken:
        yield from _what_may_be_asked(history)


def _what_may_be_asked(history: History) -> Iterator[str]:
    """The events of note, each with what to type for it."""
    notable = [
        record
        for record in history.records
        if record.time <= history.end and record.node != HARNESS and isinstance(record.event, OF_NOTE)
    ]
    yield "No guarantee is broken here. Give EVENT as NODE:NUMBER, NODE@SECONDS or NODE" + (
        "; events of note:" if notable else "."
    )
    for record in notable[:MOST_LISTED]:
        yield f"  {f'{record.node}:{record.sequence}':10} {_at(record):>11} {tell(record, history.names)}"
    if len(notable) > MOST_LISTED:
        yield f"  … and {len(notable) - MOST_LISTED} more"
