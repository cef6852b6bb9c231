"""Text that moves no terminal: what a node or a stranger's recording says may hold control characters.

A terminal takes these for orders: it may clear itself, get another title, write what was typed, or show letters in
another order than they stand. Each is shown as one sign of its own, so that columns stay columns."""

from __future__ import annotations

from typing import Final

_ORDER: Final = "\ufffd"
"""stands for those that have no sign: the upper control characters, and those that turn the direction of writing"""
_NO_SIGN: Final = (*range(0x80, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A))
_SIGNS: Final = {
    **{code: chr(0x2400 + code) for code in range(0x20)},
    0x7F: "\u2421",
    **dict.fromkeys(_NO_SIGN, _ORDER),
}
_OF_A_TEXT: Final = {code: sign for code, sign in _SIGNS.items() if chr(code) not in "\n\t"}
_IN_JSON: Final = {code: f"\\u{code:04x}" for code in (0x7F, *_NO_SIGN)}


_HALVES: Final = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


def whole(text: str) -> str:
    """Without halves of pairs, which no file can hold: a script may say such a text, and a file be called so."""
    return text if text.isprintable() else text.translate(_HALVES)


def visible(text: str) -> str:
    """Lines and tabs stay."""
    return text if text.isprintable() else text.translate(_OF_A_TEXT)


def in_one_line(text: str) -> str:
    """For a cell of a screen, where no line may end."""
    return text if text.isprintable() else text.translate(_SIGNS)


def visible_json(text: str) -> str:
    """The same value, in JSON that is laid out already: below 32 nothing is left in it but line feeds and blanks."""
    return text if text.isascii() and "\x7f" not in text else text.translate(_IN_JSON)
