"""A failing order as a chaos script: the story that was explored, told in this order."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from shaketable.harness.explore.task import Task, in_order
from shaketable.harness.nemesis.failing import Failure
from shaketable.harness.nemesis.writing import settings_written
from shaketable.harness.scripting.calls import value_of
from shaketable.harness.scripting.scripts import Script
from shaketable.harness.scripting.targets import scripts_of_ours, target_of
from shaketable.harness.scripting.text import in_a_docstring, name_for, wrapped
from shaketable.harness.worlds.sim.orders import Order
from shaketable.node.config import CHOSEN

INDENT: Final = "    "
WIDTH: Final = 100


def script_text(path: Path, task: Task, order: Order, failure: Failure, commands: list[str]) -> str:
    script = task.script
    title = f"{script.name} in another order: {failure.words}{' is broken' * bool(failure.check)}."
    about = [failure.check] if failure.check else list(script.about)
    said = f"{failure.check}: {failure.said}" if failure.check else failure.said
    first, *others = _lines(order)
    return "\n".join(
        [
            f'"""{in_a_docstring(title[0].upper() + title[1:])}',
            "",
            wrapped(in_a_docstring(said)),
            "",
            "First the command that shows this, then the one that found it:",
            "",
            *[f"{INDENT}{in_a_docstring(command)}" for command in commands],
            '"""',
            "",
            "from shaketable import Cluster, script, story",
            "",
            "ORDER = (",
            *[f"{INDENT}{value_of(line + ' ')}" for line in (first, *others[:-1]) if others],
            f"{INDENT}{value_of(others[-1] if others else first)}",
            ")",
            "",
            "",
            "@script(",
            f"{INDENT}about={value_of(tuple(about))},",
            f"{INDENT}settings={{",
            *[f"{INDENT * 2}{value_of(name)}: {value_of(value)}," for name, value in _settings(task).items()],
            f'{INDENT * 2}"schedule_order": ORDER,',
            f"{INDENT}}},",
            ")",
            f"async def {name_for(path, 'explored')}(cluster: Cluster) -> None:",
            f'{INDENT}"""{in_a_docstring(title[0].upper() + title[1:])}"""',
            f"{INDENT}await story({value_of(_known_as(script))})(cluster)",
            "",
        ]
    )


def _known_as(script: Script) -> str:
    """On any machine, if it is one of ours."""
    name = script.twin_of or script.name
    is_ours = any(each.name == name and each.file == script.file for each in scripts_of_ours())
    return name if is_ours else target_of(script)


def _lines(order: Order) -> list[str]:
    window, steps = str(Order(order.window)), " ".join(map(str, order.steps))
    return [window, *textwrap.wrap(steps, WIDTH, break_long_words=False, break_on_hyphens=False)]


def _settings(task: Task) -> Mapping[str, str | int | float]:
    """The story's own, and those of the command line. The order stands by itself."""
    orders = in_order(Order(task.window))
    given = {name: value for name, value in task.options.values.items() if name not in orders}
    return {**settings_written(task.script, replace(task.options, values=given)), "schedule": CHOSEN}
