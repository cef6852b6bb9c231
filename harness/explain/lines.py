"""Questions on standard input, one JSON object a line, and answers, a line each: each as soon as it is there."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TextIO, TypeVar

import msgspec

from shaketable.harness.errors import UserError
from shaketable.harness.explain.names import shown

LONGEST_LINE: Final = 16 * 2**20
"""bytes"""
_BOM: Final = b"\xef\xbb\xbf"

Asked = TypeVar("Asked")


def lines_of_input(command: str, alternative: str) -> Iterator[bytes | None]:
    """Each line; None for one that is too long. `alternative` is what else the command could be given."""
    if sys.stdin is None or sys.stdin.isatty():
        raise UserError(f"give {alternative}, or questions on standard input, a JSON object a line; see {command}")
    stream, first = sys.stdin.buffer, True
    while line := stream.readline(LONGEST_LINE + 1):
        if len(line) > LONGEST_LINE:
            while line and not line.endswith(b"\n"):
                line = stream.readline(LONGEST_LINE)
            yield None
        else:
            yield line.removeprefix(_BOM) if first else line
        first = False
    if first:
        raise UserError(f"standard input is empty: a question is a JSON object in one line; see {command}")


def answer_lines(
    questions: Iterable[bytes | None],
    form: type[Asked],
    example: str,
    answer: Callable[[Asked, int], None],
    *,
    in_json: bool,
) -> int:
    """Each line in its place, a wrong one by its one sentence. The exit code: 2 if there was a wrong one."""
    code = 0
    for number, line in enumerate(questions, 1):
        try:
            answer(decoded(line, form, example), number)
        except UserError as error:
            code = 2
            if in_json:
                say(sys.stdout, json.dumps({"error": str(error)}))
            else:
                say(sys.stderr, f"shaketable: line {number}: {error}")
    return code


def say(stream: TextIO | None, line: str) -> None:
    """At once: whoever asked may wait for it before the next question. No stream: it was closed before we began."""
    if stream is not None:
        stream.write(f"{line}\n")
        stream.flush()


def decoded(line: bytes | None, form: type[Asked], example: str) -> Asked:
    """Strictly: what the form does not know is refused, in a sentence that shows how it should look."""
    if line is None:
        raise UserError(f"the line is longer than {LONGEST_LINE:,} bytes: no question is that long")
    if not line.strip():
        raise UserError(f"the line is empty: a question is {example}")
    try:
        return msgspec.json.decode(line, type=form)
    except UnicodeDecodeError:
        raise UserError("the line is not UTF-8: save it in that encoding") from None
    except msgspec.ValidationError as error:
        raise UserError(f"{_complaint(error)}: a question is {example}") from None
    except msgspec.DecodeError as error:
        raise UserError(f"the line is not JSON ({error}): a question is {example}") from None


def _complaint(error: msgspec.ValidationError) -> str:
    """msgspec's, as the beginning of a sentence: in `broken[0]` expected `array` of length 2."""
    what, _, where = str(error).partition(" - at `$")
    what = shown(what[0].lower() + what[1:])
    return f"in `{where.lstrip('.')} {what}" if where else what
