"""A run on disk: run.json, events/ with append-only lines, verdict.json (docs/architecture.md, "A history").

Every line is handed to the system as it comes, so a crash of the harness loses at most the line being written. A disk
that is full or may not be written ends the recording, not the run: the verdict is made from what is in memory."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from stat import S_ISREG
from typing import Final
from urllib.parse import quote

import msgspec

from shaketable.harness.checks.result import STATUSES
from shaketable.harness.errors import UserError, of_another_schema, reason_of, shortened
from shaketable.harness.history import codec
from shaketable.harness.records import Record, UnderTest
from shaketable.harness.verdicts.verdict import EXIT_CODES, RunVerdict
from shaketable.harness.whole_files import make_private, private, write_all, write_json

RECORDINGS: Final = Path("runs")
"""where runs are recorded that no `--report` was given for"""
RUN: Final = "run.json"
EVENTS: Final = "events"
VERDICT: Final = "verdict.json"
OF_HARNESS: Final = "harness"
MOST_NAMED: Final = 3
"""of the runs of a folder that holds several"""


class RunInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a run before it begins; `exit` is how it ended, and stays empty where it broke off."""

    schema: int = codec.SCHEMA
    script: str
    title: str = ""
    file: str = ""
    seed: int
    world: str
    fabric: str = ""
    preset: str
    settings: dict[str, str | int | float | bool]
    versions: dict[str, str] = msgspec.field(default_factory=dict)
    began: str = ""
    """real time, for people"""
    allowance: int = 0
    about: tuple[str, ...] = ()
    expects_violation: str | None = None
    broken_too: tuple[str, ...] = ()
    exit: str = ""
    system: UnderTest | msgspec.UnsetType = msgspec.UNSET
    """one that is not ours"""


class RunWriter:
    """Writes one run. The caller must `finish` it. Then it reads `trouble`, or `finish` raises it."""

    def __init__(self, directory: Path, info: RunInfo) -> None:
        self.directory = directory
        self.trouble: UserError | None = None
        self._info = info
        self._files: dict[str, FileIO] = {}
        self._events = (directory / EVENTS).absolute()
        """wherever the script goes"""
        try:
            if (directory / RUN).exists():
                raise UserError(f"{directory} holds a run already: give another directory, or take that one away")
            for folder in (directory, directory / EVENTS):
                make_private(folder)
            write_json(directory / RUN, info, indent=1)
        except OSError as error:
            raise _refused(directory, error) from None

    def append(self, record: Record) -> None:
        """Never raises: a run that cannot be recorded any more goes on to its verdict."""
        if self.trouble is not None:
            return
        try:
            file = self._files.get(record.node)
            if file is None:
                name = f"{quote(record.node, safe='') or OF_HARNESS}.jsonl"
                path = self._events / name
                file = self._files[record.node] = FileIO(path, "ab", opener=private)
            write_all(file, codec.to_line(record))
        except OSError as error:
            self.trouble = _refused(self.directory, error)
            self._close()

    def extend(self, records: Iterable[Record]) -> None:
        """A run that is over already: each file in one go."""
        by_node: dict[str, list[Record]] = {}
        for record in records:
            by_node.setdefault(record.node, []).append(record)
        for node, own in by_node.items():
            self.append(own[0])
            try:
                if self.trouble is None:
                    write_all(self._files[node], codec.to_lines(own[1:]))
            except OSError as error:
                self.trouble = _refused(self.directory, error)

    def finish(self, verdict: RunVerdict | None, exit_: str = "") -> None:
        """Writes the verdict and how the run ended. Only then a trouble is raised: show the verdict first."""
        self._close()
        try:
            if verdict is not None:
                write_json(self.directory / VERDICT, verdict, indent=1)
            ended = exit_ or (verdict.outcome if verdict is not None else "")
            write_json(self.directory / RUN, msgspec.structs.replace(self._info, exit=ended), indent=1)
        except OSError as error:
            self.trouble = self.trouble or _refused(self.directory, error)
        if self.trouble is not None:
            raise self.trouble

    def _close(self) -> None:
        for file in self._files.values():
            file.close()
        self._files.clear()


@dataclass(slots=True)
class RecordedRun:
    """A run as it was read; it may have broken off anywhere."""

    directory: Path
    info: RunInfo
    records: Sequence[Record]
    verdict: RunVerdict | None
    notes: list[str] = field(default_factory=list)
    """what was incomplete, each in one sentence"""
    lost: list[str] = field(default_factory=list)
    """those of the notes that tell of events that are missing"""

    def tell_lost(self, sentence: str) -> None:
        self.notes.append(sentence)
        self.lost.append(sentence)


def read_run(directory: Path) -> RecordedRun:
    run = read_around(directory)
    records: list[Record] = []
    try:
        with _collecting_no_garbage():
            for path in event_files(directory):
                records += _read_lines(path, run)
    except OSError as error:
        raise unreadable(directory, error) from None
    run.records = sorted(records, key=lambda record: record[:4])
    return run


def run_in(folder: Path) -> Path:
    """The run that is recorded there: the folder is its own, or a report's with just one."""
    if (folder / RUN).exists() or not folder.is_dir():
        return folder
    found = sorted(path.parent for pattern in (f"*/{RUN}", f"runs/*/{RUN}") for path in folder.glob(pattern))
    if len(found) > 1:
        named = ", ".join(map(str, found[:MOST_NAMED])) + (" …" if len(found) > MOST_NAMED else "")
        raise UserError(f"{folder} holds {len(found)} runs, give one of them: {named}")
    return found[0] if found else folder


def event_files(directory: Path) -> list[Path]:
    paths = sorted((directory / EVENTS).glob("*.jsonl"))
    for path in paths:
        refuse_what_is_no_file(path)
    return paths


def read_around(directory: Path) -> RecordedRun:
    """All but its records."""
    info = read_info(directory)
    run = RecordedRun(directory, info, [], None)
    try:
        if not any(path.stat().st_size for path in event_files(directory)):
            because = "they are lost" if info.exit else "the run broke off before the first of them"
            run.notes.append(f"{directory} holds no events: {because}")
        if (directory / VERDICT).exists():
            run.verdict = _known(msgspec.json.decode(bytes_of(directory / VERDICT), type=RunVerdict))
    except OSError as error:
        raise unreadable(directory, error) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        run.notes.append(f"{directory / VERDICT} cannot be read ({shortened(error)}); the events can")
    return run


def unreadable(directory: Path, error: OSError) -> UserError:
    return UserError(f"{error.filename or directory} cannot be read: {reason_of(error)}")


def _known(verdict: RunVerdict) -> RunVerdict:
    """Its words are those that reports have a sign for."""
    outcomes = {verdict.outcome, *(reason.outcome for reason in verdict.reasons)}
    statuses = {result.status for result in verdict.checks}
    for word in sorted((outcomes - EXIT_CODES.keys()) | (statuses - STATUSES)):
        raise msgspec.ValidationError(f"{word!r} is no outcome")
    return verdict


def refuse_what_is_no_file(path: Path) -> None:
    """A pipe would be waited for, and a device may have no end."""
    if not S_ISREG(path.stat().st_mode):
        raise UserError(f"{path} is no file: a recorded run has files alone")


def read_info(directory: Path) -> RunInfo:
    path = directory / RUN
    if not directory.is_dir():
        raise UserError(f"{directory} is no folder: give that of a recorded run, as in runs/")
    try:
        data = bytes_of(path)
        schema = msgspec.json.decode(data, type=_Schema).schema
        if schema != codec.SCHEMA:
            raise of_another_schema(path, schema, codec.SCHEMA)
        return msgspec.json.decode(data, type=RunInfo)
    except FileNotFoundError:
        raise UserError(f"{directory} is no recorded run: it has no {RUN}") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {reason_of(error)}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{path} is no description of a recorded run: {shortened(error)}") from None


def bytes_of(path: Path) -> bytes:
    """Only a file is read: to read a pipe is to wait for ever."""
    refuse_what_is_no_file(path)
    return path.read_bytes()


class _Schema(msgspec.Struct):
    schema: int


def _read_lines(path: Path, run: RecordedRun) -> list[Record]:
    lines = bytes_of(path).split(b"\n")
    records: list[Record] = []
    for number, line in enumerate(lines, 1):
        unfinished = number == len(lines)
        if unfinished and not line:
            break
        try:
            records.append(codec.from_line(line))
        except codec.CodecError as error:
            if not unfinished:
                raise UserError(f"{path} line {number}: {shortened(error)}") from None
            run.tell_lost(f"{path} ends within line {number}: that event is lost")
    return records


@contextmanager
def _collecting_no_garbage() -> Iterator[None]:
    """Reading makes nothing but what is kept: to look for garbage among it takes as long again as to read it."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _refused(directory: Path, error: OSError) -> UserError:
    where = error.filename or directory
    return UserError(f"the run cannot be recorded, {where}: {reason_of(error)}; make room, or give another directory")
