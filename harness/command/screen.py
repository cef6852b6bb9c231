"""The terminal that the commands write to."""

from __future__ import annotations

from rich.console import Console


class Screen(Console):
    def __init__(self) -> None:
        super().__init__(highlight=False)

    def on_broken_pipe(self) -> None:
        """Whoever read our output has gone: the command ends and says no more."""
        self.quiet = True
        raise BrokenPipeError
