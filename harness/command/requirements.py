"""The packages that shaketable requires: as the checkout says that it runs from, else as its installed metadata does.

The metadata of a checkout are those of its last `make setup`."""

from __future__ import annotations

import importlib.metadata
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

OURS: Final = "shaketable"
CHECKOUT: Final = Path(__file__).resolve().parents[2]
_EXTRA: Final = re.compile(r"extra == ['\"]([\w.-]+)['\"]")
Required = dict[str, list[str]]
"""By extra; "" is what it always needs."""


def required() -> Required:
    return _of_checkout() or _installed()


def outdated() -> list[str]:
    """The names of what has come to the checkout's pyproject.toml, or changed in it, since it was installed."""
    before, now = (set(_alike(each)) for each in (_installed(), _of_checkout() or {}))
    return sorted({name for _, name, _ in now - before})


def name_in(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0]


def _of_checkout() -> Required | None:
    try:
        project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    except (OSError, KeyError, tomllib.TOMLDecodeError):
        return None
    return {"": project["dependencies"], **project["optional-dependencies"]} if project["name"] == OURS else None


def _installed() -> Required:
    found: Required = {}
    for line in importlib.metadata.requires(OURS) or []:
        requirement, _, marker = line.partition(";")
        extra = _EXTRA.search(marker)
        found.setdefault(extra[1] if extra else "", []).append(requirement.strip())
    return found


def _alike(of: Required) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """In one form: the metadata have another order, and an extra of ours within another is written out there."""
    for extra, requirements in of.items():
        for each in requirements:
            name = name_in(each)
            if name != OURS:
                yield extra, re.sub("[-_.]+", "-", name).lower(), _parts(each.removeprefix(name).split(","))


def _parts(of: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(part.strip() for part in of))
