"""What a user did wrong, or what their machine lacks: one sentence that says what is wrong and what to do.

The console command prints it and exits with 2; nothing else is ever shown without a traceback."""

from __future__ import annotations

import tempfile
import traceback
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Final

LONGEST_QUOTE: Final = 300


class UserError(Exception):
    """One sentence for the user; the command ends with exit code 2."""


class SystemRefused(UserError):
    """A system under test cannot be had as it was asked for, or its package is wrong."""

    def __init__(self, asked: str, why: str) -> None:
        super().__init__(asked, why)
        self.asked, self.why = asked, why

    def __str__(self) -> str:
        return f"--system {self.asked}: {self.why}"


def reason_of(error: OSError) -> str:
    """In the system's words, as the end of a sentence."""
    return (error.strerror or str(error)).lower()


def shortened(said: object) -> str:
    """A text from elsewhere may be as long as it likes; a sentence about it is not."""
    text = str(said)
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]} …"


def sentence_of(error: UserError | OSError) -> str:
    if isinstance(error, UserError):
        return str(error)
    return f"{error.filename}: {reason_of(error)}" if error.filename else reason_of(error)


def cannot_be_written(place: Path, error: OSError, instead: str) -> UserError:
    """`instead`: what the user can do."""
    return UserError(f"{place} cannot be written: {reason_of(error)}; {instead}")


class ScriptError(UserError):
    """A mistake in a chaos script, in one sentence. The file and line are those that the error came through, unless
    another `place` is known."""

    def __init__(self, sentence: str, place: str | None = None) -> None:
        super().__init__(sentence)
        self.place = place


def fault_of_ours(error: BaseException) -> str:
    """What nobody foresaw, in one sentence: what it is, and the file that says where it happened."""
    if isinstance(error, MemoryError):
        return "there is not enough memory: give it more, or less to do at a time"
    said = " ".join(f"{type(error).__name__}: {error}".split())
    try:
        with tempfile.NamedTemporaryFile("w", prefix="shaketable-fault-", suffix=".txt", delete=False) as file:
            traceback.print_exception(error, file=file)
            told = f"with {file.name}"
    except OSError:
        told = "with this sentence"
    return f"this is a fault of shaketable itself ({said}): please report it {told} where you got shaketable from"


def did_you_mean(said: str, names: Iterable[str], most: int = 1) -> str:
    """The end of a sentence that says that there is no such name; empty, if none is like it."""
    close = get_close_matches(said, list(names), most)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def of_another_schema(place: object, has: int, reads: int) -> UserError:
    instead = "take a newer one" if has > reads else "run it again, or read it with the shaketable that wrote it"
    return UserError(f"{place} is of schema {has}, and this shaketable reads schema {reads}: {instead}")
