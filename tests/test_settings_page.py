"""docs/settings.md is made of the settings themselves."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from tests.conftest import AsWritten
from tests.where import DOCS, with_part

from shaketable.node.config import DEFAULT, FAST, Settings, outside_name
from shaketable.node.config.gms import GroupSettings

PAGE = DOCS / "settings.md"
_OF_GROUPS = GroupSettings.__dataclass_fields__


def table() -> Iterator[str]:
    yield from ("| setting | default | `fast` | what it means |", "|---|---|---|---|")
    default, fast = DEFAULT.outside(), FAST.outside()
    for each in sorted(dataclasses.fields(Settings), key=lambda each: each.name in _OF_GROUPS):
        name = outside_name(each)
        other = "" if fast[name] == default[name] else typed(fast[name])
        choices = f" ({', '.join(of_text)})" if (of_text := each.metadata["choices"]) else ""
        yield f"| `{name}` | {typed(default[name])} | {other} | {each.metadata['meaning']}{choices} |"


def typed(value: object) -> str:
    """As `--set` takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_the_page_has_each_setting(as_written: AsWritten) -> None:
    assert not [row for row in table() if row.count("|") != 5]
    as_written(PAGE, with_part(PAGE, "settings", "\n".join(table())))
