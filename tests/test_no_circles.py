"""No circle of files: of two that import each other neither can be read, tested or moved without the other.

The import contracts see circles of packages, and leave out what only a type checker imports. This sees single files,
and each import: at the top, within a function, under TYPE_CHECKING."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence

import pytest
from tests.where import ROOT

PACKAGES = ("node", "harness", "chaos", "tui")


def sources() -> dict[str, str]:
    """By module."""
    found = {}
    for top in PACKAGES:
        for path in sorted((ROOT / top).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            parts = parts[:-1] if parts[-1] == "__init__" else parts
            found[".".join(("shaketable", *parts))] = path.read_text(encoding="utf-8")
    return found


def imported(source: str, modules: Collection[str]) -> Iterator[str]:
    """Those of the modules that it imports anywhere; of a name in a package, the package."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names if alias.name in modules)
            case ast.ImportFrom(module=str(package), names=names):
                for alias in names:
                    whole = f"{package}.{alias.name}"
                    yield from (name for name in (whole if whole in modules else package,) if name in modules)


def circles(sources: Mapping[str, str]) -> list[tuple[str, ...]]:
    """The modules of each; one that only leads into a circle, or out of it, is none of it."""
    arrows = {name: [to for to in imported(text, sources) if to != name] for name, text in sources.items()}
    left = dict(arrows)
    while True:
        behind = {to for name in left for to in arrows[name]}
        inner = {name: [to for to in arrows[name] if to in left] for name in left if name in behind}
        inner = {name: others for name, others in inner.items() if others}
        stable, left = len(inner) == len(left), inner
        if stable:
            break
    found = {name: reached(name, left) for name in left}
    own = {tuple(sorted(to for to in found[name] if name in found[to])) for name in left}
    return sorted(circle for circle in own if circle)


def reached(start: str, arrows: Mapping[str, Sequence[str]]) -> dict[str, bool]:
    """From there, by one arrow or more."""
    found: dict[str, bool] = {}
    ahead = list(arrows[start])
    while ahead:
        name = ahead.pop()
        if name not in found:
            found[name] = True
            ahead += arrows[name]
    return found


def test_no_files_import_each_other_in_a_circle() -> None:
    assert circles(sources()) == []


@pytest.mark.parametrize(
    "back",
    [
        "from pack.a import x",
        "from pack import a",
        "import pack.a",
        "def f():\n    from pack.a import x",
        "if TYPE_CHECKING:\n    from pack.a import x",
    ],
)
def test_a_circle_is_seen_however_it_is_imported(back: str) -> None:
    told = {"pack": "", "pack.a": "from pack.b import y", "pack.b": "from pack.c import z", "pack.c": back}
    assert circles({**told, "pack.d": "from pack import a"}) == [("pack.a", "pack.b", "pack.c")]
    assert circles({**told, "pack.c": "import elsewhere"}) == []


def test_two_circles_are_told_apart() -> None:
    told = {name: f"import {to}" for name, to in (("a", "b"), ("b", "a"), ("c", "d"), ("d", "c"))}
    assert circles({**told, "d": "import c, a"}) == [("a", "b"), ("c", "d")]
