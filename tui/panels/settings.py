"""The settings of the run: each with its value, whether that is the default, and what it means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from shaketable.node.config import DEFAULT
from shaketable.node.config.settings import BY_OUTSIDE_NAME
from shaketable.tui.model.session import Session
from shaketable.tui.panels.prose import clipped, wrapped
from shaketable.tui.text import Line, Span, line

OTHER: Final = "◆"
"""before a value that is not the default"""
NOT_YET: Final = "the settings of a script are known when it begins; shaketable settings lists all that there are"
NONE_SO: Final = "no setting has these words in its name, its value or its meaning: type others"


def settings(session: Session, typed: str, width: int) -> Sequence[Line]:
    """Those that have all of these words."""
    values = session.facts.settings
    if not values:
        return clipped(wrapped(NOT_YET, width, "dim", indent=1), width)
    usual = DEFAULT.outside()
    lines: list[Line] = []
    for name, value in values.items():
        about = BY_OUTSIDE_NAME[name].metadata if name in BY_OUTSIDE_NAME else {}
        own = [f"{node} {as_given(each[name])}" for node, each in _of_nodes(session).items() if name in each]
        said = " ".join((name, as_given(value), *own, about.get("meaning", ""), about.get("property", "")))
        if all(word in said.casefold() for word in typed.casefold().split()):
            lines += _setting(name, value, usual.get(name, value), own, about, width)
    return clipped(lines or wrapped(NONE_SO, width, "dim", indent=1), width)


def as_given(value: object) -> str:
    """As `--set` takes it."""
    return (str(value).lower() if isinstance(value, bool) else str(value)) or '""'


def _of_nodes(session: Session) -> dict[str, Any]:
    return session.beliefs.at(len(session.store)).configured


def _setting(name: str, value: object, usual: object, own: Sequence[str], about: Any, width: int) -> list[Line]:
    other, target = value != usual, f"setting:{name}"
    head = line(
        Span(f" {OTHER} " if other else "   ", "mark" if other else "dim", target),
        Span(name, "name", target),
        Span(f" = {as_given(value)}", "title" if other else "plain", target),
        Span(f"  the default is {as_given(usual)}" if other else "  the default", "dim", target),
    )
    choices = f"; one of: {', '.join(about['choices'])}" if about.get("choices") else ""
    meaning = f"{about.get('meaning', 'a setting of another version')}{choices}"
    nodes = wrapped(f"but {', '.join(own)}", width, "warn", target) if own else []
    return [head, *nodes, *wrapped(meaning, width, "dim", target)]
