"""As much of an HTTP server as the built-in relay needs: JSON in, JSON out, connections kept open."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote

LARGEST_BODY = 64 * 1024 * 1024


class BadRequest(Exception):
    """Becomes the real server's `{"error": ..., "status": ...}`."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: Any = None
    """a string goes out as it is, all else as JSON"""


@dataclass(frozen=True, slots=True)
class Request:
    verb: str
    path: list[str]
    body: bytes

    def object(self) -> dict[str, Any]:
        return _object(self._json())

    def objects(self) -> list[dict[str, Any]]:
        parsed = self._json()
        if not isinstance(parsed, list):
            raise BadRequest(400, "bad request body: json: cannot unmarshal object into an array")
        return [_object(each) for each in parsed]

    def _json(self) -> Any:
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise BadRequest(400, f"bad request body: {error}") from None


Handler = Callable[[Request], Awaitable[Answer]]


def _object(parsed: Any) -> dict[str, Any]:
    """Names of fields may be in any case, as in Go."""
    if not isinstance(parsed, dict):
        raise BadRequest(400, "bad request body: json: cannot unmarshal into an object")
    return {key.lower(): value for key, value in parsed.items()}


async def serve(host: str, port: int, handler: Handler) -> None:
    """For ever."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                verb, target, _ = head[0].split(" ", 2)
                fields = {
                    name.strip().lower(): value.strip()
                    for name, _, value in (line.partition(":") for line in head[1:] if line)
                }
                length = int(fields.get("content-length", "0"))
                if not 0 <= length <= LARGEST_BODY:
                    return
                body = await reader.readexactly(length)
                if fields.get("user-agent", "").startswith("Mozilla/"):
                    answer = Answer(403, "User agent not allowed\n")  # no web page may drive it
                else:
                    path = [unquote(part) for part in target.partition("?")[0].strip("/").split("/")]
                    answer = await _answer(handler, Request(verb, path, body))
                writer.write(_encode(answer))
                await writer.drain()
                if fields.get("connection", "").lower() == "close":
                    return
        writer.close()

    server = await asyncio.start_server(talk, host, port)
    await server.serve_forever()


async def _answer(handler: Handler, request: Request) -> Answer:
    try:
        return await handler(request)
    except BadRequest as error:
        # The real server calls its errors plain text too.
        words = json.dumps({"error": str(error), "status": error.status}, separators=(",", ":"))
        return Answer(error.status, words + "\n")


def _encode(answer: Answer) -> bytes:
    plain = isinstance(answer.body, str)
    body = b"" if answer.body is None else (answer.body if plain else json.dumps(answer.body)).encode()
    kind = "text/plain; charset=utf-8" if plain else "application/json"
    status = HTTPStatus(answer.status)
    head = f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body
