"""A node's words for people decide nothing: no check, mark, condition or screen compares the words of a reason.

Each reason has a kind beside it (node/why.py). This sees the obvious forms, off the syntax tree; that words may be any
words at all is seen by running: tests/harness/verdicts/test_reasons_at_random.py."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import msgspec
import pytest
from tests.test_pure_sources import Complaint, modules, none_of, tree

from shaketable.harness.history.codec import EVENT_TYPES
from shaketable.harness.pipeline.measuring.facts import FACTS
from shaketable.node.why import Why

JUDGES = (
    *("checks", "coverage", "conditions", "seen", "history", "verdicts"),
    *("reports", "console", "pipeline", "nemesis", "detectors"),
)
WORDS = ("reason", "message", "text", "sentence")
"""attributes that are words for people"""
PLACES = {kind.__name__: [field.name for field in msgspec.structs.fields(kind)] for kind in EVENT_TYPES}
LOOKS = {
    *("startswith", "endswith", "find", "index", "count", "split", "partition", "match", "search", "fullmatch"),
    *("removeprefix", "removesuffix", "rpartition", "rsplit", "findall"),
}


def compared_with_words(module: ast.Module) -> Iterator[Complaint]:
    for node in ast.walk(module):
        match node:
            case ast.Compare(left=left, ops=ops, comparators=others):
                if any(map(has_words, (left, *others))) and not all(isinstance(op, ast.Is | ast.IsNot) for op in ops):
                    yield node.lineno, f"{ast.unparse(node)}: compare the kind"
                elif isinstance(ops[0], ast.In) and is_a_phrase(left) and isinstance(others[0], ast.Name):
                    yield node.lineno, f"{ast.unparse(node)}: ask what it was made of"
            case ast.Call(func=ast.Attribute(attr=name, value=value), args=given) if name in LOOKS:
                if any(map(is_reason, (value, *given))):
                    yield node.lineno, f"{ast.unparse(node)}: compare the kind"
            case ast.Call(func=ast.Name(id="told"), keywords=given) if any(each.arg == "reason" for each in given):
                yield node.lineno, "a mark hangs on words: give a kind"
            case ast.Match(subject=subject) if is_reason(subject):
                yield node.lineno, "match the kind"
            case ast.MatchClass(cls=kind, patterns=patterns, kwd_attrs=names, kwd_patterns=named):
                fields = PLACES.get(ast.unparse(kind).rpartition(".")[2], [])
                wanted = [*zip(fields, patterns, strict=False), *zip(names, named, strict=True)]
                if any(name == "reason" and is_said(pattern) for name, pattern in wanted):
                    yield node.lineno, f"{ast.unparse(kind)} is matched by its words: match the kind"


def chosen_by_words(module: ast.Module) -> Iterator[Complaint]:
    """An event at which to hold."""
    for node in ast.walk(module):
        match node:
            case ast.Dict(keys=keys) if any(isinstance(key, ast.Constant) and key.value == "reason" for key in keys):
                yield node.lineno, f"{ast.unparse(node)}: choose it by its kind"


def is_reason(node: ast.expr) -> bool:
    """A user's typed text is a `text` too, but no attribute of what is told."""
    match node:
        case ast.Attribute(attr=name) if name in WORDS:
            return not (isinstance(node.value, ast.Subscript) and name == "text")
        case ast.Name(id="reason"):
            return True
    return False


def has_words(node: ast.expr) -> bool:
    return any(map(has_words, node.elts)) if isinstance(node, ast.Tuple | ast.List) else is_reason(node)


def is_a_phrase(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=str(said)):
            return " " in said
    return False


def is_said(pattern: ast.pattern) -> bool:
    return any(isinstance(part, ast.MatchValue) for part in ast.walk(pattern))


def judges() -> list[str]:
    return [name for part in JUDGES for name in modules(f"harness/{part}")] + modules("tui")


def test_nothing_that_judges_or_shows_compares_words() -> None:
    none_of([f"{name}:{line}: {what}" for name in judges() for line, what in compared_with_words(tree(name))])


def test_no_story_waits_for_words_or_expects_them() -> None:
    none_of(
        [
            f"{name}:{line}: {what}"
            for name in modules("chaos")
            for find in (compared_with_words, chosen_by_words)
            for line, what in find(tree(name))
        ]
    )


def test_an_event_that_is_chosen_by_its_words_is_seen() -> None:
    assert [*chosen_by_words(ast.parse('cluster.hold("n1", "ViewIgnored", where={"reason": "not newer"})'))]
    assert not [*chosen_by_words(ast.parse('cluster.hold("n1", "ViewIgnored", where={"why": "not-newer"})'))]


def test_no_measure_reads_words() -> None:
    assert [kind for kind, fact in FACTS.items() if "reason" in (fact.about, fact.key, fact.word, fact.value)] == []


@pytest.mark.parametrize(
    "source",
    [
        'event.reason == "no heartbeat"',
        "event.reason in SILENCES",
        '"member list" in record.event.reason',
        'event.reason.startswith("no")',
        '(answer.status, answer.message) == (500, "nobody has changed its list")',
        'any("cannot be judged" in reason.text for reason in row.reasons)',
        'reason.text.removeprefix("view order is broken: ")',
        'violation.sentence == "n1 is broken"',
        '"as expected" in word',
        "re.search(pattern, event.reason)",
        "look.fullmatch(event.reason)",
        'match event:\n    case e.ViewIgnored(reason="not newer"): ...',
        'match event:\n    case e.Suspected(_, "no heartbeat"): ...',
        'match event:\n    case e.ViewIgnored(reason=reason):\n        return reason == "not newer"',
        'match event.reason:\n    case "left": ...',
        'told("left", "it left", e.Stopped, reason="^left$")',
    ],
)
def test_words_that_decide_are_seen(source: str) -> None:
    assert [*compared_with_words(ast.parse(source))]


@pytest.mark.parametrize(
    "source",
    [
        "event.why is Why.NO_HEARTBEAT",
        'f"({event.reason})" if event.reason else ""',
        "reason is None",
        "match event:\n    case e.Suspected(peer, reason, why=Why.EXPLICIT): ...",
        'reason.outcome == "failed"',
    ],
)
def test_words_that_are_only_shown_are_let_through(source: str) -> None:
    assert not [*compared_with_words(ast.parse(source))]


def test_whoever_gives_a_reason_gives_all_its_details() -> None:
    """Of each call in a node: as many as its words have places for."""
    wrong = []
    for name in modules("node"):
        for node in ast.walk(tree(name)):
            match node:
                case ast.Call(func=ast.Name(id="because"), args=[ast.Attribute(attr=kind), *details]):
                    if Why[kind].words.count("{}") != len(details):
                        wrong.append(f"{name}:{node.lineno}: {kind} has other details")
    none_of(wrong)


def test_every_kind_is_told_by_somebody() -> None:
    sources = (*modules("node"), *modules("harness/systems"))
    told = {node.attr for name in sources for node in ast.walk(tree(name)) if isinstance(node, ast.Attribute)}
    by_their_codes = {"COPY", "MOVE", "SHIFT UP", "SHIFT DOWN", "SHIFT UP+SHIFT DOWN", "CLEAR"} | {
        *("add", "joined and ready", "failure", "planned shutdown", "master change")
    }
    assert [why.name for why in Why if why.name not in told and why.value not in by_their_codes] == []
