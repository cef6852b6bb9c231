"""What a user has set for the screens in config.toml: other keys, by the names of their actions, and the theme.

Its faults are told before a screen opens: one sentence names the file and the key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from shaketable.harness.errors import UserError, reason_of, shortened
from shaketable.harness.folders import CONFIG, our_folder
from shaketable.tui.theme import BY_NAME

FILE: Final = "config.toml"
KNOWN: Final = ("theme", "keys")
CELLS: Final = ("left", "right")
NAMED: Final = frozenset(
    ("up", "down", "left", "right", "home", "end", "pageup", "pagedown", "insert", "delete", "backspace", "enter",
     "space", "tab", "comma", *(f"f{number}" for number in range(1, 25)))
)  # fmt: skip
"""keys that are no letter or sign"""
_WITH: Final = re.compile(r"(?:(?:ctrl|shift|alt)\+)*(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Preferences:
    theme: str = ""
    """ "": the one that was remembered"""
    keys: Mapping[str, str] = field(default_factory=dict)
    """by the names of actions, as Textual reads them: with commas between"""


def preferences() -> Preferences:
    try:
        path = our_folder(CONFIG) / FILE
    except RuntimeError:  # nobody knows where their home is
        return Preferences()
    return read(path)


def read(path: Path) -> Preferences:
    try:
        if not path.exists():
            return Preferences()
        if not path.is_file():
            raise UserError(f"{path} is no file: take it away, or write one")
        said = tomllib.loads(path.read_bytes().decode())
    except OSError as error:
        raise UserError(f"{path} cannot be read: {reason_of(error)}") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path} is no TOML: {shortened(error)}") from None
    for name in said:
        if name not in KNOWN:
            raise UserError(f"{path}: {name}: there is no such setting; there are theme and [keys]")
    return Preferences(_theme(path, said.get("theme", "")), _keys(path, said.get("keys", {})))


def _theme(path: Path, said: object) -> str:
    if said == "" or (isinstance(said, str) and said in BY_NAME):
        return BY_NAME.get(said, "")
    raise UserError(f"{path}: theme: {said!r} is none; give {' or '.join(BY_NAME)}")


def _keys(path: Path, said: object) -> dict[str, str]:
    if not isinstance(said, dict):
        raise UserError(f'{path}: keys: it is a table; write [keys], and below it lines such as kill = "x"')
    if not said:
        return {}
    usual = _usual_keys()
    found: dict[str, str] = {}
    for name, keys in said.items():
        if name not in usual:
            near = get_close_matches(name, usual, 1)
            meant = f"did you mean {near[0]}?" if near else "the manual's table of keys has their names"
            raise UserError(f"{path}: keys.{name}: there is no such action; {meant}")
        listed = [keys] if isinstance(keys, str) else keys
        if not isinstance(listed, list) or not listed or not all(isinstance(key, str) for key in listed):
            raise UserError(f'{path}: keys.{name}: give a key, "x", or a list of keys, ["x", "f5"]')
        found[name] = ",".join(_key(path, name, key) for key in listed)
    _refuse_clashes(path, found, {**usual, **found})
    return found


def _refuse_clashes(path: Path, found: Mapping[str, str], keys: Mapping[str, str]) -> None:
    """In a table the keys to the cells beside come before those of the app, so these two may be the same."""
    owners: dict[str, str] = {}
    for name in (*found, *(name for name in keys if name not in found)):
        if name in CELLS:
            continue
        for key in _as_textual_has_them(keys[name]):
            other = owners.setdefault(key, name)
            if other != name:
                raise UserError(f"{path}: keys.{other}: its key is that of {name} too; give {name} another one")


def _as_textual_has_them(keys: str) -> list[str]:
    from textual.binding import Binding

    return [each.key for each in Binding.make_bindings([Binding(keys, "", "")])]


def _usual_keys() -> dict[str, str]:
    """Of all actions, and of the moves in lists and tables. The module that knows them loads Textual."""
    from textual.binding import Binding

    from shaketable.tui.actions import ACTIONS
    from shaketable.tui.widgets.grid import Grid
    from shaketable.tui.widgets.panel import Panel

    moves = [each for each in (*Panel.BINDINGS, *Grid.BINDINGS) if isinstance(each, Binding) and each.id]
    return {**{action.name: action.keys for action in ACTIONS}, **{str(each.id): each.key for each in moves}}


def _key(path: Path, name: str, said: str) -> str:
    said = {",": "comma", " ": "space"}.get(said, said)
    found = _WITH.fullmatch(said)
    base = found[1] if found is not None else ""
    if base in NAMED or (len(base) == 1 and base.isprintable() and not ("shift+" in said and base.isalpha())):
        return said
    raise UserError(
        f"{path}: keys.{name}: {said!r} is no key; give a letter (K, not shift+k), a sign, or a name: f5, ctrl+k"
    )
