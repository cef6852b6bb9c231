"""The corpus of a campaign as a file beside its store: plans that reached something rare, for the next campaign.

Plans are kept, and not what they reached: the next campaign may be of other code, and plays them first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from shaketable.harness.errors import UserError, reason_of
from shaketable.harness.nemesis.plan import Plan
from shaketable.harness.whole_files import write_whole

FILE: Final = "corpus.jsonl"
RARE: Final = 10
"""of a hundred runs of plans: what no more reached is rare"""
MOST: Final = 1_000
"""plans"""


class Kept(msgspec.Struct, frozen=True, omit_defaults=True):
    """A plan, under which script and variant it was played, and the rarest mark that it reached."""

    script: str
    plan: Plan
    variant: str = ""
    mark: str = ""


def read_corpus(where: Path) -> Sequence[Kept]:
    """`where`: the file, or the folder of a campaign."""
    file = where / FILE if where.is_dir() else where
    try:
        lines = file.read_bytes().splitlines()
        return [msgspec.json.decode(line, type=Kept) for line in lines]
    except OSError as error:
        raise UserError(f"--corpus {where}: {file} cannot be read: {reason_of(error)}") from None
    except msgspec.MsgspecError as error:
        raise UserError(f"--corpus {where}: {file} is no corpus: {error}") from None


def write_corpus(folder: Path, kept: Iterable[Kept]) -> None:
    write_whole(folder / FILE, b"".join(msgspec.json.encode(each) + b"\n" for each in kept))
