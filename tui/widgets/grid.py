"""A panel with several targets in a line: up and down, and left and right with shift, go from cell to cell, and choose.

Left and right alone belong to time."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from textual.binding import Binding, BindingType

from shaketable.tui.widgets.panel import Draw, Panel, Told


class Cell(NamedTuple):
    start: int
    stop: int
    target: str


class Grid(Panel):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("shift+up", "row(-1)", "up", show=False),
        Binding("shift+down", "row(1)", "down", show=False),
        Binding("shift+left,h", "column(-1)", "left", show=False, id="left"),
        Binding("shift+right,l", "column(1)", "right", show=False, id="right"),
    ]

    def __init__(self, draw: Draw, title: str | Told, *, id: str, kind: str, fixed: int, current: Told) -> None:  # noqa: A002
        """`kind`: of the targets that are cells, "link:"; others in a line are only for the mouse."""
        super().__init__(draw, title, id=id, fixed=fixed, current=current)
        self._kind = kind

    async def action_row(self, by: int) -> None:
        lines = self._cells()
        if not lines:
            await super().action_row(by)
            return
        numbers, here = sorted(lines), self._place(lines)
        if here is None:
            await self._go(numbers[0], lines[numbers[0]][0])
            return
        number, at = here
        goal = numbers[max(0, min(numbers.index(number) + by, len(numbers) - 1))]
        # Where there is no cell in that column the next line may have one: the diagonal of a matrix.
        further = [n for n in numbers if (n >= goal if by > 0 else n <= goal)]
        for candidate in further if by > 0 else reversed(further):
            below = [cell for cell in lines[candidate] if cell.start < at.stop and at.start < cell.stop]
            if below:
                await self._go(candidate, below[0])
                return

    async def action_column(self, by: int) -> None:
        lines = self._cells()
        here = self._place(lines)
        if here is None:
            await self.action_row(by)
            return
        number, at = here
        cells = lines[number]
        place = cells.index(at) + by
        if 0 <= place < len(cells):
            await self._go(number, cells[place])
        elif number + by in lines:
            await self._go(number + by, lines[number + by][0 if by > 0 else -1])

    async def action_choose(self) -> None:
        """Where nothing is chosen yet, the first cell."""
        if here := self.here():
            self._choose(here, again=True)
        elif self._cells():
            await self.action_row(1)

    def texts(self) -> dict[str, str]:
        """Of a cell what it is called, and what stands in it."""
        found = {}
        for number, cells in self._cells().items():
            for cell in cells:
                said = "".join(span.text for span in self._lines[number] if span.target == cell.target)
                found[cell.target] = f"{cell.target.removeprefix(self._kind)} {said}\n"
        return found or super().texts()

    def reveal(self, target: str) -> None:
        for number, cells in self._cells().items():
            if any(cell.target == target for cell in cells):
                self._reveal(number)

    async def _go(self, number: int, cell: Cell) -> None:
        self._reveal(number)
        self._picked = cell.target
        await self.run_action(f"app.choose({cell.target!r})")

    def _place(self, lines: dict[int, list[Cell]]) -> tuple[int, Cell] | None:
        here = self.here()
        return next(((n, cell) for n, cells in lines.items() for cell in cells if cell.target == here), None)

    def _cells(self) -> dict[int, list[Cell]]:
        """By the line's number, those that can be chosen."""
        found: dict[int, list[Cell]] = {}
        for number in range(self._fixed, len(self._lines)):
            column = 0
            for span in self._lines[number]:
                wide = len(span.text) if span.text.isascii() else cell_len(span.text)
                if span.target.startswith(self._kind):
                    cells = found.setdefault(number, [])
                    if cells and cells[-1].target == span.target:
                        cells[-1] = cells[-1]._replace(stop=column + wide)  # a cell of several spans
                    else:
                        cells.append(Cell(column, column + wide, span.target))
                column += wide
        return found
