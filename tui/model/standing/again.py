"""The shell command that shows again what is on the screen."""

from __future__ import annotations

import shlex

from shaketable.node.core.env import SECOND
from shaketable.tui.model.session import Session


def command_of(session: Session) -> str:
    """Of a run that lives, how it was begun; of one that is over, its recording, at the very place of the cursor."""
    facts = session.facts
    if session.live or not facts.directory:
        return facts.again
    words = ["shaketable", "replay", facts.directory]
    if session.cursor < len(session.store):
        words += ["--at", at(session.time)]
    return shlex.join(words)


def at(time: int) -> str:
    """In seconds, exactly."""
    whole, micros = divmod(time, SECOND)
    return f"{whole}.{micros:06d}".rstrip("0").rstrip(".")
