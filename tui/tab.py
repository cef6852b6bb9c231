"""One tab of `--serve`: its app ends with it, whenever it closes.

textual-serve asks the app to quit and waits for that. An app that is about to start does not hear it, and one that
writes to a page that has gone is not read from any more: either would stay, with its engine and nodes."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from textual_serve.app_service import AppService

TO_LEAVE: Final = 5.0
"""seconds in which an app may end by itself; its engine ends when it is gone, however that came"""
PIECE: Final = 1 << 16


class Tab(AppService):
    async def stop(self) -> None:
        """It is called twice."""
        task, process = self._task, self._process
        self._task = None
        if task is None or process is None:
            return
        self.remote_write_bytes = self.remote_write_str = _nobody
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(TO_LEAVE):
                    await self._download_manager.cancel_app_downloads(app_service_id=self.app_service_id)
                    await self.send_meta({"type": "quit"})
                    await task
                    while process.stdout is not None and await process.stdout.read(PIECE):
                        pass
                    await process.wait()
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            task.cancel()
            await process.wait()


async def _nobody(data: object) -> None:
    """The page has gone."""
