"""`import shaketable` itself: its names, that each is fetched only when it is asked for, and what they say of types."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from importlib.metadata import version

import pytest
from tests.api_page import kinds_page, page
from tests.conftest import AsWritten
from tests.where import DOCS, ROOT

import shaketable


@pytest.mark.parametrize("name", shaketable.__all__)
def test_every_name_is_there(name: str) -> None:
    assert getattr(shaketable, name) is not None
    assert name in dir(shaketable)


def test_no_other_name_is_there() -> None:
    with pytest.raises(AttributeError, match="module 'shaketable' has no attribute 'skript'"):
        _ = shaketable.skript  # type: ignore[attr-defined]


def test_its_version_is_that_of_the_package() -> None:
    assert shaketable.__version__ == version("shaketable")


def test_it_fetches_nothing_before_it_is_asked() -> None:
    asked = "import sys, shaketable; print(*[name for name in sys.modules if name.startswith('shaketable.')])"
    said = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert said.stdout.split() == []


def test_types_and_values_come_from_the_same_places() -> None:
    tree = ast.parse((ROOT / ".dev" / "shaketable" / "__init__.py").read_text())
    typed = {
        alias.name: imported.module
        for block in tree.body
        if isinstance(block, ast.If)
        for imported in block.body
        if isinstance(imported, ast.ImportFrom)
        for alias in imported.names
    }
    given = {name: f"shaketable.{module}" for name, module in shaketable._FROM.items()}
    modules = {name: module.removesuffix(f".{name}") for name, module in given.items()}
    assert modules == typed
    assert {*given, "__version__"} == {*shaketable.__all__}


def test_the_page_of_what_a_script_can_name_is_made_of_the_docstrings(as_written: AsWritten) -> None:
    as_written(DOCS / "api.md", page())
    as_written(DOCS / "kinds.md", kinds_page())


def test_the_page_has_every_name() -> None:
    told = (DOCS / "api.md").read_text(encoding="utf-8")
    assert [name for name in shaketable.__all__ if not re.search(rf"\b{name}\b", told)] == []


@pytest.mark.parametrize(
    "kind", [shaketable.Cluster, shaketable.Seen, shaketable.That, shaketable.Bounds, shaketable.GroupBounds]
)
def test_what_a_script_is_given_has_a_public_name(kind: type) -> None:
    public = [value for name, value in inspect.getmembers(kind) if not name.startswith("_")]
    functions = [value.fget if isinstance(value, property) else value for value in public]
    given = [inspect.signature(each).return_annotation for each in functions if inspect.isfunction(each)]
    named = {name for each in given for name in re.findall(r"[A-Z]\w+", str(each))}
    assert named <= {*shaketable.__all__, "Any", "None"}
