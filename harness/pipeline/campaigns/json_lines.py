"""Files with one JSON object a line, all of one form, that campaigns hand to each other."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

import msgspec

from shaketable.harness.errors import UserError, reason_of
from shaketable.harness.whole_files import write_whole

Form = TypeVar("Form", bound=msgspec.Struct)


def read_lines(file: Path, form: type[Form], *, asked: str = "", otherwise: str) -> list[Form]:
    """UserError begins with what was `asked`, and says `otherwise` of a file that has other lines."""
    try:
        return [msgspec.json.decode(line, type=form) for line in file.read_bytes().splitlines()]
    except OSError as error:
        raise UserError(f"{asked}{file} cannot be read: {reason_of(error)}") from None
    except msgspec.MsgspecError as error:
        raise UserError(f"{asked}{file} {otherwise}: {error}") from None


def write_lines(file: Path, values: Iterable[msgspec.Struct]) -> None:
    write_whole(file, b"".join(msgspec.json.encode(each) + b"\n" for each in values))
