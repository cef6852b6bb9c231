"""--serve: a session in a browser ends with its tab, and with the server however that dies; and only our own pages may
have one."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import aiohttp
import pytest
from tests.harness.command.command_helpers import COMMAND, shaketable
from tests.tui.engine.real.watched import Watched
from tests.waiting import wait_until

ENOUGH = 10_000
"""bytes of a screen: that is more than an empty one"""


@pytest.fixture
def port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture
def server(tmp_path: Path, port: int) -> Iterator[Watched]:
    words = ["tui", "--serve", "--port", str(port), "--world", "sim", "--nodes", "3"]
    started = Watched(tmp_path, [*COMMAND, *words])
    try:
        started.wait_for(f"shaketable is shown at http://127.0.0.1:{port} until Ctrl-C")
        yield started
    finally:
        started.close()


async def see_it_live(connection: aiohttp.ClientWebSocketResponse) -> None:
    seen = 0
    async with asyncio.timeout(60):
        while seen < ENOUGH:
            message = await connection.receive()
            assert message.type in (aiohttp.WSMsgType.BINARY, aiohttp.WSMsgType.TEXT), message
            seen += len(message.data)


def test_a_session_ends_with_its_tab_and_with_the_server(server: Watched, port: int) -> None:
    address = f"http://127.0.0.1:{port}"

    async def browse() -> None:
        async with aiohttp.ClientSession() as browser:
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await browser.ws_connect(f"{address}/ws", headers={"Origin": "http://example.org"})
            assert refused.value.status == 403
            assert server.others() == []
            async with browser.ws_connect(f"{address}/ws?width=100&height=30", headers={"Origin": address}) as tab:
                await see_it_live(tab)
                assert server.others()
            await asyncio.to_thread(wait_until, lambda: not server.others(), "the session ends with its tab")
            async with browser.ws_connect(f"{address}/ws?width=100&height=30", headers={"Origin": address}) as tab:
                await see_it_live(tab)
                known = server.others()
                server.process.kill()
                server.process.wait()
                await asyncio.to_thread(server.nothing_is_left, known)

    asyncio.run(browse())


def test_the_page_calls_nobody_but_its_own_server(server: Watched, port: int) -> None:
    address = f"http://127.0.0.1:{port}"

    async def look() -> None:
        async with aiohttp.ClientSession() as browser:
            called = [f"{address}/"]
            for own in called:
                async with browser.get(own) as answer:
                    assert answer.status == 200, own
                    text = await answer.text() if answer.content_type.startswith("text/") else ""
                for named in re.findall(r"""(?:href=|src=|url\()["']?([^"')\s>]+)""", text):
                    found = urljoin(own, named)
                    assert found.startswith((f"{address}/", "data:")), found
                    if found not in called and not found.startswith("data:"):
                        called.append(found)  # it is got as well, and looked through
            assert any(each.endswith(".css") for each in called)
            assert any(each.endswith(".js") for each in called)

    asyncio.run(look())


def test_where_the_port_is_taken_nothing_is_said_to_be_shown(tmp_path: Path, port: int) -> None:
    with socket.create_server(("127.0.0.1", port)):
        ran = shaketable("tui", "--serve", "--port", port, "--world", "sim", cwd=tmp_path)
    ran.refused(f"port {port} is taken")
    assert ran.out == ""
