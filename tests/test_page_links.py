"""Each link from one of our pages to another one leads to a file and, where it names one, to a heading of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import pytest
from tests.test_tidy import files, none_of, text
from tests.where import ROOT, anchor

LINK: Final = re.compile(r"\]\(([^)\s]+)\)")
HEADING: Final = re.compile(r"^#+ (.*)$", re.MULTILINE)
SHOWN: Final = re.compile(r"^```.*?^```|^    .*?$", re.MULTILINE | re.DOTALL)
"""what a page shows: a link in there is none"""


def dead(name: str, page: str) -> Iterator[str]:
    for link in LINK.findall(SHOWN.sub("", page)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, part = link.partition("#")
        target = (ROOT / name).parent / path if path else ROOT / name
        if not target.exists():
            yield f"{name}: {link}: there is no such file"
        elif part and part not in map(anchor, HEADING.findall(target.read_text(encoding="utf-8"))):
            yield f"{name}: {link}: there is no such heading"


def test_each_link_between_pages_leads_somewhere() -> None:
    none_of([each for name in files() if name.endswith(".md") for each in dead(name, text(name))])


@pytest.mark.parametrize("link", ["gone.md", "rulings.md#99-gone", "#gone", "texts/gone/"])
def test_a_dead_link_is_told(link: str) -> None:
    assert list(dead("docs/checks.md", f"See [this]({link})."))


@pytest.mark.parametrize(
    "link", ["rulings.md", "rulings.md#59-s1-to-s11", "../README.md", "https://example.org/gone.md"]
)
def test_another_link_is_none(link: str) -> None:
    assert not list(dead("docs/checks.md", f"See [this]({link}).\n\n    [shown](gone.md)\n"))
