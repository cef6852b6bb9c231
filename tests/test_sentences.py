"""Docstrings and comments, and the pages of docs, speak plainly: no statement begins with "Who is told ..." or with
"What is told is ...". "What a node is told." may stand first: it is a name of the thing, and no statement. In their
midst, and in messages and names of stories, "who" has a noun before it, or begins a question."""

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
NO_NAME = re.compile(r"\bWho|\bWhat")
"""where neither is found, nothing begins so"""
CLAUSE = re.compile(r"[-\d.\s(]*(?:What|Whatever)\s(?!.*\?\Z)", re.DOTALL)
HEAD = re.compile(r"[:;]|, |\s(?:and|or)\s")
"""ends the first part of a sentence: in the name of a thing it has one verb, in a statement a second one"""
ASIDE = re.compile(
    r"\sto\s+\w+|\s(?:that|whom?|whose|which|how|if|when|where|as|until|before|since|while|because|than|what(?:ever)?)\s.*",
    re.DOTALL,
)
HELPED = re.compile(
    r"\b(?:may|can|cannot|must|will|would|should|could|does|did)\s(?:not\s)?(?!is\b|are\b|was\b)\w+"
    r"|\b(?:has|have|had)\s(?:be)?come\b"
)
VERB = re.compile(
    r"\b(?:is|are|was|were|ha[sd]|have|may|can|cannot|must|will|would|should|could|does|did|says?|tells?|go(?:es)?|went"
    r"|comes?|came|stays?|begins?|began|takes?|took|gets?|got|makes?|gives?|gave|becomes?|waits?|lasts|leaves|stands?"
    r"|needs?|happens|lies|sends?|writes?|wrote|knows?|knew|holds|asks?|breaks|keeps?|shows|vanishes|counts|proves?"
    r"|arrives)\b"
)


EMBEDDED = re.compile(
    r"(?:\b(?:(?P<near>of|to|on|with)|(?P<far>and)|by|at|from|than|if|that|because|only|so|for)|(?<=.);)"
    r"\s+who(?:ever)?\s+(?=\w)",
    re.IGNORECASE,
)
"""in the midst of a sentence "who" stands for "a member that": a list from who is not my master"""
QUESTION = re.compile(
    r"\b(?:(?:ask|say|tell|know|decide|see|show|learn|find|agree|look|answer|forget)(?:s|ed|n|ing)?|said|told|known|seen"
    r"|policy|news|picture|list|clique|change|cost|who|whom|how|which|what|whether|where|when|why)\b",
    re.IGNORECASE,
)
"""stands before an indirect question: asks who is master, the list of who has it"""
FAR, NEAR = 120, 20
"""characters before it"""


def without_noun(said: str) -> list[str]:
    """Parts of sentences that begin with a "who" without a noun."""
    found = list[str]()
    for sentence in SENTENCE.split(said):
        for each in EMBEDDED.finditer(sentence):
            begin = each.start()
            look = FAR if each["far"] else NEAR if each["near"] else 0
            if not QUESTION.search(sentence[max(0, begin - look) : begin]):
                found.append(sentence[begin : each.end() + 30])
    return found


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Those of modules, classes, functions and attributes, each with its first line."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value


def strings(source: str) -> Iterator[tuple[int, str]]:
    """All others, and the fixed parts of f-strings."""
    tree = ast.parse(source)
    alone = {id(node.value): True for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.lineno, node.value


def functions(source: str) -> Iterator[tuple[int, str]]:
    """Their names, in words: a story has its function's."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.AsyncFunctionDef):
            yield node.lineno, node.name.replace("_", " ").capitalize()


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


def is_a_statement(sentence: str) -> bool:
    head = HEAD.split(sentence, maxsplit=1)[0]
    return len(VERB.findall(HELPED.sub("may", ASIDE.sub("", head)))) > 1


def without_subject(said: str) -> list[str]:
    sentences = [each for paragraph in PARAGRAPH.split(said.strip()) for each in SENTENCE.split(paragraph)]
    return [
        each
        for place, each in enumerate(sentences)
        if NO_SUBJECT.match(each) or (CLAUSE.match(each) and (place or is_a_statement(each)))
    ]


@pytest.mark.parametrize("folder", [*SOURCES, "tests"])
def test_no_sentence_begins_with_who_or_what(folder: str) -> None:
    none_of(
        [
            f'{name}:{line}: "{sentence[:40]} ...": say "A member that ..." or "A list that ..." instead'
            for name in modules(folder)
            if NO_NAME.search(source := text(name))
            for texts in (docstrings, comments)
            for line, said in texts(source)
            for sentence in without_subject(said)
        ]
    )


@pytest.mark.parametrize("folder", SOURCES)
def test_who_has_a_noun_in_the_midst_of_a_sentence(folder: str) -> None:
    none_of(
        [
            f'{name}:{line}: "{part} ...": say "a member that ..." instead'
            for name in modules(folder)
            if "who" in (source := text(name))
            for texts in (docstrings, comments, strings)
            for line, said in texts(source)
            for part in without_noun(said)
        ]
    )


def test_who_has_a_noun_in_the_name_of_a_story() -> None:
    none_of(
        [
            f'{name}:{line}: "{said}": say "a member that ..." instead'
            for name in modules("chaos")
            if "who" in (source := text(name))
            for line, said in functions(source)
            if without_noun(said) or without_subject(said)
        ]
    )


def test_who_has_a_noun_in_the_texts() -> None:
    none_of(
        [
            f'{name}:{line}: "{part} ...": say "a member that ..." instead'
            for name in files()
            if re.fullmatch(r"docs/texts/[^/]+\.md", name)
            for line, said in passages(text(name))
            for part in without_noun(said)
        ]
    )


def test_no_sentence_of_a_page_begins_with_who_or_what() -> None:
    pages = [name for name in files() if re.fullmatch(r"(?:docs/)?[^/]+\.md", name)]
    none_of(
        [
            f'{name}:{line}: "{sentence[:40]} ...": say "A member that ..." or "A list that ..." instead'
            for name in pages
            for line, said in passages(text(name))
            for sentence in without_subject(said)
        ]
    )


@pytest.mark.parametrize(
    "said",
    ["Who is told stops.", "It ends. Who left\nis gone.", "It ends.\n\nWhoever left.", "By text 3.2. Whom it has.",
     "It has:\n\n- Who left.", "(It ends.) Who left.", "It ends. (Who left.)", "Who is it? No. Who left.",
     "It ends. What is left.", "What it is told is kept.", "What n2 sends to n3\nvanishes.", "What lasts stays.",
     "What a member may be told it knows.", "Whatever comes waits."],
)  # fmt: skip
def test_such_a_sentence_is_seen(said: str) -> None:
    assert without_subject(said)


@pytest.mark.parametrize(
    "said",
    ["Who is master? `wants_in`: and may I?", "It says who left.", "Whole times.", "Of text 3.2.1: who leads?",
     "What is it? It is told.", "What a member is told.", "What it may have been told, and is.", "What it has to do.",
     "What a master that leads has told: it is kept."],
)  # fmt: skip
def test_a_question_and_a_name_may_begin_so(said: str) -> None:
    assert not without_subject(said)


@pytest.mark.parametrize(
    "said",
    ["A list came from who is not followed.", "It came to who\nis no member.", "It is told by whoever has it.",
     "It stays, and who cannot talk to it leaves.", "The last words of who is killed.", "Only who has left is gone."],
)  # fmt: skip
def test_a_who_without_a_noun_is_seen(said: str) -> None:
    assert without_noun(said)


@pytest.mark.parametrize(
    "said",
    ["It asks who is master.", "It is on the list of who has it.", "They agree on who stays.", "A member who left.",
     "It decides what is kept, and who stays.", "To whom it goes is told.", "By what? By whose word?"],
)  # fmt: skip
def test_a_question_may_stand_in_the_midst(said: str) -> None:
    assert not without_noun(said)


def test_docstrings_and_comments_are_read() -> None:
    source = '"""One."""\nA = "five"\n"""Two."""\n# Three,\n# three.\nB = 2  # Four.\n'
    assert [*strings(source)] == [(2, "five")]
    assert [*docstrings(source)] == [(1, "One."), (3, "Two.")]
    assert [*comments(source)] == [(4, "Three,\nthree."), (6, "Four.")]


def test_pages_are_read() -> None:
    page = "# Who?\n\nOne,\none.\n- Two.\n\n> **Three.**\n\n    code\n\n```\ncode\n```\n| a |\n|---|\n| Four. |\n"
    assert [*passages(page)] == [(3, "One,\none."), (5, "- Two."), (7, "Three.**"), (14, "a "), (16, "Four. ")]
