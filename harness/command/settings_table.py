"""`shaketable settings`: every setting of a node, for people."""

from __future__ import annotations

import dataclasses

from rich.text import Text

from shaketable.harness.console.screen import Screen, indented
from shaketable.node.config import DEFAULT, FAST, Settings, outside_name


def print_settings() -> None:
    console = Screen()
    default, fast = DEFAULT.outside(), FAST.outside()
    for f in dataclasses.fields(Settings):
        name, about = outside_name(f), f.metadata
        console.print(Text(f"{name:<42} default {_typed(default[name]):<8} fast {_typed(fast[name])}"))
        choices = f" One of: {', '.join(about['choices'])}." if about["choices"] else ""
        origin = f"Default: {about['source']}." + (f" Also: {about['property']}" if about["property"] else "")
        meaning = about["meaning"][0].upper() + about["meaning"][1:]
        console.print(indented(f"{meaning}.{choices} {origin}", 4))


def _typed(value: object) -> str:
    """As `--set` takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
