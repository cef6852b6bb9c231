"""As much of a terminal as a test needs to read a screen: the characters, and where they stand. Colours are let by."""

from __future__ import annotations

import codecs
import re
from typing import Final

_TOKEN: Final = re.compile(
    r"\x1b\[(?P<values>[0-9;:<=>?]*)[ -/]*(?P<does>[@-~])"
    r"|\x1b[P\]X^_].*?(?:\x07|\x1b\\)"  # titles, clipboard, questions
    r"|\x1b[ -/]*[0-Z\\^-~]"
    r"|[\r\n\b]|[^\x00-\x1f]+|[\x00-\x1a\x1c-\x1f]",
    re.DOTALL,
)


class Emulator:
    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._cells = [[" "] * width for _ in range(height)]
        self._x = self._y = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._rest = ""
        """the beginning of a sequence whose end has not come yet"""

    @property
    def rows(self) -> list[str]:
        return ["".join(row).rstrip() for row in self._cells]

    @property
    def text(self) -> str:
        return "\n".join(self.rows)

    def feed(self, data: bytes) -> None:
        text = self._rest + self._decoder.decode(data)
        at = 0
        while at < len(text) and (token := _TOKEN.match(text, at)):
            at = token.end()
            if token["does"]:
                self._move(token["values"], token["does"])
            else:
                self._write(token[0])
        self._rest = text[at:]

    def _write(self, said: str) -> None:
        if said == "\r":
            self._x = 0
        elif said == "\n":
            self._y = min(self._y + 1, self.height - 1)
        elif said == "\b":
            self._x = max(0, self._x - 1)
        elif said >= " ":
            for character in said:
                if self._x < self.width:
                    self._cells[self._y][self._x] = character
                    self._x += 1

    def _move(self, values: str, does: str) -> None:
        if values[:1] in ("?", "<", "=", ">"):
            return  # modes
        first, *others = [int(value) if value.isdigit() else 0 for value in values.split(";")]
        by = max(1, first)
        if does in "Hf":
            self._y = min(by, self.height) - 1
            self._x = min(max(1, others[0] if others else 1), self.width) - 1
        elif does in "AB":
            self._y = max(0, min(self._y + (by if does == "B" else -by), self.height - 1))
        elif does in "CD":
            self._x = max(0, min(self._x + (by if does == "C" else -by), self.width - 1))
        elif does == "G":
            self._x = min(by, self.width) - 1
        elif does == "K":
            self._cells[self._y][self._x :] = [" "] * (self.width - self._x)
        elif does == "J" and first == 2:
            self._cells = [[" "] * self.width for _ in range(self.height)]
