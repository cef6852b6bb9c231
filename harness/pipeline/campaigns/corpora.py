"""The corpus of a campaign as a file beside its store: plans that reached something rare, for the next campaign.

Plans are kept, and not what they reached: the next campaign may be of other code, and plays them first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from shaketable.harness.nemesis.plan import Plan
from shaketable.harness.pipeline.campaigns.json_lines import read_lines, write_lines

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
    return read_lines(file, Kept, asked=f"--corpus {where}: ", otherwise="is no corpus")


def write_corpus(folder: Path, kept: Iterable[Kept]) -> None:
    write_lines(folder / FILE, kept)
