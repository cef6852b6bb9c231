"""Where the nodes find their harness: the address of its control socket. And where else there is room for sockets.

On Linux it is a name in no file system, which is gone when the harness is gone, however it ended. Another process that
sees the name can connect, but it is told nothing without the run's token. Elsewhere it is a path in a folder of its
own."""

from __future__ import annotations

import secrets
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Final

from shaketable.harness.errors import UserError

LONGEST_PATH: Final = 100
_OF_OUR_OWN: Final = len("/shaketable-12345678/control")
_OF_A_SERVER: Final = len("/sht-1234567-12345678/listener-12345678")


def room_for_sockets() -> str:
    """The temporary folder, or the usual one where that is too long for the path of a socket."""
    wanted = tempfile.gettempdir()
    return wanted if len(wanted) + _OF_A_SERVER <= LONGEST_PATH else "/tmp"


class MeetingPoint:
    def __init__(self) -> None:
        self._folder: Path | None = None
        if sys.platform == "linux":
            self.address = f"\0shaketable-control-{secrets.token_hex(8)}"
        else:
            parent = tempfile.gettempdir()
            if len(parent) + _OF_OUR_OWN > LONGEST_PATH:
                raise UserError(f"{parent} is too long a path for a socket: set TMPDIR to a shorter one")
            self._folder = Path(tempfile.mkdtemp(prefix="shaketable-"))
            self.address = str(self._folder / "control")

    def remove(self) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
