"""Docstrings and comments of the product, and the pages of docs, speak plainly: no sentence of a statement begins with
"Who is told ..."."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator

import pytest
from tests.test_tidy import SOURCES, files, modules, none_of, text

PARAGRAPH = re.compile(r"\n\s*\n|\n\s*(?=(?:-|\d\.)\s)")
SENTENCE = re.compile(r"(?<=[.?!])[)\"'`*]*\s+")
"""what ends one: a full stop and a blank, so that of `3.2.1` is none"""
NO_SUBJECT = re.compile(r"[-\d.\s(]*(?:Who|Whoever|Whom)\s(?!.*\?\Z)", re.DOTALL)


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Those of modules, classes, functions and attributes, each with its first line."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value


def comments(source: str) -> Iterator[tuple[int, str]]:
    """Comments on lines that follow each other are one text."""
    last, column, texts = 0, 0, dict[int, list[str]]()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            line, begin = token.start
            if not (texts and line == last + 1 and begin == column):
                texts[line] = []
            texts[next(reversed(texts))].append(token.string.lstrip("#:").strip())
            last, column = line, begin
    yield from ((line, "\n".join(lines)) for line, lines in texts.items())


NOT_SAID = re.compile(r"^```.*?^```|<!--.*?-->|^#[^\n]*|(?<=\n\n) {4}[^\n]*", re.DOTALL | re.MULTILINE)
"""on a page: code, comments and headings"""
PASSAGE = re.compile(r"(\n(?=\s*(?:\n|[-*+>] |\d+\. ))|\|)")
"""begins with a blank line, an item of a list or a cell of a table"""


def passages(page: str) -> Iterator[tuple[int, str]]:
    """What a page in Markdown says, each with the line on which it begins."""
    line = 1
    for piece in PASSAGE.split(NOT_SAID.sub(lambda found: "\n" * found[0].count("\n"), page)):
        said = piece.lstrip("\n >*|")
        if said.strip("-\n "):
            yield line + piece[: -len(said)].count("\n"), said
        line += piece.count("\n")


def without_subject(said: str) -> list[str]:
    sentences = (each for paragraph in PARAGRAPH.split(said.strip()) for each in SENTENCE.split(paragraph))
    return [each for each in sentences if NO_SUBJECT.match(each)]


@pytest.mark.parametrize("folder", SOURCES)
def test_no_sentence_begins_with_who(folder: str) -> None:
    none_of(
        [
            f'{name}:{line}: "{sentence[:40]} ...": say "A member that ..." instead'
            for name in modules(folder)
            for texts in (docstrings, comments)
            for line, said in texts(text(name))
            for sentence in without_subject(said)
        ]
    )


def test_no_sentence_of_a_page_begins_with_who() -> None:
    pages = [name for name in files() if re.fullmatch(r"(?:docs/)?[^/]+\.md", name)]
    none_of(
        [
            f'{name}:{line}: "{sentence[:40]} ...": say "A member that ..." instead'
            for name in pages
            for line, said in passages(text(name))
            for sentence in without_subject(said)
        ]
    )


@pytest.mark.parametrize(
    "said",
    ["Who is told stops.", "It ends. Who left\nis gone.", "It ends.\n\nWhoever left.", "By text 3.2. Whom it has.",
     "It has:\n\n- Who left.", "(It ends.) Who left.", "It ends. (Who left.)", "Who is it? No. Who left."],
)  # fmt: skip
def test_such_a_sentence_is_seen(said: str) -> None:
    assert without_subject(said)


@pytest.mark.parametrize(
    "said", ["Who is master? `wants_in`: and may I?", "It says who left.", "Whole times.", "Of text 3.2.1: who leads?"]
)
def test_a_question_may_begin_so(said: str) -> None:
    assert not without_subject(said)


def test_docstrings_and_comments_are_read() -> None:
    source = '"""One."""\nA = 1\n"""Two."""\n# Three,\n# three.\nB = 2  # Four.\n'
    assert [*docstrings(source)] == [(1, "One."), (3, "Two.")]
    assert [*comments(source)] == [(4, "Three,\nthree."), (6, "Four.")]


def test_pages_are_read() -> None:
    page = "# Who?\n\nOne,\none.\n- Two.\n\n> **Three.**\n\n    code\n\n```\ncode\n```\n| a |\n|---|\n| Four. |\n"
    assert [*passages(page)] == [(3, "One,\none."), (5, "- Two."), (7, "Three.**"), (14, "a "), (16, "Four. ")]
