"""A command in a pseudo-terminal of its own, whose screen a test reads and whose keys it presses."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.harness.command.command_helpers import environment
from tests.tui.engine.real.watched import Watched
from tests.tui.real.emulator import Emulator
from tests.waiting import HANG

AGAIN: Final = 0.5
"""seconds"""


class Terminal(Watched):
    def __init__(
        self,
        folder: Path,
        command: Sequence[str],
        width: int = 120,
        height: int = 40,
        more: Mapping[str, str] | None = None,
    ) -> None:
        """`more`: variables of its environment."""
        self.folder = folder
        self._marker = uuid.uuid4().hex
        self.screen = Emulator(width, height)
        self._keys, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        variables = {
            "SHAKETABLE_TEST": self._marker,
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            **(more or {}),
        }
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment(**variables), stdin=inside, stdout=inside, stderr=inside,
            start_new_session=True, preexec_fn=_take_the_terminal,
        )  # fmt: skip
        os.close(inside)

    def press(self, keys: str) -> None:
        os.write(self._keys, keys.encode())

    def read(self, seconds: float = 0.05) -> bool:
        """What comes in this time; False: nothing will come any more."""
        if select.select([self._keys], [], [], seconds)[0]:
            try:
                data = os.read(self._keys, 1 << 16)
            except OSError:  # nobody has the other end any more
                return False
            self.screen.feed(data)
            return bool(data)
        return True

    def see(self, holds: Callable[[str], object], why: str) -> None:
        ends = time.monotonic() + HANG
        while not holds(self.screen.text):
            assert self.read(), f"it has ended before {why}:\n{self.screen.text}"
            assert time.monotonic() < ends, f"not within {HANG:g} s: {why}\n{self.screen.text}"

    def sees(self, words: str) -> None:
        self.see(lambda text: words in text, f"“{words}” on the screen")

    def presses_until(self, key: str, words: str) -> None:
        """A key that may come before its field has the focus, and that does nothing more the second time."""

        ends = time.monotonic() + HANG
        while words not in self.screen.text:
            assert time.monotonic() < ends, f"{key} has not led to “{words}”\n{self.screen.text}"
            self.press(key)
            again = time.monotonic() + AGAIN
            while words not in self.screen.text and time.monotonic() < again:
                assert self.read(), self.screen.text

    def ended(self) -> int:
        """Its exit code, when it has said all that it had to say."""
        while self.read():
            pass
        return self.process.wait(HANG)

    def shut(self) -> None:
        """The window is closed."""
        os.close(self._keys)
        self._keys = -1

    def close(self) -> None:
        super().close()
        if self._keys >= 0:
            self.shut()


def _take_the_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
