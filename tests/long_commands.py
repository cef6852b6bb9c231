"""What `make mutants` and `make soon` share: findings are kept line by line, and a user's trouble is one sentence."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console

from shaketable.harness.errors import UserError, cannot_be_written

INTERRUPTED = "interrupted: what was found so far is kept"


def kept_lines(file: Path) -> list[bytes]:
    """Of a process that was killed while it wrote, the last line may be torn: it is taken out."""
    if not file.exists():
        return []
    text = file.read_bytes()
    whole = text[: text.rfind(b"\n") + 1]
    if whole != text:
        file.write_bytes(whole)
    return whole.splitlines()


def refuse_below_one(**numbers: int) -> None:
    """Of options with these names."""
    for name, number in numbers.items():
        if number < 1:
            raise UserError(f"--{name} is at least 1, not {number}.")


def folder_for(findings: Path) -> Path:
    try:
        findings.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_be_written(findings, error, "give another folder with --out") from None
    return findings


def ended(main: Callable[[Sequence[str]], int]) -> int:
    """Its exit code, with the arguments of this process."""
    try:
        return main(sys.argv[1:])
    except UserError as error:
        told = str(error)
    except KeyboardInterrupt:
        told = INTERRUPTED
    Console(stderr=True, highlight=False, markup=False).print(told, soft_wrap=True)
    return 2
