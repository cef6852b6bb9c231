"""Runs the stories of tests/data/tui: what each panel shows at a moment of a simulated run, as text.

A story is blocks of commands, `----`, and exactly what the panel then shows. `pytest --rewrite` writes what came out in
the place of what was expected: the diff is then the review.

    run chaos/cluster/claims.py two-claims-at-once seed 3
                                                      a script in the simulator, preset fast; `judged`: with its verdict
    history                                           by hand: the lines below, of tests/notation/notation.py; and
      n2 sends n4 38000 of 64000 of m1                as one chunk of a migration
      n4 gets 1000 of m1 from n2
      n4 reports n3 to n1                             that it hears it no more
      n2 wants those of n1 after 3 up to 5            notifications that it lacks
      n1 begins a whole group of n3 n4
      n3 asks n1 to be added again
      n4 starts
    at n3 is answered by n5                           just after the first event that is told so, from here on
    at 4.5s · at the end · at the beginning
    link n1->n2 · partition 17 · view missing replicas
    choose n2 · mark n3 · check claims · span 2s · filter suspects
                                                      what the user has chosen; nothing after it: nothing
    live · halted · speed 0.5 · speed 0 · speed full  as if the run went on
    reading 0.42 · bound for 5s                       it is still read from disk, or gone through to there
    vitals n1 12.5 40000000                           CPU in percent of a core, memory in bytes
    show cluster 78x8                                 a panel, in so many columns and rows

A panel is written with a bar at its left edge, so that blanks are seen there."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import msgspec
from tests.notation.notation import Writer, member
from tests.reasons import reason_in
from tests.where import ROOT

from shaketable.harness.history.words.cluster import tell
from shaketable.harness.records import RunBegan
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Finished, Options, run_simulated
from shaketable.harness.scripting.scripts import load_scripts
from shaketable.node import events as e
from shaketable.node.config import GMS
from shaketable.tui.model.history.store import Store
from shaketable.tui.model.run_facts import Ended, RunFacts, Vitals
from shaketable.tui.model.session import Session
from shaketable.tui.panels.cluster import cluster
from shaketable.tui.panels.difference import difference
from shaketable.tui.panels.doubts import doubts
from shaketable.tui.panels.events import events, events_of_note
from shaketable.tui.panels.flows import flows
from shaketable.tui.panels.guarantees import guarantees
from shaketable.tui.panels.heading import heading
from shaketable.tui.panels.lanes import lanes
from shaketable.tui.panels.matrix import matrix
from shaketable.tui.panels.node_pane import node_pane
from shaketable.tui.panels.notifications import notifications
from shaketable.tui.panels.partition_map import partition_map
from shaketable.tui.panels.proof import proof
from shaketable.tui.panels.queue import queue
from shaketable.tui.panels.receipts import receipts
from shaketable.tui.panels.ring import ring
from shaketable.tui.panels.steps import steps
from shaketable.tui.text import Line, plain, width_of

PANELS: dict[str, Callable[[Session, int, int], Sequence[Line]]] = {
    "cluster": cluster,
    "difference": difference,
    "doubts": doubts,
    "events": events,
    "note": events_of_note,
    "flows": flows,
    "guarantees": guarantees,
    "heading": heading,
    "lanes": lanes,
    "map": partition_map,
    "matrix": matrix,
    "node": node_pane,
    "notifications": notifications,
    "proof": proof,
    "queue": queue,
    "receipts": receipts,
    "ring": ring,
    "steps": steps,
}


@cache
def finished(file: str, name: str, seed: int) -> Finished:
    [script] = [each for each in load_scripts([ROOT / file]) if each.name == name]
    return run_simulated(script, Options(seed=seed, preset="fast"))


def session_of(file: str, name: str, seed: int, *, with_verdict: bool = False) -> Session:
    run = finished(file, name, seed)
    began = next(record.event for record in run.records if isinstance(record.event, RunBegan))
    facts = RunFacts(name, "sim", run.fabric, seed, "fast", settings=began.settings)
    session = Session(facts, Store(run.records, complete=True), live=False, following=False)
    if with_verdict:
        verdict = judged(run)
        session.checks, session.checked = verdict.checks, len(run.records)
        session.ended = Ended(verdict.outcome, tuple(reason.text for reason in verdict.reasons))
        expects = tuple(name for name in (verdict.expects_violation, *verdict.broken_too) if name is not None)
        session.facts = msgspec.structs.replace(
            facts, again=verdict.again, title=verdict.title, about=verdict.about, expects=expects
        )
    return session


def by_hand(text: str) -> Session:
    writer = Writer()
    for chunk, said in enumerate(text.split("\n"), 1):
        if sent := re.fullmatch(r"(n\d+) sends (n\d+) (\d+) of (\d+) of (\w+)", said):
            who, to, size, total, name = sent.groups()
            writer.tell(who, e.ChunkSent(member(to), name, chunk, int(size), int(total)))
        elif got := re.fullmatch(r"(n\d+) gets (\d+) of (\w+) from (n\d+)", said):
            who, size, name, sender = got.groups()
            writer.tell(who, e.ChunkArrived(member(sender), name, chunk, int(size), False))
        elif not _of_a_group(writer, said):
            writer.write(said)
    facts = RunFacts("by-hand", "sim", "simulated", 7, "default", settings=_settings(writer))
    session = Session(facts, Store(writer.records, complete=True), live=False, following=False)
    session.move(len(session.store))
    return session


def _of_a_group(writer: Writer, said: str) -> bool:
    """What only a screen asks for."""
    if found := re.fullmatch(r"(n\d+) reports (n\d+) to (n\d+)", said):
        who, suspect, to = found.groups()
        writer.tell(who, e.SuspectReported(member(to), member(suspect)))
    elif found := re.fullmatch(r"(n\d+) wants those of (n\d+) after (\d+) up to (\d+)", said):
        who, of, after, last = found.groups()
        writer.tell(who, e.NotificationsAsked(int(after), member(of).uuid, member(of), int(last)))
    elif found := re.fullmatch(r"(n\d+) begins a whole group of (.+)", said):
        writer.tell(found[1], e.GroupStartBegan(tuple(member(name).address for name in found[2].split())))
    elif found := re.fullmatch(r"(n\d+) asks (n\d+) to be added again", said):
        writer.tell(found[1], e.ReadmissionAsked(member(found[2]), *reason_in("I give way to it")))
    elif found := re.fullmatch(r"(n\d+) starts", said):
        writer.start(found[1])
    return found is not None


def _settings(writer: Writer) -> dict[str, str | int | float | bool]:
    """Of a group; those of a cluster are not told here."""
    began = writer.records[0].event
    assert isinstance(began, RunBegan)
    return began.settings if began.settings.get("family") == GMS else {}


def crowd(size: int, *more: str) -> Session:
    """All of them follow n1; and what is told then."""
    names = [f"n{number}" for number in range(1, size + 1)]
    installs = [f"{name} installs v1{' by n1' if name != 'n1' else ''} [{' '.join(names)}]" for name in names]
    return by_hand("\n".join([*installs, *more]))


class Story:
    def __init__(self) -> None:
        self.session: Session | None = None

    def block(self, commands: str) -> list[str]:
        """What a block shows; lines that are indented are a history."""
        outputs: list[str] = []
        lines = [each for each in commands.split("\n") if not each.startswith("#")]
        if history := [each.strip() for each in lines if each.startswith(" ")]:
            self.session = by_hand("\n".join(history))
        for each in lines:
            if not each.startswith(" ") and each != "history":
                output = self.command(each)
                outputs += [output] if output is not None else []
        return outputs

    def command(self, text: str) -> str | None:
        """What came of it, where it shows something."""
        verb, _, rest = text.partition(" ")
        if verb == "run":
            file, name, _, seed, *more = rest.split()
            self.session = session_of(file, name, int(seed), with_verdict="judged" in more)
            return None
        assert self.session is not None, "a story begins with `run`"
        session, chosen = self.session, self.session.chosen
        match verb:
            case "at":
                self._go(session, rest)
            case "choose":
                chosen.node = rest
            case "link":
                chosen.node, _, chosen.other = rest.partition("->")
            case "partition":
                chosen.partition = int(rest) if rest else None
            case "view":
                chosen.view = rest
            case "mark":
                chosen.other = rest
            case "check":
                chosen.check = rest
            case "span":
                chosen.span = round(float(rest.removesuffix("s")) * 1_000_000)
            case "filter":
                chosen.filter = rest
            case "live":
                session.live = session.following = True
            case "halted":
                session.live, session.following = True, False
            case "speed":
                session.live, session.speed = True, None if rest == "full" else float(rest)
            case "reading":
                session.reading = float(rest)
            case "bound":
                session.target = session.store.place_of(round(float(rest.removeprefix("for ").rstrip("s")) * 1_000_000))
            case "vitals":
                node, cpu, rss, *pid = rest.split()
                session.vitals = {**session.vitals, node: Vitals(float(cpu), int(rss), *map(int, pid))}
            case "show":
                panel, size = rest.split()
                return shown(session, panel, *map(int, size.split("x")))
            case _:
                raise AssertionError(f"there is no command {verb!r}")
        return None

    def _go(self, session: Session, where: str) -> None:
        store = session.store
        if where == "the end":
            session.move(len(store))
        elif where == "the beginning":
            session.move(0)
        elif time := re.fullmatch(r"([\d.]+)s", where):
            session.go_to(round(float(time[1]) * 1_000_000))
        else:
            told = (p for p in range(session.cursor, len(store)) if where in tell(store[p], store.names))
            place = next(told, None)
            assert place is not None, f"nothing is told so from here on: {where}"
            session.move(place + 1)


def shown(session: Session, panel: str, width: int, height: int) -> str:
    """And what holds for every panel: no line is wider than there is room, and it can be drawn again from its text."""
    session.lanes.work(math.inf)
    lines = PANELS[panel](session, width, height)
    for each in lines:
        assert width_of(each) <= width, f"{panel}: {plain([each])!r} is wider than {width}"
    return "\n".join(f"│{line}" for line in plain(lines).split("\n"))


def told(text: str) -> Iterator[str]:
    """Each block, with what comes out of it now."""
    story = Story()
    for block in re.split(r"\n\n+", text.strip("\n")):
        commands = block.partition("\n----")[0]
        outputs = story.block(commands)
        yield "\n".join([commands, *(["----", *outputs] if outputs else [])])
