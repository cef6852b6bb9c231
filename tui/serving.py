"""`shaketable tui --serve`: the screens in a browser on this machine, by textual-serve. Each tab is its own session.

Anybody who can open the page can break things by hand. So the server listens on loopback only, and answers its own
pages only. A session dies with the server, by the kernel if need be. Its engine then ends its world."""

from __future__ import annotations

import asyncio
import errno
import shlex
import socket
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Final

from shaketable.harness.errors import UserError
from shaketable.harness.worlds.real.tether import tethered
from shaketable.tui.serving_page import with_our_fonts

HOST: Final = "127.0.0.1"
USUAL_PORT: Final = 8000
SOON: Final = 0.01
"""seconds"""


def serve(arguments: Sequence[str], port: int) -> int:
    """`arguments` are those of a shaketable command."""
    if find_spec("textual_serve") is None:
        raise UserError("--serve needs textual-serve: pip install 'shaketable[serve]'")
    from aiohttp import web
    from textual_serve.server import Server

    address = f"http://{HOST}:{port}"
    ours = (address, f"http://localhost:{port}")

    async def tell() -> None:
        await _listening(port)
        print(f"shaketable is shown at {address} until Ctrl-C", flush=True)  # noqa: T201

    class OfOurs(Server):
        async def on_startup(self, app: web.Application) -> None:
            socket.create_server((HOST, port)).close()  # where that is taken, nothing is shown there
            self.telling = asyncio.create_task(tell())  # it listens only when this is over

        def initialize_logging(self) -> None:
            """What the server has to say of each request is nobody's concern."""

        async def handle_index(self, request: web.Request) -> web.StreamResponse:
            page = await super().handle_index(request)
            if isinstance(page, web.Response):
                page.text = with_our_fonts(page.text or "")
            return page

        async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
            # Any page that this browser shows may try to connect here; only ours says so by its origin.
            if request.headers.get("Origin") not in ours:
                raise web.HTTPForbidden(text="this page is no page of shaketable")
            return await super().handle_websocket(request)

    command = tethered([sys.executable, "-P", "-m", "shaketable", *arguments])
    try:
        # `exec`: the server itself is to be the parent that the session is tied to, not a shell.
        OfOurs(f"exec {shlex.join(command)}", HOST, port, title="shaketable", public_url=address).serve()
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise UserError(f"port {port} is taken: give another one with --port") from None
        raise
    return 0


async def _listening(port: int) -> None:
    while True:
        try:
            _, writer = await asyncio.open_connection(HOST, port)
        except OSError:
            await asyncio.sleep(SOON)
        else:
            writer.close()
            return
