"""HTML that cannot be broken by what it shows: every text is escaped, whatever a node or a script said.

Only `tag` and `joined` make markup; a plain text is handed over as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import Any, Final

import msgspec

_NOT_IN_HTML: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff]"
)
"""Control characters, those that turn the direction of writing, and halves of pairs: a browser shows nothing for them,
or something else, and a terminal that shows the page would obey."""
_VOID: Final = frozenset({"meta", "br", "hr"})
REPLACEMENT: Final = "\ufffd"


class Html(str):
    """Markup: it is not escaped again."""

    __slots__ = ()


Part = str | Html | None


def text(said: str) -> Html:
    return said if isinstance(said, Html) else Html(escape(_NOT_IN_HTML.sub(REPLACEMENT, said), quote=True))


def joined(parts: Iterable[Part]) -> Html:
    return Html("".join(text(part) for part in parts if part))


def tag(name: str, /, *inside: Part, **attributes: object) -> Html:
    """`class_` is class, `data_run` is data-run; one that is None or False is left out, True stands alone."""
    said = [f"<{name}"]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        outside = key.rstrip("_").replace("_", "-")
        said.append(f" {outside}" if value is True else f' {outside}="{text(str(value))}"')
    said.append(">")
    if name in _VOID:
        return Html("".join(said))
    return Html(f"{''.join(said)}{joined(inside)}</{name}>")


def table(head: list[tuple[str, str]], rows: list[Html]) -> Html:
    """On a phone each row is a block of its own, and its cells say what they are."""
    heads = [tag("th", name, class_=kind or None, scope="col") for name, kind in head]
    inside = [tag("thead", tag("tr", *heads)), tag("tbody", *rows)]
    return tag("div", tag("table", *inside, class_="stack"), class_="wide")


def json_in_page(value: Any) -> Html:
    """For a script element: no text in it can end that. Plain ASCII, so that no encoding can break it either."""
    said = msgspec.json.encode(_cleaned(msgspec.to_builtins(value))).decode()
    ascii_only = "".join(c if c.isascii() and c not in "<>&" else _escaped(c) for c in said)
    return Html(ascii_only)


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2))


def _cleaned(value: Any) -> Any:
    match value:
        case str():
            return _NOT_IN_HTML.sub(REPLACEMENT, value)
        case dict():
            return {_cleaned(key): _cleaned(each) for key, each in value.items()}
        case list() | tuple():
            return [_cleaned(each) for each in value]
    return value
