"""The terminal that the commands write to."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text


class Screen(Console):
    def __init__(self) -> None:
        super().__init__(highlight=False)

    def say(self, line: str, style: str = "") -> None:
        """As it is: no word of it is markup, and the terminal breaks it, so that a command in it can be copied."""
        self.print(Text(line, style), soft_wrap=True)

    def on_broken_pipe(self) -> None:
        """Whoever read our output has gone: the command ends and says no more."""
        self.quiet = True
        raise BrokenPipeError
