"""Each "text 3.2.1" and "rulings 5.9" in the tree leads to a section in docs/texts/ or docs/rulings.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

import pytest
from tests.test_tidy import files, none_of, text

SECTION: Final = r"\d+(?:\.\d+)+"
CITED: Final = re.compile(
    rf"\b(text|ruling)s?\s+(?:#\s*)?(\d+(?:\.\d+)*(?:(?:,|,?\s+and|\s+to)\s+(?:#\s*)?{SECTION})*)", re.IGNORECASE
)
ROUNDABOUT: Final = re.compile(
    rf"\b(?:text|ruling)s?\s+on\s[^.,:;()]+[,(]\s*{SECTION}|\b(?:rulings|reference|section),?\s+\(\s*{SECTION}",
    re.IGNORECASE,
)
HEADING: Final = re.compile(r"^#+ (?:Text )?(\d+(?:\.\d+)*)[.:]? ", re.MULTILINE)
SOURCES: Final = {"text": "docs/texts/", "ruling": "docs/rulings.md"}


@cache
def headings(kind: str) -> tuple[str, ...]:
    return tuple(number for name in files() if name.startswith(SOURCES[kind]) for number in HEADING.findall(text(name)))


def cited(document: str) -> Iterator[tuple[str, str]]:
    """ "text" or "ruling", and the number."""
    for kind, numbers in CITED.findall(document):
        yield from ((kind.lower(), number) for number in re.findall(r"\d+(?:\.\d+)*", numbers))


def complaints(name: str, document: str) -> Iterator[str]:
    for kind, number in cited(document):
        if number not in headings(kind):
            yield f"{name}: cites {kind} {number}, which is no section of {SOURCES[kind]}"
    for found in ROUNDABOUT.findall(document):
        yield f"{name}: {' '.join(found.split())}: cite it as 'text 3.2.1' or 'rulings 5.9'"


def test_each_citation_leads_to_a_section() -> None:
    here = "tests/test_citations.py"
    none_of([each for name in files() if name != here for each in complaints(name, text(name))])


@pytest.mark.parametrize("kind", SOURCES)
def test_a_number_is_that_of_one_section(kind: str) -> None:
    numbers = headings(kind)
    assert len(numbers) > 50
    none_of([f"{SOURCES[kind]}: {number} is there twice" for number in numbers if numbers.count(number) > 1])


def test_the_five_texts_are_there() -> None:
    assert [number for number in headings("text") if "." not in number] == ["1", "2", "3", "4", "5"]


@pytest.mark.parametrize(
    ("document", "numbers"),
    [
        ("From text 3.2.1 and 3.3, as rulings 5.9 say.", [("text", "3.2.1"), ("text", "3.3"), ("ruling", "5.9")]),
        ("# Rulings 4.1,\n# 4.7: of 2 sides", [("ruling", "4.1"), ("ruling", "4.7")]),
        ("text\n    5.2.2.1; 1.2 s", [("text", "5.2.2.1")]),
        ("the texts 1 to 5", [("text", "1")]),
        ("context 1.2, text1, rulings of 3.7", []),
    ],
)
def test_a_citation_is_seen(document: str, numbers: list[tuple[str, str]]) -> None:
    assert list(cited(document)) == numbers


@pytest.mark.parametrize(
    "document",
    [
        "rulings 1.99",
        "text 6.1",
        "text 3.1.1 and\n3.9.9",
        "From the text on avoiding data\nloss on migration, 2.1:",
        "From the rulings on split-brain recovery (4.1):",
        "the rulings (4.7)",
    ],
)
def test_a_citation_that_leads_nowhere_is_told(document: str) -> None:
    assert list(complaints("a file", document))
