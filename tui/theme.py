"""How a role looks, in the dark and in the light theme: the one place that knows colours."""

from __future__ import annotations

from functools import cache
from typing import Final

from rich.style import Style
from textual.theme import Theme

DARK: Final = "shaketable-dark"
LIGHT: Final = "shaketable-light"
BY_NAME: Final = {"dark": DARK, "light": LIGHT}
"""as a user may write them"""

THEMES: Final = (
    Theme(
        name=DARK,
        dark=True,
        primary="#7aa2f7",
        secondary="#bb9af7",
        accent="#7dcfff",
        foreground="#c8d0e0",
        background="#15181f",
        surface="#1a1e27",
        panel="#232937",
        success="#9ece6a",
        warning="#e0af68",
        error="#f7768e",
    ),
    Theme(
        name=LIGHT,
        dark=False,
        primary="#2a5db0",
        secondary="#7a3fb0",
        accent="#00708a",
        foreground="#20242c",
        background="#f7f7f4",
        surface="#efefea",
        panel="#e2e2dc",
        success="#2f7a1f",
        warning="#8a5a00",
        error="#b3233c",
    ),
)

_LOOKS: Final[dict[str, dict[str, str]]] = {
    DARK: {
        "plain": "#c8d0e0",
        "dim": "#77809a",
        "title": "bold #e6ebf5",
        "key": "bold #7aa2f7",
        "name": "#a9c1f5",
        "master": "bold #7dcfff",
        "good": "#9ece6a",
        "warn": "#e0af68",
        "bad": "bold #f7768e",
        "fault": "#ff9e64",
        "moving": "#bb9af7",
        "mark": "bold #15181f on #e0af68",
        "band": "on #262d3d",
        "node0": "#7aa2f7",
        "node1": "#e0af68",
        "node2": "#73daca",
        "node3": "#bb9af7",
        "node4": "#ff9e64",
        "node5": "#9ece6a",
        "node6": "#f29bc1",
        "node7": "#b4bccf",
    },
    LIGHT: {
        "plain": "#20242c",
        "dim": "#6b7078",
        "title": "bold #000000",
        "key": "bold #2a5db0",
        "name": "#234f96",
        "master": "bold #00708a",
        "good": "#2f7a1f",
        "warn": "#8a5a00",
        "bad": "bold #b3233c",
        "fault": "#a8480a",
        "moving": "#7a3fb0",
        "mark": "bold #ffffff on #8a5a00",
        "band": "on #dfe6f2",
        "node0": "#2a5db0",
        "node1": "#8a5a00",
        "node2": "#00706b",
        "node3": "#7a3fb0",
        "node4": "#b04a00",
        "node5": "#2f7a1f",
        "node6": "#a82a72",
        "node7": "#4a5260",
    },
}


@cache
def look(theme: str, role: str) -> Style:
    """Any other theme of the user's choice takes the looks of one of ours."""
    return Style.parse(_LOOKS.get(theme, _LOOKS[LIGHT if "light" in theme else DARK])[role])
