"""A node's HTTP server: h11 understands the bytes, asyncio carries them, one request a connection.

Requests come from strangers. Head, body, time and the number of connections have limits, and an error ends only its own
connection. Only a request that was understood as a whole becomes a step of the node."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Final

import h11

from shaketable.node.core.env import SECOND, Micros
from shaketable.node.rest import LARGEST_BODY, LARGEST_HEAD, Request, Response, fail

Handle = Callable[[Request, Callable[[Response], None]], None]
Answer = Callable[["_Conversation"], Awaitable[Response | None]]

MOST_CONNECTIONS: Final = 32
MOST_REFUSED: Final = 128
"""at once: each of them is an open file, too, and a node that can open no more has no links"""
WAITING_TO_BE_ACCEPTED: Final = 128
ACCEPTED_AT_ONCE: Final = 8
"""who is accepted is an open file some turns of the loop before it is counted"""
PIECE: Final = 4_096
LINGER: Final = 1.0
"""seconds in which a client that has been answered may go on sending, and so much of it is thrown away: closed at once,
the connection would be reset, and the answer might be lost with it"""
MOST_THROWN_AWAY: Final = 1 << 20


class AddressTaken(Exception):
    """In one sentence."""


class _TooLarge(Exception):
    def __init__(self, response: Response) -> None:
        self.response = response


class RestServer:
    def __init__(self, handle: Handle, request_timeout: Micros, answer_timeout: Micros) -> None:
        """`answer_timeout`: the cluster has always answered by then, unless the node's clock has been tampered with."""
        self._handle = handle
        self._request_timeout = request_timeout / SECOND
        self._answer_timeout = answer_timeout / SECOND
        self._answered = 0
        self._refused = 0
        """connections that are open: they are answered, or told that there are too many"""
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)

    def bind(self, host: str, port: int) -> None:
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind((host, port))
            self._socket.listen(WAITING_TO_BE_ACCEPTED)
        except OSError as error:
            self._socket.close()
            why = (error.strerror or str(error)).lower()
            raise AddressTaken(f"it cannot listen for HTTP requests at {host}:{port}: {why}") from None

    @property
    def port(self) -> int:
        number: int = self._socket.getsockname()[1]
        return number

    async def serve(self) -> None:
        await asyncio.start_server(self._accept, sock=self._socket, limit=2 * PIECE, backlog=ACCEPTED_AT_ONCE)
        self._socket.listen(WAITING_TO_BE_ACCEPTED)  # which asyncio takes for one and the same number

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        conversation = _Conversation(reader, writer)
        if self._answered < MOST_CONNECTIONS:
            self._answered += 1
            await self._hold(conversation, self._answer)
            self._answered -= 1
        elif self._refused < MOST_REFUSED:
            self._refused += 1
            await self._hold(conversation, self._too_many)
            self._refused -= 1
        writer.close()

    async def _hold(self, conversation: _Conversation, answer: Answer) -> None:
        try:
            with contextlib.suppress(OSError, TimeoutError):
                await conversation.hold(answer)
        except Exception as error:  # a mistake of ours: it ends here, and what was asked is not told
            print(f"an HTTP request failed: {type(error).__name__}", file=sys.stderr)  # noqa: T201 - to the node's log

    async def _too_many(self, conversation: _Conversation) -> Response | None:
        return fail(503, "too many connections are open: try again")

    async def _answer(self, conversation: _Conversation) -> Response | None:
        try:
            async with asyncio.timeout(self._request_timeout):
                request = await conversation.request()
        except TimeoutError:
            return fail(408, "the request was not complete in time")
        except _TooLarge as large:
            return large.response
        except h11.RemoteProtocolError as error:
            if error.error_status_hint == 431:
                return _large_head()
            return fail(error.error_status_hint, "this is no HTTP request that can be understood")
        return await self._handled(request) if request is not None else None

    async def _handled(self, request: Request) -> Response:
        answer: asyncio.Future[Response] = asyncio.get_running_loop().create_future()

        def respond(response: Response) -> None:
            if not answer.done():
                answer.set_result(response)

        self._handle(request, respond)
        try:
            return await asyncio.wait_for(answer, self._answer_timeout)
        except TimeoutError:
            return fail(500, "the cluster has not answered: some members may have the list")


class _Conversation:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._h11 = h11.Connection(h11.SERVER, max_incomplete_event_size=LARGEST_HEAD)
        self._method = ""

    async def hold(self, answer: Answer) -> None:
        response = await answer(self)
        if response is None:
            return  # it hung up, and said nothing
        self._write(response)
        async with asyncio.timeout(LINGER):
            await self._writer.drain()
            self._writer.write_eof()
            thrown_away = 0
            while thrown_away < MOST_THROWN_AWAY and (data := await self._reader.read(PIECE)):
                thrown_away += len(data)

    async def request(self) -> Request | None:
        """Whole; None: the client has hung up before it said anything."""
        head: h11.Request | None = None
        body = bytearray()
        while True:
            event = self._h11.next_event()
            if event is h11.NEED_DATA:
                if self._h11.they_are_waiting_for_100_continue:
                    self._send(h11.InformationalResponse(status_code=100, headers=[]))
                self._h11.receive_data(await self._reader.read(PIECE))
            elif isinstance(event, h11.Request):
                head = event
                self._method = event.method.decode("ascii")
                _check_head(event)
            elif isinstance(event, h11.Data):
                body += event.data
                if len(body) > LARGEST_BODY:
                    raise _TooLarge(_large_body())
            elif isinstance(event, h11.EndOfMessage):
                assert head is not None, "a message has a beginning"
                headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in head.headers}
                return Request(self._method, head.target.decode("latin-1"), headers, bytes(body))
            else:
                return None

    def _write(self, response: Response) -> None:
        headers = [
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(response.body))),
            ("Connection", "close"),
        ]
        if response.allow:
            headers.append(("Allow", response.allow))
        reason = HTTPStatus(response.status).phrase
        self._send(h11.Response(status_code=response.status, reason=reason, headers=headers))
        if self._method != "HEAD":
            self._send(h11.Data(data=response.body))
        self._send(h11.EndOfMessage())

    def _send(self, event: h11.Event) -> None:
        data = self._h11.send(event)
        if data:
            self._writer.write(data)


def _check_head(head: h11.Request) -> None:
    size = len(head.method) + len(head.target) + sum(len(name) + len(value) + 4 for name, value in head.headers)
    if size > LARGEST_HEAD:
        raise _TooLarge(_large_head())
    length = next((value for name, value in head.headers if name == b"content-length"), b"0")
    if int(length) > LARGEST_BODY:
        raise _TooLarge(_large_body())


def _large_head() -> Response:
    return fail(431, f"a head has at most {LARGEST_HEAD} bytes")


def _large_body() -> Response:
    return fail(413, f"a body has at most {LARGEST_BODY} bytes")
