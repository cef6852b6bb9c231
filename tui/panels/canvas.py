"""A row of a drawing: cells that are painted over each other, and become spans."""

from __future__ import annotations

from dataclasses import dataclass, field

from shaketable.tui.text import Line, Span

BLANK = " "
LINES = "─═╌┈░▒▓▂▃"
"""what may be broken by the line of the cursor"""


@dataclass(slots=True)
class CanvasRow:
    width: int
    target: str = ""
    """of each cell that nobody gave another one; it may end with "@", see `Panel.target_at`"""
    chars: list[str] = field(init=False)
    roles: list[str] = field(init=False)
    targets: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.chars = [BLANK] * self.width
        self.roles = ["plain"] * self.width

    def copy(self) -> CanvasRow:
        """It and this one no longer change each other."""
        other = CanvasRow(self.width, self.target)
        other.chars, other.roles, other.targets = self.chars.copy(), self.roles.copy(), self.targets.copy()
        return other

    def fill(self, start: int, stop: int, char: str, role: str) -> None:
        start, stop = max(0, start), min(stop, self.width)
        if stop > start:
            self.chars[start:stop] = [char] * (stop - start)
            self.roles[start:stop] = [role] * (stop - start)

    def put(self, at: int, text: str, role: str, target: str = "", *, until: int | None = None) -> int:
        """From this cell on, as far as there is room: cut off with an ellipsis. Where it ends."""
        room = min(self.width, self.width if until is None else until) - at
        if at < 0 or room <= 0:
            return at
        if len(text) > room:
            text = text[: room - 1] + "…" if room > 1 else text[:room]
        self.chars[at : at + len(text)] = text
        self.roles[at : at + len(text)] = [role] * len(text)
        if target:
            for place in range(at, at + len(text)):
                self.targets[place] = target
        return at + len(text)

    def is_free(self, start: int, stop: int) -> bool:
        return start >= 0 and stop <= self.width and all(char == BLANK for char in self.chars[start:stop])

    def cursor(self, at: int | None) -> None:
        """A vertical line through all rows: before it what has happened, at it and after it what is to come. Signs that
        are drawn there stay."""
        if at is not None and 0 <= at < self.width:
            beside = self.chars[max(0, at - 1)] + self.chars[min(self.width - 1, at + 1)]
            if self.chars[at] in LINES or (self.chars[at] == BLANK and not beside.isalnum()):
                self.chars[at], self.roles[at] = "│", "key"

    def spans(self) -> Line:
        """As few as there can be. The target of a span without one of its own starts at the span's first cell."""
        spans: list[Span] = []
        chars, roles, targets = self.chars, self.roles, self.targets
        at = 0
        while at < self.width:
            role, target = roles[at], targets.get(at, "")
            end = at + 1
            while end < self.width and roles[end] == role and targets.get(end, "") == target:
                end += 1
            spans.append(Span("".join(chars[at:end]), role, target or self._own(at)))
            at = end
        return tuple(spans)

    def _own(self, at: int) -> str:
        return self.target.replace("#", str(at)) if self.target else ""
