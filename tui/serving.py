"""`shaketable tui --serve`: the screens in a browser on this machine, by textual-serve. Each tab is its own session.

Anybody who can open the page can break things by hand, and run scripts. So the server listens on loopback only, and
answers its own pages only, with the token that it has printed. A session dies with the server, by the kernel if need
be. Its engine then ends its world."""

from __future__ import annotations

import asyncio
import errno
import secrets
import shlex
import socket
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from shaketable.harness.errors import UserError
from shaketable.harness.worlds.real.tether import tethered
from shaketable.tui.serving_page import with_our_fonts

if TYPE_CHECKING:
    from aiohttp import web

    Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

HOST: Final = "127.0.0.1"
USUAL_PORT: Final = 8000
HEARTBEAT: Final = 15
"""seconds"""
LARGEST_SIDE: Final = 1000
"""of a screen, in letters"""
SOON: Final = 0.01
"""seconds"""


def serve(arguments: Sequence[str], port: int) -> int:
    """`arguments` are those of a shaketable command."""
    if find_spec("textual_serve") is None:
        raise UserError("--serve needs textual-serve: pip install 'shaketable[serve]'")
    from aiohttp import web
    from textual_serve.server import Server, to_int

    from shaketable.tui.tab import Tab

    address = f"http://{HOST}:{port}"
    hosts = (f"{HOST}:{port}", f"localhost:{port}")
    origins = tuple(f"http://{host}" for host in hosts)
    token = secrets.token_urlsafe()
    endings: set[asyncio.Task[None]] = set()

    async def tell() -> None:
        await _listening(port)
        print(f"shaketable is shown at {address}/?token={token} until Ctrl-C", flush=True)  # noqa: T201

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        # Another name than ours: a page of elsewhere whose name leads here. Another origin: a page of elsewhere that
        # calls us. Without the token: another user of this machine.
        if request.headers.get("Host") not in hosts or request.headers.get("Origin", origins[0]) not in origins:
            raise web.HTTPForbidden(text="this is no page of shaketable")
        if not request.path.startswith("/static/"):
            given = request.match_info.get("token") or request.query.get("token", "")
            if not secrets.compare_digest(given.encode(errors="replace"), token.encode()):
                raise web.HTTPForbidden(text="the address has no token: take the one that shaketable has printed")
        answer = await handler(request)
        if not answer.prepared:
            answer.headers["Referrer-Policy"] = "no-referrer"  # the address is the key
            answer.headers["X-Frame-Options"] = "DENY"
            answer.headers["Cache-Control"] = "no-store"
        return answer

    class OfOurs(Server):
        async def _make_app(self) -> web.Application:
            app = await super()._make_app()
            app.middlewares.append(guard)
            app.add_routes([web.get("/ws/{token}", self.handle_websocket)])
            return app

        async def on_startup(self, app: web.Application) -> None:
            socket.create_server((HOST, port)).close()  # where that is taken, nothing is shown there
            self.telling = asyncio.create_task(tell())  # it listens only when this is over

        def initialize_logging(self) -> None:
            """The server's words on each request are nobody's concern."""

        async def handle_index(self, request: web.Request) -> web.StreamResponse:
            page = await super().handle_index(request)
            if isinstance(page, web.Response):
                # The page adds a query of its own to the address of the socket.
                page.text = with_our_fonts(page.text or "").replace('/ws"', f'/ws/{token}"')
            return page

        async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
            # Any page that this browser shows may try to connect here; only ours says so by its origin.
            if "Origin" not in request.headers:
                raise web.HTTPForbidden(text="this is no page of shaketable")
            websocket = web.WebSocketResponse(heartbeat=HEARTBEAT)
            await websocket.prepare(request)

            async def close() -> None:
                await websocket.close()

            tab = Tab(
                self.command,
                write_bytes=websocket.send_bytes,
                write_str=websocket.send_str,
                close=close,
                download_manager=self.download_manager,
            )
            try:
                width, height = (to_int(request.query.get(name, ""), 0) for name in ("width", "height"))
                await tab.start(_within(width, 80), _within(height, 24))
                with suppress(ValueError, LookupError, TypeError, AssertionError, AttributeError):  # no page of ours
                    await self._process_messages(websocket, tab)
            finally:
                ending = asyncio.create_task(tab.stop())
                endings.add(ending)
                ending.add_done_callback(endings.discard)
                await asyncio.shield(ending)
                await close()
            return websocket

    command = tethered([sys.executable, "-P", "-m", "shaketable", *arguments])
    try:
        # `exec`: the server itself is to be the parent that the session is tied to, not a shell.
        OfOurs(f"exec {shlex.join(command)}", HOST, port, title="shaketable", public_url=address).serve()
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise UserError(f"port {port} is taken: give another one with --port") from None
        raise
    return 0


def _within(asked: int, usual: int) -> int:
    return asked if 0 < asked <= LARGEST_SIDE else usual


async def _listening(port: int) -> None:
    while True:
        try:
            _, writer = await asyncio.open_connection(HOST, port)
        except OSError:
            await asyncio.sleep(SOON)
        else:
            writer.close()
            return
