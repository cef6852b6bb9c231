"""The tables of docs/terminal-ui.md: of the keys, and of the symbols, made of what the screens themselves have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.where import DOCS

from shaketable.tui.actions import ACTIONS, GROUPS
from shaketable.tui.dialogs.help import EVERYWHERE
from shaketable.tui.panels.help import SYMBOLS

MANUAL = DOCS / "terminal-ui.md"


def made_anew(page: str) -> str:
    for name, rows in (("keys", _keys()), ("symbols", _symbols())):
        table = "\n".join(rows)
        page, found = re.subn(
            rf"(<!-- {name}: [^\n]*-->\n).*?(<!-- end of {name} -->)",
            lambda marks, table=table: f"{marks[1]}\n{table}\n\n{marks[2]}",  # type: ignore[misc]
            page,
            flags=re.DOTALL,
        )
        assert found == 1, name
    return page


def _keys() -> Iterator[str]:
    yield from ("| key | what it does | name in `config.toml` |", "|---|---|---|")
    for key, told, names in EVERYWHERE:
        yield f"| {key} | {told} | {names} |"
    screens = [action for action in ACTIONS if action.action.startswith("screen(")]
    for group in GROUPS:
        yield f"| | **{group}** | |"
        for action in ACTIONS:
            if action.group == group and action not in screens:
                yield f"| `{action.key}` | {action.help} | {action.name} |"
            elif action.group == group and action == screens[0]:
                yield f"| `{action.key}` … `{screens[-1].key}` | The screens | {action.name} … {screens[-1].name} |"


def _symbols() -> Iterator[str]:
    yield from ("| symbol | what it means |", "|---|---|")
    for of, entries in SYMBOLS:
        yield f"| | **{of}** |"
        for symbol, _, told in entries:
            yield f"| {symbol} | {told} |"
