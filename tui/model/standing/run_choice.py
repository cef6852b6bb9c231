"""Which recorded run is to be opened, or what else was saved: what there is, the newest first, and what was typed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from shaketable.harness.runs.recent import RecentRun

RUN: Final = "run"
SCRIPT: Final = "script"
PICTURE: Final = "picture"


@dataclass(frozen=True, slots=True)
class Found:
    kind: str
    path: Path
    changed: float
    run: RecentRun | None = None

    @property
    def target(self) -> str:
        return f"saved:{self.path}"

    @property
    def outcome(self) -> str:
        """ "": it broke off, or goes on."""
        return self.run.info.exit if self.run is not None and self.run.info is not None else ""

    def words(self) -> tuple[str, str, str, str]:
        """Its story, world, seed, and how it ended."""
        if self.run is None:
            return self.path.name, "", "", self.kind
        info = self.run.info
        if info is None:
            return self.path.name, "", "", "damaged"
        return info.script, info.world, str(info.seed), info.exit or "no verdict"


def newest_first(runs: Iterable[RecentRun], saved: Iterable[str]) -> list[Found]:
    """Runs that were saved and have been taken away since are left out."""
    found = [Found(RUN, run.directory, run.changed, run) for run in runs]
    for said in saved:
        path = Path(said)
        try:
            found.append(Found(PICTURE if path.suffix == ".svg" else SCRIPT, path, path.stat().st_mtime))
        except OSError:
            continue
    return sorted(found, key=lambda each: (-each.changed, each.path))


@dataclass(slots=True)
class RunChoice:
    all: Sequence[Found] = ()
    loaded: bool = False
    folder: str = ""
    """whose runs they are; "": those of the present folder, and what was saved"""
    typed: str = ""
    chosen: str = ""
    """the target of one; "": the first that is left"""
    trouble: str = ""
    _found: tuple[str, Sequence[Found], list[Found]] | None = field(default=None, init=False)

    def found(self) -> list[Found]:
        """Those in which each typed word occurs."""
        if self._found is None or self._found[0] != self.typed or self._found[1] is not self.all:
            words = [] if self.is_path else self.typed.casefold().split()
            left = [each for each in self.all if all(word in _text(each) for word in words)]
            self._found = self.typed, self.all, left
        return self._found[2]

    def present(self) -> Found | None:
        found = self.found()
        return next((each for each in found if each.target == self.chosen), found[0] if found else None)

    @property
    def is_path(self) -> bool:
        """The typed text names a folder, and is no search."""
        return "/" in self.typed or self.typed.strip() in (".", "..", "~")


def _text(each: Found) -> str:
    return f"{' '.join(each.words())} {each.path}".casefold()
