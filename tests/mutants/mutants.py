"""Small bugs of the core, one at a time, put into a running process: no file is written, nothing is imported anew.

A mutant is one function with other code. Where the function is not reached by its name in its module (one that is
kept by a cache, say) there is no mutant of it."""

from __future__ import annotations

import hashlib
import importlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FunctionType
from typing import Final, NamedTuple

import libcst as cst
import msgspec
from libcst.metadata import MetadataWrapper, PositionProvider
from tests.mutants.operators import OPERATORS
from tests.where import ROOT

from shaketable.node.config import CLUSTER, GMS

CORES: Final[Mapping[str, Sequence[str]]] = {CLUSTER: ("node/cluster", "node/core"), GMS: ("node/gms",)}
"""by family, what its protocols are made of; all of it is pure"""
APART: Final = ("node/cluster/partition/clients.py", "node/cluster/cliques/listing.py")
"""but for these files: one names the keys and values with which a run loads the cluster, of the other a member makes no
use"""


class Mutant(msgspec.Struct, frozen=True):
    file: str
    """from the root of the repository"""
    function: str
    """by its qualified name"""
    line: int
    """the first one that is another"""
    statement: int
    """the line where its statement begins"""
    before: str
    after: str
    source: str
    """the whole file, with the bug in it"""

    @property
    def ident(self) -> str:
        told = "\n".join((self.file, self.function, self.before, self.after, str(self.line)))
        return hashlib.sha256(told.encode()).hexdigest()[:12]

    @property
    def named(self) -> str:
        """In files of data, which know no lines."""
        return f"{self.file} {self.function}: {self.before} => {self.after}"

    @property
    def service(self) -> str:
        """By which survivors are ranked: the folder, or in the service of the cluster and in a group the file."""
        path = Path(self.file)
        return path.stem if path.parent.name in ("service", "gms") else "/".join(path.parent.parts[2:]) or path.stem

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.function}: `{self.before}` becomes `{self.after}`"


def files(family: str = CLUSTER) -> list[str]:
    every = (str(path.relative_to(ROOT)) for part in CORES[family] for path in (ROOT / part).rglob("*.py"))
    return sorted(file for file in every if file not in APART)


class Spot(msgspec.Struct, frozen=True):
    """Where a mutant can be made, before it is: the same number is the same mutant as long as the file is the same."""

    file: str
    number: int
    name: str
    """the same one as long as this place is the same, whatever becomes of the file around it"""


def spots(file: str) -> list[Spot]:
    return [Spot(file, number, name) for number, name in enumerate(_Found.of(file).names())]


def made(spot: Spot) -> Mutant | None:
    """None if it is no change, or cannot be put in."""
    found = _Found.of(spot.file)
    return found.mutant(found.changes[spot.number])


def known(line: str) -> Mutant | None:
    """By its name in a file of data; None if the core has no such place any more."""
    file, _, function = line.partition(": ")[0].partition(" ")
    if not (ROOT / file).exists():
        return None
    found, before = _Found.of(file), line.partition(": ")[2].partition(" => ")[0]
    # To make one writes the whole file anew: only where its first line is the one that is named.
    here = (found.mutant(each) for each in found.changes if each.function == function and before in found.lines(each))
    return next((mutant for mutant in here if mutant is not None and mutant.named == line), None)


def written(file: str, function: str, before: str, after: str) -> Mutant:
    """One that somebody thought of: `before` stands once in the function."""
    source = (ROOT / file).read_text(encoding="utf-8")
    place = _code_of(compile(source, file, "exec"), function)
    assert place is not None, f"{file} has no {function}"
    lines, last = source.splitlines(keepends=True), max(_lines(place))
    head, body, tail = lines[: place.co_firstlineno - 1], lines[place.co_firstlineno - 1 : last], lines[last:]
    text = "".join(body)
    assert text.count(before) == 1, f"{file}, {function}: {before!r} stands there {text.count(before)} times"
    statement = place.co_firstlineno + text[: text.index(before)].count("\n")
    mutant = _mutant(file, function, statement, source, "".join([*head, text.replace(before, after), *tail]))
    assert mutant is not None, f"{file}, {function}: {after!r} changes nothing that could be put in"
    return mutant


def edited(file: str, changed: str) -> list[Mutant]:
    """One for each function that is another in this text of the file."""
    source = (ROOT / file).read_text(encoding="utf-8")
    before, after = (dict(_functions(compile(text, file, "exec"))) for text in (source, changed))
    others = [name for name, code in before.items() if name in after and not _same(code, after[name])]
    mutants = [_mutant(file, name, before[name].co_firstlineno, source, changed) for name in others]
    assert mutants, f"{file}: no function is another"
    found = [mutant for mutant in mutants if mutant is not None]
    assert len(found) == len(mutants), f"{file}: of {others} not all could be put in"
    return found


def _functions(code: CodeType) -> Iterator[tuple[str, CodeType]]:
    """Those that are no part of another one."""
    for const in code.co_consts:
        if isinstance(const, CodeType):
            if const.co_flags & CO_OPTIMIZED:
                yield const.co_qualname, const
            else:
                yield from _functions(const)


@contextmanager
def planted(mutant: Mutant) -> Iterator[None]:
    function = function_of(mutant.file, mutant.function)
    code = _code_of(compile(mutant.source, mutant.file, "exec"), mutant.function)
    assert function is not None
    assert code is not None
    before, function.__code__ = function.__code__, code
    try:
        yield
    finally:
        function.__code__ = before


def lines_of(mutant: Mutant) -> frozenset[int]:
    """Of its whole function."""
    function = function_of(mutant.file, mutant.function)
    assert function is not None
    return frozenset(_lines(function.__code__))


def _lines(code: CodeType) -> Iterator[int]:
    yield from (line for _, _, line in code.co_lines() if line is not None)
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _lines(const)


def function_of(file: str, name: str) -> FunctionType | None:
    """As its module has it, if its code can be changed there."""
    module = importlib.import_module(
        "shaketable." + file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    )
    found: object = module
    for part in name.split("."):
        found = vars(found).get(part)
    if isinstance(found, staticmethod | classmethod):
        found = found.__func__
    elif isinstance(found, property):
        found = found.fget
    elif isinstance(found, cached_property):
        found = found.func
    return found if isinstance(found, FunctionType) else None


class _Found:
    """The changes that can be made in a file, in the order of its lines."""

    _known: Final[dict[str, _Found]] = {}

    def __init__(self, file: str) -> None:
        self._file = file
        self._source = (ROOT / file).read_text(encoding="utf-8")
        wrapper = MetadataWrapper(cst.parse_module(self._source), unsafe_skip_copy=True)
        finder = _Finder()
        wrapper.visit(finder)
        self._module = wrapper.module
        self.changes: Sequence[_Change] = finder.changes

    @classmethod
    def of(cls, file: str) -> _Found:
        if file not in cls._known:
            cls._known[file] = cls(file)
        return cls._known[file]

    def names(self) -> Iterator[str]:
        """Of equal changes in one function, each has a number."""
        seen: Counter[str] = Counter()
        for change in self.changes:
            before, after = (self._module.code_for_node(node) for node in (change.before, change.after))
            name = f"{self._file} {change.function}: {before} => {after}"
            seen[name] += 1
            yield f"{name} {seen[name]}"

    def lines(self, change: _Change) -> list[str]:
        """That it may change."""
        return [line.strip() for line in self._source.splitlines()[change.statement - 1 : change.last]]

    def mutant(self, change: _Change) -> Mutant | None:
        changed = cst.ensure_type(self._module.deep_replace(change.before, change.after), cst.Module)
        return _mutant(self._file, change.function, change.statement, self._source, changed.code)


def _mutant(file: str, function: str, statement: int, source: str, changed: str) -> Mutant | None:
    here = function_of(file, function)
    try:
        code = _code_of(compile(changed, file, "exec"), function)
    except SyntaxError:
        return None
    if here is None or code is None or _same(here.__code__, code) or here.__code__.co_freevars != code.co_freevars:
        return None
    lines, others = source.splitlines(), changed.splitlines()
    at = next((n for n, (a, b) in enumerate(zip(lines, others, strict=False)) if a != b), min(len(lines), len(others)))
    return Mutant(file, function, at + 1, statement, lines[at].strip(), others[at].strip(), changed)


def _same(one: CodeType, other: CodeType) -> bool:
    def told(code: CodeType) -> object:
        consts = [told(const) if isinstance(const, CodeType) else repr(const) for const in code.co_consts]
        return code.co_code, code.co_names, code.co_varnames, consts

    return told(one) == told(other)


def _code_of(code: CodeType, name: str) -> CodeType | None:
    for const in code.co_consts:
        if isinstance(const, CodeType):
            if const.co_qualname == name:
                return const
            if (found := _code_of(const, name)) is not None:
                return found
    return None


class _Change(NamedTuple):
    function: str
    statement: int
    last: int
    before: cst.CSTNode
    after: cst.CSTNode


class _Finder(cst.CSTVisitor):
    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self) -> None:
        self.changes: list[_Change] = []
        self._names: list[str] = []
        self._inside = 0
        self._statement = 0

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.BaseStatement):
            self._statement = self.get_metadata(PositionProvider, node).start.line
        if isinstance(node, cst.ClassDef | cst.FunctionDef):
            self._in_body(node)
            return False
        if isinstance(node, cst.Annotation):
            return False
        if self._inside:
            name = ".".join(self._names)
            for kind, operator in OPERATORS:
                if isinstance(node, kind):
                    last = self.get_metadata(PositionProvider, node).end.line
                    self.changes += [_Change(name, self._statement, last, node, changed) for changed in operator(node)]
        return True

    def _in_body(self, node: cst.ClassDef | cst.FunctionDef) -> None:
        """Decorators and parameters stay: a module reads them once. An inner function is part of its outer one."""
        if self._inside == 0:
            self._names.append(node.name.value)
        self._inside += isinstance(node, cst.FunctionDef)
        node.body.visit(self)
        self._inside -= isinstance(node, cst.FunctionDef)
        if self._inside == 0:
            self._names.pop()
