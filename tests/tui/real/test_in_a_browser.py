"""`shaketable tui --serve` in a real browser, without a window: it paints the screens, and its keys reach them.

`make chromium` gets one where none is installed; $SHAKETABLE_CHROMIUM names any other."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, Final

import aiohttp
import pytest
from tests.harness.command.command_helpers import COMMAND
from tests.tui.engine.real.watched import Watched
from tests.waiting import HANG, wait_until
from tests.where import ROOT

from shaketable.tui.serving_page import NOTICE

OURS: Final = ROOT / ".venv" / "chromium" / "chromium"
NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome-headless-shell")
FLAGS: Final = (
    "--headless", "--no-sandbox", "--no-zygote", "--disable-gpu", "--no-first-run", "--remote-debugging-port=0",
    # Nothing is to be asked of the web.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)  # fmt: skip
SYMBOLS: Final = sorted(Path("/usr/share/fonts").rglob("DejaVuSansMono.ttf"))
CATCH: Final = """
Object.defineProperty(Object.prototype, '_core', {configurable: true, set(core) {
  window.shown ??= this;
  Object.defineProperty(this, '_core', {value: core, writable: true, configurable: true});
}});
"""
"""The page keeps its terminal to itself: it is caught as it is made."""
READ: Final = """
(() => {
  if (!window.shown || !document.body.classList.contains('-first-byte')) return '';
  const lines = shown.buffer.active;
  return Array.from({length: lines.length}, (_, row) => lines.getLine(row).translateToString(true)).join('\\n');
})()
"""
WORD: Final = "document.getElementById('no-symbols')?.textContent"
"""of the page on its symbols"""
WIDE: Final = """
(() => {
  const on = document.createElement('canvas').getContext('2d');
  on.font = `32px ${shown.options.fontFamily}`;
  return on.measureText('\u25cf').width / on.measureText('A').width;
})()
"""


def found() -> str:
    named = os.environ.get("SHAKETABLE_CHROMIUM", "")
    return named or (str(OURS) if OURS.exists() else next(filter(None, map(shutil.which, NAMES)), ""))


pytestmark = pytest.mark.skipif(not found(), reason="no Chromium: make chromium, or name one by $SHAKETABLE_CHROMIUM")


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = Watched(tmp_path, [*COMMAND, "tui", "--serve", "--port", str(port), "--world", "sim", "--nodes", "3"])
    try:
        server.wait_for(f"shaketable is shown at http://127.0.0.1:{port}/?token=")
        yield re.findall(r"http://\S+", server.output.read_text())[0]
    finally:
        server.close()


@pytest.fixture
def fonts() -> list[Path]:
    """Folders of fonts that the browser is to have; none: its own alone."""
    return []


@pytest.fixture
def debugger(tmp_path: Path, fonts: list[Path]) -> Iterator[str]:
    profile = tmp_path / "profile"
    beside = Path(found()).resolve().parent
    variables = dict(os.environ)
    if (beside / "fonts.conf").exists():  # ours has brought its libraries and fonts
        variables |= {"LD_LIBRARY_PATH": str(beside / "lib"), "FONTCONFIG_FILE": str(beside / "fonts.conf")}
    if fonts:
        folders = "".join(f"<dir>{folder}</dir>" for folder in fonts)
        (tmp_path / "fonts.conf").write_text(
            '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">'
            f"<fontconfig>{folders}<cachedir>{tmp_path}/fonts</cachedir></fontconfig>"
        )
        variables["FONTCONFIG_FILE"] = str(tmp_path / "fonts.conf")
    with (tmp_path / "chromium.log").open("wb") as log:
        browser = subprocess.Popen(
            [found(), *FLAGS, f"--user-data-dir={profile}", "about:blank"], env=variables, stdout=log, stderr=log
        )
    try:
        port = profile / "DevToolsActivePort"
        wait_until(lambda: port.exists() and "\n" in port.read_text(), "the browser has started")
        yield f"http://127.0.0.1:{port.read_text().split()[0]}"
    finally:
        browser.kill()
        browser.wait()


class Page:
    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._number = 0

    async def ask(self, method: str, **parameters: object) -> dict[str, Any]:
        self._number += 1
        await self._socket.send_json({"id": self._number, "method": method, "params": parameters})
        while (answer := await self._socket.receive_json()).get("id") != self._number:
            pass
        assert "error" not in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    async def text(self) -> str:
        return str((await self.ask("Runtime.evaluate", expression=READ))["result"].get("value", ""))

    async def sees(self, words: str) -> None:
        ends = time.monotonic() + HANG
        while words not in (text := await self.text()):
            assert time.monotonic() < ends, f"“{words}” is not in\n{text}"
            await asyncio.sleep(0.05)

    async def press(self, key: str, code: int) -> None:
        await self.ask("Runtime.evaluate", expression="shown.focus()")
        for kind in ("keyDown", "keyUp"):
            text = {"text": key} if kind == "keyDown" else {}
            await self.ask("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **text)


@contextlib.asynccontextmanager
async def page(debugger: str, address: str) -> AsyncIterator[Page]:
    async with aiohttp.ClientSession() as session:
        async with session.put(f"{debugger}/json/new?about:blank") as answer:
            where = (await answer.json())["webSocketDebuggerUrl"]
        async with session.ws_connect(where, max_msg_size=0) as connection:
            opened = Page(connection)
            await opened.ask("Page.enable")
            await opened.ask("Page.addScriptToEvaluateOnNewDocument", source=CATCH)
            size = {"width": 1200, "height": 800, "deviceScaleFactor": 1, "mobile": False}
            await opened.ask("Emulation.setDeviceMetricsOverride", **size)
            await opened.ask("Page.navigate", url=address)
            yield opened


def test_a_browser_shows_the_cluster_and_its_keys_reach_it(address: str, debugger: str) -> None:
    async def browse() -> None:
        async with page(debugger, address) as shown:
            await shown.sees("[1 Cluster]")
            await shown.sees("3/3")
            await shown.press("2", 50)
            await shown.sees("[2 Links]")
            picture = await shown.ask("Page.captureScreenshot")
            assert len(picture["data"]) > 20_000, "an empty page"

    asyncio.run(browse())


def asked(address: str, debugger: str, expression: str) -> object:
    """Of the page, when the screens are there."""

    async def browse() -> object:
        async with page(debugger, address) as shown:
            await shown.sees("3/3")
            await shown.ask("Runtime.evaluate", expression="document.fonts.ready", awaitPromise=True)
            await asyncio.sleep(0.5)  # what is not to come cannot be waited for
            return (await shown.ask("Runtime.evaluate", expression=expression))["result"].get("value")

    return asyncio.run(browse())


@pytest.mark.skipif(found() != str(OURS), reason="of any other browser it is not known which fonts it has")
def test_a_browser_without_symbols_says_so(address: str, debugger: str) -> None:
    assert asked(address, debugger, WORD) == NOTICE


@pytest.mark.skipif(not SYMBOLS, reason="no DejaVu Sans Mono on this machine")
@pytest.mark.parametrize("fonts", [[folder.parent for folder in SYMBOLS[:1]]])
def test_a_browser_with_symbols_draws_them_as_wide_as_letters_and_says_nothing(address: str, debugger: str) -> None:
    said = asked(address, debugger, f"[{WORD} ?? '', {WIDE}].join()")
    word, _, wide = str(said).partition(",")
    assert word == ""
    assert 0.9 < float(wide) < 1.1
