"""`--plain`: a recording is told and left; a run that lives is followed, and takes orders."""

from __future__ import annotations

import asyncio

from shaketable.harness.visible import in_one_line
from shaketable.tui.plain import text
from shaketable.tui.plain.live import Plain
from shaketable.tui.source import Recorded, Source


def out(line: str) -> None:
    """No word of a node or of a stranger's recording can move the terminal."""
    print(in_one_line(line), flush=True)  # noqa: T201 - this is the screen


def told(source: Recorded) -> None:
    source.read_all()
    session = source.session
    while session.target is not None:
        session.work(float("inf"))
    for note in session.notes:
        out(f"! {note}")
    for line in (*text.status(session), *text.last_events(session)):
        out(line)


def followed(source: Source) -> None:
    asyncio.run(_followed(source))


async def _followed(source: Source) -> None:
    try:
        await source.start()
        await Plain(source, out).run()
    finally:
        await source.close()
