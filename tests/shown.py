"""What README.md and the pages of docs/ show: blocks of Python, commands with their output, and commands alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from pathlib import Path
from typing import Final

from tests.where import DOCS, ROOT

LEFT: Final = {"kinds.md", "rulings.md"}
"""These show nothing to type."""
PAGES: Final = [
    "README.md",
    *(str(page.relative_to(ROOT)) for page in sorted(DOCS.glob("*.md")) if page.name not in LEFT),
]
INDENT: Final = "    "
PROMPT: Final = f"{INDENT}$ "
CUT: Final = "..."
"""A line of this stands for any lines."""
BY_THE_CLOCK: Final = re.compile(
    r"\d[\d.]* m?s(?= each| of one core)|(?<=runs in )\d[\d.]* s|(?<= sim 1 )[0-9a-f]{12}$"
)
"""What differs with each run and machine: how long it took, and the digest of a recording, which has a date."""
_FENCED: Final = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
_INLINE: Final = re.compile(r"`(shaketable [^`]+)`")
_COMMAND: Final = re.compile(
    r"(?:^|(?<=\s))(?<!from )shaketable (?=[a-z-])(.*?)(?=\s{2}|\s&&\s|\s[|>;&]\s|$)", re.MULTILINE
)
_FILE: Final = re.compile(r"`(\w+\.py)`")


@dataclass(frozen=True)
class Block:
    text: str
    file: str
    """the name that the page gives it just before or after it, if it does"""


@dataclass(frozen=True)
class Transcript:
    command: str
    shown: tuple[str, ...]
    at: int
    """the line of its command"""
    to: int
    """the line after its output"""


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(text: str) -> Iterator[Block]:
    for block in _FENCED.finditer(text):
        if block[1] == "python":
            before, after = text[: block.start()].rstrip(), text[block.end() :].lstrip()
            names = _FILE.findall(before.rpartition("\n\n")[2]) + _FILE.findall(after.partition("\n\n")[0])
            yield Block(block[2], names[0] if names else "")


def transcripts(text: str) -> Iterator[Transcript]:
    """Each command that has output below it, until the next command, or until something is not indented."""
    lines = [*text.splitlines(), "the end"]
    number = 0
    while number < len(lines):
        at = number
        number += 1
        if not lines[at].startswith(PROMPT):
            continue
        while lines[number - 1].endswith("\\"):
            number += 1
        command = " ".join(line.strip().removesuffix("\\").strip() for line in lines[at:number])
        first = number
        while not lines[number] or (lines[number].startswith(INDENT) and not lines[number].startswith(PROMPT)):
            number += 1
        while not lines[number - 1]:
            number -= 1
        if number > first:
            shown = tuple(line.removeprefix(INDENT) for line in lines[first:number])
            yield Transcript(command.removeprefix("$ "), shown, at, number)


def commands(text: str) -> list[str]:
    """What stands after each `shaketable` that is to be typed, in a block or in a line, without what is beside it."""
    whole = re.sub(r"\s*\\\n\s*", " ", text)
    indented = "\n".join(line for line in whole.splitlines() if line.startswith(INDENT))
    shown = [*(block[2] for block in _FENCED.finditer(whole) if block[1] != "python"), indented]
    inline = [" ".join(words.split()) for words in _INLINE.findall(_FENCED.sub("", whole))]
    return [found[1].strip() for each in (*shown, *inline) for found in _COMMAND.finditer(each)]


def as_shown(shown: Sequence[str], told: Sequence[str]) -> list[str]:
    """What was told, cut where the page cuts it; the clock's numbers stay as the page has them."""
    parts = [tuple(part) for cut, part in groupby(shown, key=_cuts) if not cut]
    cuts = [line for line in shown if _cuts(line)]
    if not cuts:
        return _with_old_times(shown, told)
    made: list[str] = []
    begin, end = 0, len(told)
    if _cuts(shown[0]):
        made.append(cuts.pop(0))
    for number, part in enumerate(parts):
        if number == 0 and not _cuts(shown[0]):
            place = begin
        elif number == len(parts) - 1 and not _cuts(shown[-1]):
            place = max(begin, end - len(part))
        else:
            place = max(range(begin, max(begin, end - len(part)) + 1), key=lambda at: _alike(part, told[at:]))
        begin = place + len(part)
        made += _with_old_times(part, told[place:begin])
        made += [cuts.pop(0)] if cuts else []
    return made


def with_output(text: str, outputs: Sequence[tuple[Transcript, Sequence[str]]]) -> str:
    """The page, with this output below these commands."""
    lines = text.splitlines()
    for transcript, told in reversed(outputs):
        new = as_shown(transcript.shown, told)
        lines[transcript.to - len(transcript.shown) : transcript.to] = [f"{INDENT}{line}".rstrip() for line in new]
    return "\n".join(lines) + "\n"


def write_files(text: str, folder: Path) -> None:
    """The scripts of a page, under the names that it gives them."""
    for block in blocks(text):
        if block.file:
            (folder / block.file).write_text(block.text, encoding="utf-8")


def _cuts(line: str) -> bool:
    return line.strip() == CUT


def _with_old_times(old: Sequence[str], new: Sequence[str]) -> list[str]:
    known = {BY_THE_CLOCK.sub("", line): line for line in old}
    return [known.get(BY_THE_CLOCK.sub("", line), line) for line in new]


def _alike(part: Sequence[str], told: Sequence[str]) -> float:
    def plain(lines: Sequence[str]) -> str:
        return BY_THE_CLOCK.sub("", "\n".join(lines[: len(part)]))

    return SequenceMatcher(None, plain(part), plain(told), autojunk=False).ratio()
