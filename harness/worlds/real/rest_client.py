"""An HTTP request to a node, as any client would send it: a connection of its own, through no proxy."""

from __future__ import annotations

import asyncio
from typing import Final

import h11

from shaketable.harness.faults.actions import Http, NoEffect
from shaketable.harness.worlds.real.nodes import RealNode
from shaketable.node.core.env import SECOND
from shaketable.node.rest import Request, Response

LOOPBACK: Final = "127.0.0.1"
ANYWHERE: Final = "0.0.0.0"
PIECE: Final = 65_536


async def asked(node: RealNode, http: Http) -> Response:
    if not node.rest_port:
        raise NoEffect(f"{node.name} does not listen for HTTP requests: set rest_enabled")
    host = LOOPBACK if node.rest_host == ANYWHERE else node.rest_host
    try:
        async with asyncio.timeout(http.patience / SECOND):
            return await _exchange(host, node.rest_port, http.request)
    except TimeoutError:
        raise NoEffect(f"{node.name} does not answer within {http.patience / SECOND:g} s") from None
    except (OSError, h11.RemoteProtocolError) as error:
        raise NoEffect(f"{node.name} does not answer: {error}") from None


async def _exchange(host: str, port: int, request: Request) -> Response:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        conversation = h11.Connection(h11.CLIENT)
        headers = [("Host", f"{host}:{port}"), ("Content-Length", str(len(request.body))), *request.headers.items()]
        for event in (
            h11.Request(method=request.method, target=request.path, headers=headers),
            h11.Data(data=request.body),
            h11.EndOfMessage(),
        ):
            writer.write(conversation.send(event) or b"")
        await writer.drain()
        status, body = 0, bytearray()
        while True:
            answer = conversation.next_event()
            if answer is h11.NEED_DATA:
                conversation.receive_data(await reader.read(PIECE))
            elif isinstance(answer, h11.Response):
                status = answer.status_code
            elif isinstance(answer, h11.Data):
                body += answer.data
            elif isinstance(answer, h11.EndOfMessage | h11.ConnectionClosed):
                return Response(status, bytes(body))
    finally:
        writer.close()
