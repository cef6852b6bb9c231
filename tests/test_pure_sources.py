"""What the sources of a node and of the simulator may not do, read off the syntax tree.

A simulated run is the same on every machine (DESIGN, rule 1: no clock, no unseeded draw, no order that a hash decides).
This sees the obvious forms only: running a seed twice under two values of PYTHONHASHSEED sees the rest. And nothing may
run what it reads. The rules that need no syntax tree are in test_tidy.py."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

import pytest
from tests.where import ROOT

Complaint = tuple[int, str]


def modules(top: str) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in sorted((ROOT / top).rglob("*.py"))]


@cache
def tree(name: str) -> ast.Module:
    return ast.parse((ROOT / name).read_text(encoding="utf-8"), filename=name)


def none_of(complaints: list[str]) -> None:
    assert not complaints, "\n" + "\n".join(complaints)


UNSAFE_MODULES = {"pickle", "cPickle", "dill", "marshal", "shelve"}


def unsafe(module: ast.Module) -> Iterator[Complaint]:
    for node in ast.walk(module):
        match node:
            case ast.Import(names=names):
                for found in sorted(UNSAFE_MODULES.intersection(alias.name.split(".")[0] for alias in names)):
                    yield node.lineno, f"{found} runs what it reads; msgspec decodes"
            case ast.ImportFrom(module=str(source)) if source.split(".")[0] in UNSAFE_MODULES:
                yield node.lineno, f"{source} runs what it reads; msgspec decodes"
            case ast.Call(func=ast.Name(id="eval" | "exec" as name)):
                yield node.lineno, f"no {name}"


CLOCKS = {"time", "datetime", "sched"}
MADE_BY_CHANCE = {"uuid1", "uuid4", "urandom", "getrandbits", "token_hex", "SystemRandom"}


def of_this_machine(module: ast.Module) -> Iterator[Complaint]:
    """Clocks, draws without the seed, and the environment."""
    for node in ast.walk(module):
        match node:
            case ast.Import(names=names) if found := CLOCKS.intersection(alias.name.split(".")[0] for alias in names):
                yield node.lineno, f"{', '.join(sorted(found))}: ask env.now()"
            case ast.ImportFrom(module="time" | "datetime" | "sched" as source):
                yield node.lineno, f"{source}: ask env.now()"
            case ast.Attribute(value=ast.Name(id="random"), attr=name) if name != "Random":
                yield node.lineno, f"random.{name}: draw from env.rng"
            case ast.ImportFrom(module="random", names=names) if any(alias.name != "Random" for alias in names):
                yield node.lineno, "from random import ...: draw from env.rng"
            case ast.Call(func=ast.Attribute(attr="Random") | ast.Name(id="Random"), args=[], keywords=[]):
                yield node.lineno, "Random() without a seed"
            case ast.ImportFrom(module="uuid" | "os" | "secrets" as source, names=names):
                for name in sorted({"environ", "getenv", *MADE_BY_CHANCE}.intersection(alias.name for alias in names)):
                    yield node.lineno, f"from {source} import {name}: nothing here may differ between two machines"
            case ast.Attribute(value=ast.Name(id="uuid" | "os" | "secrets" as source), attr=name):
                if name in {"environ", "getenv", *MADE_BY_CHANCE}:
                    yield node.lineno, f"{source}.{name}: nothing here may differ between two machines"


ORDER_FREE = {"all", "any", "frozenset", "len", "max", "min", "set", "sorted", "sum"}
ORDERED = {"dict", "enumerate", "iter", "list", "map", "next", "reversed", "tuple", "zip"}
SETS = {"set", "frozenset", "Set", "AbstractSet", "MutableSet"}
SET_VERBS = {"union", "intersection", "difference", "symmetric_difference"}


class HashOrder(ast.NodeVisitor):
    """Finds where the order in a set, which for strings changes from process to process, decides the order of a loop.

    A set is what is written as one, what is annotated as one, and what is computed from one. `sorted` ends it, and so
    does whatever gives the same for every order."""

    def __init__(self) -> None:
        self.complaints: list[Complaint] = []
        self._names: set[str] = set()
        self._free: set[int] = set()

    def visit_Module(self, node: ast.Module) -> None:
        self._names = {name for name in self._annotated(node) if name.startswith("self.")}
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        before = self._names
        own = {
            argument.arg
            for argument in (*node.args.args, *node.args.kwonlyargs)
            if self._means_set(argument.annotation)
        }
        self._names = before | own | {name for name in self._annotated(node) if not name.startswith("self.")}
        if node.name == "__hash__":  # what it gives is for sets and dicts alone
            self._free.update(id(part) for part in ast.walk(node) if isinstance(part, ast.Call))
        self.generic_visit(node)
        self._names = before

    def visit_For(self, node: ast.For) -> None:
        self._look(node.iter)
        self.generic_visit(node)

    def visit_ListComp(self, node: ast.ListComp | ast.GeneratorExp | ast.DictComp) -> None:
        if id(node) not in self._free:
            for loop in node.generators:
                self._look(loop.iter)
        self.generic_visit(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self.visit_ListComp(node)

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self.visit_ListComp(node)

    def visit_Starred(self, node: ast.Starred) -> None:
        if id(node) not in self._free:
            self._look(node.value)
        self.generic_visit(node)

    def visit_Set(self, node: ast.Set) -> None:
        self._free.update(id(element) for element in node.elts)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        match node.func:
            case ast.Name(id=name) if name in ORDER_FREE:
                self._free.update(id(argument) for argument in node.args)
            case ast.Name(id=name) if name in ORDERED:
                for argument in node.args:
                    self._look(argument)
            case ast.Attribute(attr="join" | "extend"):
                for argument in node.args:
                    self._look(argument)
            case ast.Attribute(attr="pop", value=value) if not node.args:
                self._look(value)
            case ast.Name(id="hash" | "id" as name) if id(node) not in self._free:
                self.complaints.append((node.lineno, f"{name}() differs between two runs"))
        self.generic_visit(node)

    def _look(self, node: ast.expr) -> None:
        if self._is_set(node):
            self.complaints.append((node.lineno, f"{ast.unparse(node)} has no order of its own: sort it"))

    def _is_set(self, node: ast.expr) -> bool:
        match node:
            case ast.Set() | ast.SetComp() | ast.Call(func=ast.Name(id="set" | "frozenset")):
                return True
            case ast.Call(func=ast.Attribute(attr=verb, value=value)) if verb in SET_VERBS | {"copy"}:
                return verb in SET_VERBS or self._is_set(value)
            case ast.BinOp(left=left, right=right, op=ast.BitAnd() | ast.BitOr() | ast.Sub() | ast.BitXor()):
                return any(self._is_set(side) or self._is_keys(side) for side in (left, right))
            case ast.Name() | ast.Attribute():
                return ast.unparse(node) in self._names
        return False

    @staticmethod
    def _is_keys(node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "keys"

    @staticmethod
    def _means_set(annotation: ast.expr | None) -> bool:
        if isinstance(annotation, ast.Subscript):
            annotation = annotation.value
        return annotation is not None and ast.unparse(annotation).rpartition(".")[2] in SETS

    def _annotated(self, scope: ast.AST) -> Iterator[str]:
        """Names, and attributes of self, that this scope declares to be sets or fills with one."""
        for node in ast.walk(scope):
            match node:
                case ast.AnnAssign(target=target, annotation=annotation) if self._means_set(annotation):
                    yield ast.unparse(target)
                case ast.Assign(targets=[target], value=value) if self._is_set(value):
                    yield ast.unparse(target)
                case ast.ClassDef(body=body):
                    fields = [field for field in body if isinstance(field, ast.AnnAssign)]
                    yield from (f"self.{ast.unparse(f.target)}" for f in fields if self._means_set(f.annotation))


def order_of_a_hash(module: ast.Module) -> Iterator[Complaint]:
    finder = HashOrder()
    finder.visit(module)
    yield from finder.complaints


CACHES = {"cache", "lru_cache", "WeakKeyDictionary", "WeakValueDictionary", "WeakSet"}


def kept_by_a_module(module: ast.Module) -> Iterator[Complaint]:
    """Values that outlive what they were made of."""
    for node in ast.walk(module):
        match node:
            case ast.ImportFrom(names=names) if found := CACHES.intersection(alias.name for alias in names):
                yield node.lineno, f"{', '.join(sorted(found))}: the session has a memo"
            case ast.Attribute(value=ast.Name(id="functools" | "weakref"), attr=name) if name in CACHES:
                yield node.lineno, f"{name}: the session has a memo"
            case ast.Global():
                yield node.lineno, "global: the session has a memo"
    for node in module.body:
        match node:
            case (
                ast.Assign(value=ast.Dict(keys=[]) | ast.List(elts=[]))
                | ast.AnnAssign(value=ast.Dict(keys=[]) | ast.List(elts=[]))
                | ast.Assign(value=ast.Call(args=[], keywords=[]))
                | ast.AnnAssign(value=ast.Call(args=[], keywords=[]))
            ):
                yield node.lineno, "begins empty, and is there to be filled: the session has a memo"


def pure() -> list[str]:
    core = [name for name in modules("node") if not name.startswith("node/process/")]
    return core + modules("harness/worlds/sim")


def test_nothing_runs_what_it_reads() -> None:
    sources = modules("node") + modules("harness")
    none_of([f"{name}:{line}: {what}" for name in sources for line, what in unsafe(tree(name))])


def test_a_simulated_run_asks_nothing_of_the_machine() -> None:
    none_of([f"{name}:{line}: {what}" for name in pure() for line, what in of_this_machine(tree(name))])


def test_no_order_in_a_simulated_run_comes_from_a_hash() -> None:
    none_of([f"{name}:{line}: {what}" for name in pure() for line, what in order_of_a_hash(tree(name))])


def test_a_panel_keeps_nothing_but_in_the_memo_of_its_session() -> None:
    sources = modules("tui/model") + modules("tui/panels")
    none_of([f"{name}:{line}: {what}" for name in sources for line, what in kept_by_a_module(tree(name))])


@pytest.mark.parametrize(
    "source",
    [
        "import time",
        "from datetime import datetime",
        "import random\nrandom.random()",
        "from random import shuffle",
        "import random\nr = random.Random()",
        "import uuid\nuuid.uuid4()",
        "from uuid import uuid4",
        "import os\nos.environ['A']",
        "for x in {1, 2}: pass",
        "for x in set(y): pass",
        "xs = [x for x in {y for y in ys}]",
        "xs = list(a.keys() & b.keys())",
        "x = next(iter(frozenset(y)))",
        "xs = [*set(y), 1]",
        "','.join({'a', 'b'})",
        "def f(xs: set[int]):\n    for x in xs: pass",
        "def f(xs: frozenset[int]):\n    for x in xs - {1}: pass",
        "class A:\n    def f(self):\n        self.xs: set[int] = set()\n        return [x for x in self.xs]",
        "class A:\n    xs: set[int]\n    def f(self):\n        return self.xs.pop()",
        "x = hash(y)",
    ],
)
def test_what_differs_between_two_machines_is_seen(source: str) -> None:
    module = ast.parse(source)
    assert [*of_this_machine(module), *order_of_a_hash(module)]


@pytest.mark.parametrize(
    "source",
    [
        "import random\nr = random.Random(7)\ndef f(rng: random.Random): return rng.random()",
        "import uuid\nuuid.UUID(int=rng.getrandbits(128))",
        "for x in sorted({1, 2}): pass",
        "xs = {x for x in set(y)}",
        "n = sum(1 for x in set(y))",
        "xs = {*set(y), 1}",
        "def f(xs: list[int]):\n    for x in xs: pass\ndef g(xs: set[int]): return sorted(xs)",
        "for x in dict.fromkeys(y): pass",
        "class A:\n    def __hash__(self): return hash(self.x)",
    ],
)
def test_what_is_the_same_on_every_machine_is_let_through(source: str) -> None:
    module = ast.parse(source)
    assert not [*of_this_machine(module), *order_of_a_hash(module)]


@pytest.mark.parametrize("source", ["import pickle", "from dill import loads", "eval('1')", "exec('')"])
def test_what_runs_what_it_reads_is_seen(source: str) -> None:
    assert [*unsafe(ast.parse(source))]


@pytest.mark.parametrize(
    "source",
    [
        "from functools import lru_cache",
        "import functools\n@functools.cache\ndef f(): ...",
        "from weakref import WeakKeyDictionary",
        "_last = []",
        "_known: Final[dict[str, int]] = {}",
        "_rows: Final = Remembered()",
        "_rows = defaultdict()",
        "def f():\n    global _last\n    _last = 1",
    ],
)
def test_what_a_module_keeps_is_seen(source: str) -> None:
    assert [*kept_by_a_module(ast.parse(source))]


@pytest.mark.parametrize(
    "source",
    [
        "_ROWS: Final = Slot(Remembered[str])",
        "SIGNS: Final = {'a': 1}",
        "def f():\n    found = []\n    return found",
        "from functools import cached_property, partial",
    ],
)
def test_what_is_not_kept_by_a_module_is_let_through(source: str) -> None:
    assert not [*kept_by_a_module(ast.parse(source))]
