"""The terminal that the commands write to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from textwrap import fill
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.segment import Segment
from rich.text import Text

from shaketable.harness.visible import visible


class Screen(Console):
    def __init__(self, **given: Any) -> None:
        super().__init__(highlight=False, **given)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """All that is printed comes this way: no text of it is an order to the terminal."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=visible(segment.text))

    def say(self, line: str, style: str = "") -> None:
        """As it is: no word of it is markup, and the terminal breaks it, so that a command in it can be copied."""
        self.print(Text(line, style), soft_wrap=True)

    def say_between_words(self, line: str, style: str = "", *, indent: int = 2, styled: int | None = None) -> None:
        """Broken between words, never within one, so that a name in it can be copied. The next lines begin further in;
        `styled`: so many letters only."""
        told = fill(line, self.width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
        text = Text(told)
        text.stylize(style, 0, styled)
        self.print(text, soft_wrap=True)

    def on_broken_pipe(self) -> None:
        """The reader of our output has gone. The command ends and says no more."""
        self.quiet = True
        raise BrokenPipeError


@dataclass(frozen=True, slots=True)
class Trimmed:
    """Without the blanks with which rich fills a line up."""

    inner: RenderableType

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in console.render_lines(self.inner, options, pad=False):
            while line and not line[-1].text.strip():
                line.pop()
            if line:
                line[-1] = Segment(line[-1].text.rstrip(), line[-1].style)
            yield from line
            yield Segment.line()


def indented(inner: RenderableType, by: int) -> Trimmed:
    return Trimmed(Padding(inner, (0, 0, 0, by), expand=False))
