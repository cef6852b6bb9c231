"""A recorded run as a task of `ingest` reads it: its row and its events, or one sentence why not."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from shaketable.harness.coverage import marks_of
from shaketable.harness.errors import UserError, shortened
from shaketable.harness.history.history import History
from shaketable.harness.pipeline.stores.run_rows import row_of, unjudged
from shaketable.harness.records import Record
from shaketable.harness.runs.directory import RUN, RecordedRun, bytes_of, event_files, read_run, unreadable
from shaketable.harness.verdicts.rows import KEPT_ASKED, KEPT_FAILED, RunRow
from shaketable.harness.verdicts.verdict import PASSED, RunVerdict, ScriptSubject, again, judge_history, named
from shaketable.node.config import SettingError, Settings, read_settings

CHUNK = 1 << 20


def folders_of_runs(given: Sequence[str]) -> list[Path]:
    """Each once, however it was named."""
    found: dict[Path, None] = {}
    for name in given:
        top = Path(name)
        if not top.exists():
            raise UserError(f"there is no folder {name}")
        below = [top] if (top / RUN).is_file() else sorted(path.parent for path in top.rglob(RUN))
        if not below:
            raise UserError(f"{name} holds no recorded run: none of its folders has a {RUN}")
        found.update((folder.resolve(), None) for folder in below)
    return list(found)


def name_of(folder: Path) -> str:
    """Of its run, in a store: the same for a copy of it, and another one for another run of the same script and seed.
    The rest is said where it is read whole."""
    try:
        data = bytes_of(folder / RUN)
    except OSError as error:
        raise unreadable(folder, error) from None
    try:
        told = msgspec.json.decode(data, type=_Named)
        name = f"{told.script} {told.world} {told.seed} "
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        name = ""
    return f"{name}{hashlib.sha256(data).hexdigest()[:12]}"


class _Named(msgspec.Struct):
    script: str
    world: str
    seed: int


def read_whole(run: str, folder: Path, most_events: int) -> tuple[RunRow, Sequence[Record]]:
    events = _lines_in(folder)
    if events > most_events:
        raise UserError(
            f"{folder} holds {events} events, and one task takes {most_events}: give a larger --most-events"
        )
    recorded = read_run(folder)
    settings = _settings_of(recorded)
    history = History(recorded.records)
    verdict = _verdict_of(recorded, settings, history)
    row = row_of(
        verdict,
        run=run,
        family=settings.family,
        settings=recorded.info.settings,
        allowance=recorded.info.allowance,
        marks=marks_of(history),
        kept=KEPT_ASKED if verdict.outcome == PASSED else KEPT_FAILED,
    )
    row = msgspec.structs.replace(
        row,
        events=len(recorded.records),
        history_hash=history.hash,
        trouble="; ".join(recorded.notes),
        lost="; ".join(recorded.lost),
        wall_began=recorded.info.began,
    )
    if verdict is recorded.verdict and "shaketable" in recorded.info.versions:
        row = msgspec.structs.replace(row, shaketable=recorded.info.versions["shaketable"])
    return (unjudged(row, row.lost) if row.lost else row), recorded.records


def _lines_in(folder: Path) -> int:
    lines = 0
    try:
        for path in event_files(folder):
            with path.open("rb") as file:
                while chunk := file.read(CHUNK):
                    lines += chunk.count(b"\n")
    except OSError as error:
        raise unreadable(folder, error) from None
    return lines


def _settings_of(recorded: RecordedRun) -> Settings:
    try:
        return read_settings(recorded.info.preset, recorded.info.settings)
    except SettingError as error:
        raise UserError(f"{recorded.directory / RUN}: {shortened(error)}") from None


def _verdict_of(recorded: RecordedRun, settings: Settings, history: History) -> RunVerdict:
    """The one that was made when it ran, if what it judged is what is here; else one of now."""
    verdict = recorded.verdict
    if verdict is not None and verdict.history_hash == history.hash:
        return verdict
    if verdict is None:
        recorded.notes.append("it has no verdict of its own: judged when it was ingested")
    elif (judged := verdict.counts.get("events", 0)) > len(history.records):
        missing = f"{len(history.records)} of the {judged} events that its verdict is of"
        recorded.tell_lost(f"{recorded.directory} holds {missing}: the others are lost")
    else:
        recorded.notes.append("its verdict is of other events than are here: judged anew when it was ingested")
    info = recorded.info
    subject = ScriptSubject(info.script, info.title, info.file, info.about, info.expects_violation, info.broken_too)
    verdict = judge_history(history, subject, settings, info.allowance)
    # The history may have lost its beginning, which says these.
    system = info.system or history.system
    return msgspec.structs.replace(
        verdict,
        world=info.world,
        fabric=info.fabric,
        seed=info.seed,
        preset=info.preset,
        again=again(subject, info.world, info.seed, info.preset, system),
        other=named(system),
    )
