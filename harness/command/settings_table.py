"""`shaketable settings`: every setting of a node, for people."""

from __future__ import annotations

import dataclasses

from rich.text import Text

from shaketable.harness.command.screen import Screen
from shaketable.harness.reports.trimmed import indented
from shaketable.node.config import DEFAULT, FAST, Settings, outside_name


def print_settings() -> None:
    console = Screen()
    default, fast = DEFAULT.outside(), FAST.outside()
    for f in dataclasses.fields(Settings):
        name, about = outside_name(f), f.metadata
        console.print(Text(f"{name:<42} default {default[name]!s:<8} fast {fast[name]}"))
        origin = f"Default: {about['source']}." + (f" Also: {about['property']}" if about["property"] else "")
        console.print(indented(f"{about['meaning'].capitalize()}. {origin}", 4))
