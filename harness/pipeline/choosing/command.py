"""`shaketable compare-detectors --at-most`: the settings that are wrong seldom enough, and what they cost."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

from shaketable.harness.console.report import in_its_encoding
from shaketable.harness.console.screen import Screen
from shaketable.harness.console.values import values_of
from shaketable.harness.detectors.choosing.answer import Point, best, in_json, points
from shaketable.harness.detectors.choosing.candidates import ladders, searched
from shaketable.harness.detectors.choosing.picture import picture
from shaketable.harness.detectors.choosing.playing import packed, played, unpacked
from shaketable.harness.detectors.choosing.question import Question, faults_in, rate_in, time_in
from shaketable.harness.detectors.choosing.search import Search
from shaketable.harness.detectors.choosing.text import LEGEND, rendered
from shaketable.harness.detectors.command import USUAL_UNDER, report_folder, sizes_in
from shaketable.harness.detectors.plays import Play, Show
from shaketable.harness.detectors.quality.command import refuse_unknown
from shaketable.harness.detectors.quality.named import AND, parts_of
from shaketable.harness.detectors.text import kept
from shaketable.harness.detectors.waiting import progress
from shaketable.harness.errors import UserError
from shaketable.harness.explain.lines import say
from shaketable.harness.pipeline.choosing.arguments import EVERY, HOURS, MESSAGES
from shaketable.harness.pipeline.choosing.running import playing
from shaketable.harness.whole_files import write_shared

REPORT: Final = ("answer.txt", "answer.jsonl", "front.svg")
NO_SETTINGS: Final = 1
WORKER: Final = "shaketable.harness.pipeline.choosing.worker"
PAUSES: Final = "pauses"
MOST_HOURS: Final = 100_000.0
MOST_MESSAGES: Final = 10_000.0


def choose(options: argparse.Namespace) -> int:
    """0: there are settings that keep what was asked."""
    question = _question(options)
    given = {name: str(value) for name, value in values_of(options.values).items()}
    preset = options.preset or "default"
    names = searched(preset, given)
    folder = report_folder(options.report, REPORT)
    search = Search(question, preset, ladders(question, preset, given))
    if search.climbs:  # else every policy sends more than is allowed
        with playing(options, WORKER, played) as play:
            try:
                play_all(search, play, partial(_show, search))
            finally:
                progress("")
    found = points(search)
    chosen = best(question, found)
    screen = Screen()
    if options.json:
        for line in in_json(question, search):
            say(sys.stdout, line)
    else:
        in_its_encoding(screen, partial(_tell, question, names, search, found, chosen))
    if folder is not None:
        _report(question, names, search, found, chosen, folder)
    return 0 if chosen is not None else NO_SETTINGS


def play_all(search: Search, play: Play, show: Show) -> None:
    while tasks := search.wave():
        search.take([unpacked(done) for done in play([packed(task) for task in tasks], show)])


def _show(search: Search, done: int, of: int) -> None:
    sure = f"{search.over} of {len(search.climbs)} policies and periods are decided"
    progress(f"{sure}, {sum(each.seen.runs for each in search.all_tried())} runs; now {done} of {of}")


def _tell(
    question: Question, names: Sequence[str], search: Search, found: Sequence[Point], chosen: Point | None,
    console: Console,
) -> None:  # fmt: skip
    for part in rendered(question, names, search, found, chosen):
        console.print(part)
    console.print()
    console.print(Text(LEGEND, "dim"))


def _report(
    question: Question, names: Sequence[str], search: Search, found: Sequence[Point], chosen: Point | None, folder: Path
) -> None:
    write_shared(folder / "answer.txt", kept(partial(_tell, question, names, search, found, chosen)))
    write_shared(folder / "answer.jsonl", "".join(f"{line}\n" for line in in_json(question, search)))
    write_shared(folder / "front.svg", picture(question, names, found))


# What was asked for


def _question(options: argparse.Namespace) -> Question:
    rate = rate_in(options.at_most)
    if options.seeds is not None:
        raise UserError(f"--seeds {options.seeds}: the search takes as many as it needs; give --hours to limit it")
    if options.bytes is not None:
        raise UserError(f"--bytes {options.bytes:g}: a search counts messages; give --messages")
    if options.out is not None:
        raise UserError(f"--out {options.out}: the picture of a search is front.svg in the folder of --report")
    said = USUAL_UNDER if options.members is None else options.members
    if "," in said:
        raise UserError(f"--members {said}: give one size with --at-most; what is good differs by the size")
    (size,) = sizes_in(said)
    under = "none" if options.under is None else options.under
    if "," in under:
        together = AND.join(each.strip() for each in under.split(","))
        raise UserError(f"--under {under}: give one condition with --at-most; all of them at once are {together}")
    refuse_unknown(under, under)
    every = time_in("--pauses-every", EVERY if options.pauses_every is None else options.pauses_every)
    faults = faults_in(under, every)
    if options.pauses_every is not None and PAUSES in parts_of(under):
        raise UserError(
            f"--pauses-every {options.pauses_every}: the sleeps of {PAUSES} come by times of their own; give "
            f"{PAUSES}-SECONDSs with it, such as {PAUSES}-3s"
        )
    if options.pauses_every is not None and not faults.asleep:
        raise UserError(f"--pauses-every {options.pauses_every}: nobody sleeps; give a condition such as pauses-3s")
    if faults.asleep and every < 2 * faults.asleep:
        raise UserError(
            f"--pauses-every {options.pauses_every}: a member would sleep half of its time, or more; give a longer time"
        )
    return Question(
        rate,
        size,
        faults,
        None if options.within is None else time_in("--within", options.within),
        _number("--messages", options.messages, MESSAGES, MOST_MESSAGES),
        _number("--hours", options.hours, HOURS, MOST_HOURS),
        options.seed,
    )


def _number(option: str, given: float | None, usual: float, most: float) -> float:
    number = usual if given is None else given
    if not 0 < number <= most:
        raise UserError(f"{option} {number:g}: give a number above 0, and at most {most:,.0f}")
    return number
