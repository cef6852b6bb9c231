"""The HTTP server of a node, by its socket alone: what it bears of strangers, and what it answers them."""

from __future__ import annotations

import asyncio
import gc
import json
import random
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.node.process.process_helpers import in_loop
from tests.node.rest import fuzzed
from tests.waiting import until

from shaketable.node.core.env import MILLISECOND, SECOND, Micros
from shaketable.node.process import rest_server
from shaketable.node.process.rest_server import MOST_CONNECTIONS, MOST_REFUSED, AddressTaken, RestServer
from shaketable.node.rest import LARGEST_BODY, LARGEST_HEAD, Request, Response

LIMIT = 300 * MILLISECOND
GET = b"GET /x HTTP/1.1\r\nHost: n\r\n\r\n"


class Heard:
    """In the place of a node."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.waiting: list[Callable[[Response], None]] = []
        self.holds = False

    def handle(self, request: Request, respond: Callable[[Response], None]) -> None:
        self.requests.append(request)
        if self.holds:
            self.waiting.append(respond)
        else:
            respond(Response(200, b'{"status":"success"}'))


@asynccontextmanager
async def serving(heard: Heard, limit: Micros = LIMIT, answer: Micros = 5 * SECOND) -> AsyncIterator[int]:
    server = RestServer(heard.handle, limit, answer)
    server.bind("127.0.0.1", 0)
    await server.serve()
    yield server.port


async def said(port: int, data: bytes, *, pause: float = 0.0) -> bytes:
    """All that comes back, until the server hangs up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answer = asyncio.create_task(reader.read())
    try:
        for piece in [data[at : at + 1] for at in range(len(data))] if pause else [data]:
            if answer.done():
                break
            writer.write(piece)
            await asyncio.sleep(pause)
        return await answer
    finally:
        writer.close()


def status(answer: bytes) -> int:
    """Of one well-formed answer, the only one on its connection."""
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    assert b"connection: close" in lines
    assert b"content-type: application/json" in lines
    assert f"content-length: {len(body)}".encode() in lines
    told = json.loads(body)
    number = int(lines[0].split()[1])
    assert told["status"] == ("success" if number == 200 else "fail")
    return number


@in_loop
async def test_a_request_comes_whole_to_the_node() -> None:
    heard = Heard()
    async with serving(heard, 1000 * SECOND) as port:
        body = bytes(range(256))
        head = b"POST /a?b HTTP/1.1\r\nHost: n\r\nContent-Type: text/plain\r\nContent-Length: 256\r\n\r\n"
        assert status(await said(port, head + body)) == 200
        chunked = b"POST /a HTTP/1.1\r\nHost: n\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
        assert status(await said(port, chunked)) == 200
        assert status(await said(port, GET, pause=0.001)) == 200
    assert [(r.method, r.path, r.body) for r in heard.requests] == [
        ("POST", "/a?b", body), ("POST", "/a", b"abcde"), ("GET", "/x", b""),
    ]  # fmt: skip
    assert heard.requests[0].headers["content-type"] == "text/plain"


@in_loop
async def test_a_second_request_on_a_connection_is_not_looked_at() -> None:
    heard = Heard()
    async with serving(heard) as port:
        assert status(await said(port, GET + GET)) == 200
    assert len(heard.requests) == 1


@in_loop
async def test_a_head_is_answered_without_a_body() -> None:
    async with serving(Heard()) as port:
        answer = await said(port, b"HEAD /x HTTP/1.1\r\nHost: n\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200")
    assert answer.endswith(b"\r\n\r\n")


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b"hello\r\n\r\n", 400),
        (b"GET /x HTTP/1.1\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
        (b"POST /x HTTP/1.1\r\nHost: n\r\nContent-Length: -1\r\n\r\n", 400),
        (b"POST /x HTTP/1.1\r\nHost: n\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc", 400),
        (b"POST /x HTTP/1.1\r\nHost: n\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
        (b"GET /" + b"x" * LARGEST_HEAD + b" HTTP/1.1\r\nHost: n\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\nHost: n\r\n" + b"A: b\r\n" * 100_000, 431),
        (b"POST /x HTTP/1.1\r\nHost: n\r\nContent-Length: 10000000000\r\n\r\n", 413),
        (b"POST /x HTTP/1.1\r\nHost: n\r\nContent-Length: 65537\r\n\r\n" + b"a" * (LARGEST_BODY + 1), 413),
        (b"POST /x HTTP/1.1\r\nHost: n\r\nTransfer-Encoding: chunked\r\n\r\n1000\r\n" + b"a" * 4096 + b"\r\n", 408),
        (b"POST /x HTTP/1.1\r\nHost: n\r\nContent-Length: 10\r\n\r\nabc", 408),
        (b"GET /x HTTP/1.1\r\n", 408),
        (b"", 408),
    ],
    ids=lambda each: str(each) if isinstance(each, int) else repr(each[:40]),
)  # fmt: skip
def test_a_bad_request_is_told_so_and_never_comes_to_the_node(data: bytes, wanted: int) -> None:
    heard = Heard()

    @in_loop
    async def play() -> None:
        async with serving(heard) as port:
            assert status(await said(port, data)) == wanted
            assert status(await said(port, GET)) == 200

    play()
    assert len(heard.requests) == 1


@in_loop
async def test_a_huge_body_without_a_length_is_cut() -> None:
    heard = Heard()
    async with serving(heard, limit=10 * SECOND) as port:
        piece = b"8000\r\n" + b"a" * 0x8000 + b"\r\n"
        answer = await said(port, b"POST /x HTTP/1.1\r\nHost: n\r\nTransfer-Encoding: chunked\r\n\r\n" + 4 * piece)
        assert status(answer) == 413
    assert not heard.requests


@in_loop
async def test_who_asks_before_it_sends_a_large_body_is_told_to_go_on() -> None:
    async with serving(Heard()) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST /x HTTP/1.1\r\nHost: n\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100")
        writer.write(b"ab")
        assert status(await reader.read()) == 200
        writer.close()


@in_loop
async def test_a_slow_client_is_cut_off_and_nobody_waits_for_it() -> None:
    heard = Heard()
    async with serving(heard) as port:
        loop = asyncio.get_running_loop()
        began = loop.time()
        slow = asyncio.create_task(said(port, GET, pause=0.1))
        await asyncio.sleep(0.05)
        assert status(await said(port, GET)) == 200
        assert loop.time() - began < LIMIT / SECOND
        assert status(await slow) == 408
    assert len(heard.requests) == 1


@in_loop
async def test_who_hangs_up_is_forgotten() -> None:
    heard = Heard()
    async with serving(heard, limit=10 * SECOND) as port:
        for data in (b"", b"GET", b"POST /x HTTP/1.1\r\nHost: n\r\nContent-Length: 9\r\n\r\n") * MOST_CONNECTIONS:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(data)
            writer.transport.abort()
        assert status(await said(port, GET)) == 200
    assert len(heard.requests) == 1


@in_loop
async def test_many_connections_are_refused_and_each_is_told_so() -> None:
    heard = Heard()
    heard.holds = True
    async with serving(heard, limit=10 * SECOND) as port:
        many = [asyncio.create_task(said(port, GET)) for _ in range(MOST_CONNECTIONS)]
        await until(lambda: len(heard.waiting) == MOST_CONNECTIONS)
        refused = await asyncio.gather(*(said(port, GET) for _ in range(3 * MOST_CONNECTIONS)))
        assert [status(answer) for answer in refused] == [503] * 3 * MOST_CONNECTIONS
        assert 3 * MOST_CONNECTIONS < MOST_REFUSED
        for respond in heard.waiting:
            respond(Response(200, b'{"status":"success"}'))
        assert [status(answer) for answer in await asyncio.gather(*many)] == [200] * MOST_CONNECTIONS
        heard.holds = False
        assert status(await said(port, GET)) == 200


@in_loop
async def test_a_crowd_does_not_take_all_files_that_a_node_can_open() -> None:
    """A refused client may linger, and each connection is an open file: past a number of them all others are cut
    off."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rest_server, "LINGER", 60.0)
        await crowd_in()


async def crowd_in() -> None:
    heard = Heard()
    heard.holds = True
    async with serving(heard, limit=10 * SECOND) as port:
        several = MOST_CONNECTIONS + MOST_REFUSED
        crowd = [await asyncio.open_connection("127.0.0.1", port) for _ in range(several)]
        for _, writer in crowd[:MOST_CONNECTIONS]:
            writer.write(GET)
        await until(lambda: len(heard.waiting) == MOST_CONNECTIONS)
        for _ in range(10):
            assert await said(port, b"") == b""
        for _, writer in crowd[MOST_CONNECTIONS:]:
            writer.write_eof()
        for respond in heard.waiting:
            respond(Response(200, b'{"status":"success"}'))
        told = [status(await reader.readuntil(b"}")) for reader, _ in crowd]
        for _, writer in crowd:
            writer.close()
        assert told == [200] * MOST_CONNECTIONS + [503] * MOST_REFUSED
        heard.holds = False
        while (told_later := status(await said(port, GET))) == 503:
            pass  # it has yet to see that they have hung up
        assert told_later == 200


def open_files() -> int:
    return sum(1 for _ in Path("/dev/fd").iterdir())


@in_loop
async def test_a_crowd_is_let_in_a_few_at_a_time() -> None:
    """Faster than that it would stand in the door before anybody is counted."""
    heard = Heard()
    gc.collect()  # else what a test before left open is counted, and closes while this one counts
    async with serving(heard, limit=10 * SECOND) as port:
        crowd: list[socket.socket] = []
        before, peak = open_files(), 0
        for _ in range(40):
            for _ in range(25):
                crowd.append(socket.socket())
                crowd[-1].setblocking(False)
                crowd[-1].connect_ex(("127.0.0.1", port))
            await asyncio.sleep(0)
            peak = max(peak, open_files() - len(crowd) - before)
        for each in crowd:
            each.close()
        await until(lambda: open_files() <= before)
        assert peak < MOST_CONNECTIONS + MOST_REFUSED + 60


@in_loop
async def test_a_cluster_that_does_not_answer_is_not_waited_for_for_ever() -> None:
    heard = Heard()
    heard.holds = True
    async with serving(heard, answer=200 * MILLISECOND) as port:
        assert status(await said(port, GET)) == 500
        heard.waiting[0](Response(200, b"too late"))


@in_loop
async def test_a_port_that_is_taken_is_told_in_a_sentence() -> None:
    async with serving(Heard()) as port:
        with pytest.raises(
            AddressTaken, match=f"it cannot listen for HTTP requests at 127.0.0.1:{port}: address already"
        ):
            RestServer(Heard().handle, LIMIT, LIMIT).bind("127.0.0.1", port)


@in_loop
async def test_bytes_by_chance_do_no_harm() -> None:
    """Each is answered by one well-formed answer, if at all, and cut off in time."""
    heard, rng = Heard(), random.Random(1)
    async with serving(heard, limit=100 * MILLISECOND) as port:
        for _ in range(40):
            answers = await asyncio.gather(*(said(port, fuzzed.raw(rng)) for _ in range(10)))
            for answer in answers:
                assert answer.count(b"HTTP/1.1 ") <= 1
                assert not answer or answer.startswith(b"HTTP/1.1 ")
        assert status(await said(port, GET)) == 200
    assert heard.requests
