"""The link server as a process of ours: started on a free loopback port, known to be ours, killed without asking."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import psutil

from shaketable.harness.whole_files import private
from shaketable.harness.worlds.real.tether import tethered


def server_command(program: str) -> list[str]:
    """What starts a server, but for the port at the end; `program` is a path, or "relay"."""
    if program == "relay":
        return [sys.executable, "-m", "shaketable.harness.worlds.real.relay", "--port"]
    return [program, "-host", "127.0.0.1", "-port"]


class ServerProcess:
    """Construct it in the thread that runs the event loop: the process ends when that thread does (see tether)."""

    def __init__(self, command: Sequence[str], log: Path) -> None:
        # To a file: a pipe that nobody reads stalls the server, one whose reader has gone kills it. Appended to, as a
        # server that is started again must not hide why the first one died. The default level logs each connection.
        with open(log, "ab", opener=private) as output:
            self._process = subprocess.Popen(
                tethered(command),
                env={**os.environ, "LOG_LEVEL": "fatal"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                # Ctrl-C in the terminal is for the harness, which still needs the links to take the nodes down.
                start_new_session=True,
            )
        self.pid = self._process.pid

    def exit_code(self) -> int | None:
        """None while it runs."""
        return self._process.poll()

    def owns(self, port: int) -> bool:
        """Does this very process listen on the port? If the port was taken, the real server merely logs that and
        stays up, and another process that has the port might well answer."""
        try:
            sockets = psutil.Process(self.pid).net_connections(kind="tcp4")
        except (psutil.Error, OSError):
            return False
        return any(s.status == psutil.CONN_LISTEN and s.laddr.port == port for s in sockets)

    def kill(self) -> None:
        """A hung server waits for ever on SIGTERM; the peers of its connections see the same either way."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
