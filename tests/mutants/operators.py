"""How a line of the core is made wrong: what mutmut knows of any program, and what goes wrong in protocols.

Of mutmut's operators those stay out whose mutants no protocol mistake looks like: other words, an argument that is
missing or None, which end in a TypeError."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import libcst as cst
import libcst.matchers as m
from mutmut.mutation import mutators

Operator = Callable[[Any], Iterable[cst.CSTNode]]

NEVER, ALWAYS = cst.Name("False"), cst.Name("True")
TIES: Final = {"min": "max", "max": "min", "any": "all", "all": "any"}


def forget_guard(node: cst.If) -> Iterator[cst.CSTNode]:
    """The body below it never happens, or always."""
    yield node.with_changes(test=NEVER)
    yield node.with_changes(test=ALWAYS)


def forget_condition(node: cst.BooleanOperation) -> Iterator[cst.CSTNode]:
    """One of two is looked at: a re-check that was forgotten."""
    yield node.left
    yield node.right


def forget_filter(node: cst.CompFor) -> Iterator[cst.CSTNode]:
    """Too many recipients, or candidates."""
    if node.ifs:
        yield node.with_changes(ifs=[])


def forget_call(node: cst.Expr) -> Iterator[cst.CSTNode]:
    """A message is not sent, a timer not reset, a state kept over an identity. To report less is no such bug."""
    if isinstance(node.value, cst.Call) and not m.matches(node.value.func, m.Attribute(attr=m.Name("report"))):
        yield cst.Pass()


def forget_assignment(node: cst.Assign | cst.AugAssign) -> Iterator[cst.CSTNode]:
    targets = [node.target] if isinstance(node, cst.AugAssign) else [each.target for each in node.targets]
    if all(isinstance(target, cst.Attribute | cst.Subscript) for target in targets):
        yield cst.Pass()


def forget_deletion(node: cst.Del) -> Iterator[cst.CSTNode]:
    yield cst.Pass()


def forget_loop(node: cst.For) -> Iterator[cst.CSTNode]:
    yield node.with_changes(iter=cst.Tuple([]))


def forget_negation(node: cst.Return) -> Iterator[cst.CSTNode]:
    """The answer is the opposite one."""
    if isinstance(node.value, cst.Comparison | cst.BooleanOperation):
        value = node.value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        yield node.with_changes(
            value=cst.UnaryOperation(cst.Not(), value), whitespace_after_return=cst.SimpleWhitespace(" ")
        )


def turn_tie(node: cst.Name) -> Iterator[cst.CSTNode]:
    if node.value in TIES:
        yield node.with_changes(value=TIES[node.value])


OPERATORS: Final[Sequence[tuple[type, Operator]]] = [
    (cst.If, forget_guard),
    (cst.BooleanOperation, forget_condition),
    (cst.CompFor, forget_filter),
    (cst.Expr, forget_call),
    (cst.Assign, forget_assignment),
    (cst.AugAssign, forget_assignment),
    (cst.Del, forget_deletion),
    (cst.For, forget_loop),
    (cst.Return, forget_negation),
    (cst.Name, turn_tie),
    (cst.BaseNumber, mutators.operator_number),
    (cst.Name, mutators.operator_name),
    (cst.UnaryOperation, mutators.operator_remove_unary_ops),
    (cst.CSTNode, mutators.operator_keywords),
    (cst.CSTNode, mutators.operator_swap_op),
    (cst.IfExp, mutators.operator_if_exp),
]
