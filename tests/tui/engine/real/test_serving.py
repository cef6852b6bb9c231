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
from tests.lengths import one_in
from tests.tui.engine.real.watched import Watched
from tests.waiting import wait_until
from yarl import URL

ENOUGH = 10_000
"""bytes of a screen: that is more than an empty one"""


@pytest.fixture
def port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def address_of(server: Watched) -> URL:
    """With its token, as it was printed."""
    (address,) = re.findall(r"http://\S+", server.output.read_text())
    return URL(address)


def socket_of(address: URL, token: str | None = None) -> URL:
    return address.with_path(f"/ws/{token or address.query['token']}").with_query(width=100, height=30)


@pytest.fixture
def server(tmp_path: Path, port: int) -> Iterator[Watched]:
    words = ["tui", "--serve", "--port", str(port), "--world", "sim", "--nodes", "3"]
    started = Watched(tmp_path, [*COMMAND, *words])
    try:
        started.wait_for(f"shaketable is shown at http://127.0.0.1:{port}/?token=")
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


def test_a_session_ends_with_its_tab_and_with_the_server(server: Watched) -> None:
    address = address_of(server)
    ours = {"Origin": str(address.origin())}

    async def browse() -> None:
        async with aiohttp.ClientSession() as browser:
            async with browser.ws_connect(socket_of(address), headers=ours) as tab:
                await see_it_live(tab)
                assert server.others()
            await asyncio.to_thread(wait_until, lambda: not server.others(), "the session ends with its tab")
            async with browser.ws_connect(socket_of(address), headers=ours) as tab:
                await see_it_live(tab)
                known = server.others()
                server.process.kill()
                server.process.wait()
                await asyncio.to_thread(server.nothing_is_left, known)

    asyncio.run(browse())


@pytest.mark.parametrize("moment", one_in(3, ["when its app has started", "with a word that no page says", "at once"]))
def test_a_tab_that_closes_as_it_opens_leaves_nothing(moment: str, server: Watched) -> None:
    """No app, no engine and no checker."""
    address = address_of(server)

    async def browse() -> None:
        async with aiohttp.ClientSession() as browser:
            for _ in range(3):
                connected = browser.ws_connect(socket_of(address), headers={"Origin": str(address.origin())})
                async with connected as tab:
                    if moment == "when its app has started":
                        await asyncio.to_thread(wait_until, server.others, "there is an app")
                    elif moment == "with a word that no page says":
                        await tab.send_str("{}")
            await asyncio.to_thread(wait_until, lambda: not server.others(), "what the tabs have opened is gone")

    asyncio.run(browse())
    assert server.process.poll() is None
    assert "Traceback" not in server.output.read_text()


def test_only_our_own_page_with_its_token_is_answered(server: Watched) -> None:
    address = address_of(server)
    ours, host = str(address.origin()), f"{address.host}:{address.port}"
    page, line = address, socket_of(address)
    refused = [
        (page.with_query(None), {}),
        (page.with_query(token="x"), {}),
        (page.with_query(token="\u00e4"), {}),
        (page, {"Host": "example.org"}),
        (page, {"Host": f"example.org:{address.port}"}),
        (page, {"Origin": "http://example.org"}),
        (address.with_path("/ws").with_query(width=100), {"Origin": ours}),
        (socket_of(address, "x"), {"Origin": ours}),
        (line, {}),
        (line, {"Origin": "http://example.org"}),
        (line, {"Origin": "null"}),
        (line, {"Origin": ours, "Host": "example.org"}),
        (address.with_path("/download/x").with_query(None), {}),
    ]

    async def browse() -> None:
        async with aiohttp.ClientSession() as browser:
            for url, headers in refused:
                async with browser.get(url, headers={"Host": host, **headers}) as answer:
                    assert answer.status == 403, (url, headers)
            async with browser.get(page, headers={"Origin": ours}) as answer:
                assert answer.status == 200
                assert answer.headers["Referrer-Policy"] == "no-referrer"
                assert f'/ws/{address.query["token"]}"' in await answer.text()
            async with browser.get(page.with_host("localhost")) as answer:
                assert answer.status == 200

    asyncio.run(browse())
    assert server.others() == []


def test_the_page_calls_nobody_but_its_own_server(server: Watched) -> None:
    page = address_of(server)
    address = str(page.origin())

    async def look() -> None:
        async with aiohttp.ClientSession() as browser:
            called = [str(page)]
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
