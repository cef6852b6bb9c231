"""Which script is to be run: those there are, what was typed to find one, and in which world and by which seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shaketable.harness.scripting.scripts import Script


@dataclass(slots=True)
class ScriptChoice:
    world: str
    seed: str
    """as it was typed"""
    scripts: Sequence[Script] = ()
    loaded: bool = False
    typed: str = ""
    chosen: str = ""
    """the name of one; "": the first that is left"""
    trouble: str = ""
    _found: tuple[str, Sequence[Script], Sequence[Script]] | None = field(default=None, init=False)

    def found(self) -> Sequence[Script]:
        """Those in whose name, title or file each typed word occurs; by name first. They stay in the order of their
        files."""
        if self._found is None or self._found[0] != self.typed or self._found[1] is not self.scripts:
            words = self.typed.casefold().split()
            left = [script for script in self.scripts if all(word in _text(script) for word in words)]
            self._found = self.typed, self.scripts, left
        return self._found[2]

    def present(self) -> Script | None:
        found = self.found()
        return next((script for script in found if script.name == self.chosen), found[0] if found else None)

    @property
    def is_path(self) -> bool:
        """The typed text names a file, and is no search."""
        name = self.typed.partition("::")[0].strip()
        return "/" in name or name.endswith(".py")


def _text(script: Script) -> str:
    return f"{script.name} {script.name.replace('-', ' ')} {script.title} {Path(script.file).name}".casefold()
