"""Text in Markdown, whatever a node or a script said: no markup, no HTML, no end of what it stands in."""

from __future__ import annotations

import re
from html import escape


def escaped(text: str) -> str:
    """In a paragraph or in a table's cell. A name of a character, such as &lt;, stays what it is."""
    text = re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", text)
    text = re.sub(r"&(?=#?\w+;)", "&amp;", text)
    return text.replace("\r", " ").replace("\n", "<br>")


def in_html(text: str) -> str:
    """Within an element, where Markdown is read as HTML until a line is empty."""
    return " ".join(escape(text).split())


def fenced(text: str, language: str = "text") -> str:
    """The fence is longer than any in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}\n"
