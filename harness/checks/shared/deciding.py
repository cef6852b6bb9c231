"""Settings that decide whether a guarantee is upheld at all: a check names them, and its result has their values.

So a reader who sees that it is broken, or saw nothing, learns where that follows from a setting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from shaketable.harness.checks.result import BROKEN, VACUOUS, CheckResult, Depends, Setting
from shaketable.harness.checks.told import rests_on
from shaketable.harness.history.history import History
from shaketable.harness.records import NodeConfigured
from shaketable.node.config import Settings

NOBODY_DECIDES: Final = Depends(
    "partial_disconnection_heartbeat_count", 0, BROKEN, "no master decides who stays when a link is broken"
)
NO_DECISIONS: Final = Depends("partial_disconnection_heartbeat_count", 0, VACUOUS, "no master decides who stays")
NO_MERGES: Final = Depends("merging", False, VACUOUS, "clusters that find each other do not become one")


def with_settings(result: CheckResult, depends: Sequence[Depends], history: History, settings: Settings) -> CheckResult:
    """Where a node has another value of its own, nothing follows from that of the run."""
    if not depends:
        return result
    values = settings.outside()
    own = [record.event.settings for record in history.of(NodeConfigured)]
    told = []
    for each in (each for each in depends if each.setting in values):
        everywhere = all(each.setting not in of for of in own)
        follows = everywhere and result.status == each.then and values[each.setting] == each.off
        told.append(Setting(each.setting, values[each.setting], each.so if follows else ""))
    return msgspec.structs.replace(result, settings=tuple(told))


def notes_of(result: CheckResult) -> list[str]:
    """Its own, what follows from a setting, and what it rests on."""
    return [*result.notes, *following(result), *rests_on(result)]


def following(result: CheckResult) -> list[str]:
    return [
        f"this follows from the setting {as_given(each)}: {each.follows}" for each in result.settings if each.follows
    ]


def as_given(setting: Setting) -> str:
    """As `--set` takes it."""
    value = str(setting.value)
    return f"{setting.name} = {value.lower() if isinstance(setting.value, bool) else value}"
