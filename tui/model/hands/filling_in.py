"""From what was chosen and typed to a call, and whether a call is one that can be made by hand.

A verb of `Cluster` says itself what is wrong with a value; here it is seen to that each value is of its kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from shaketable.harness.errors import UserError
from shaketable.harness.faults.parameters import ADDRESSES, ONE_WAY, VALUES, WORDS, YES_OR_NO, Parameter
from shaketable.tui.model.hands.calls import (
    BY_VERB,
    HEAL,
    OF_A_LINK,
    OF_A_NODE,
    START,
    Call,
    Deed,
    Value,
)
from shaketable.tui.model.hands.groups import GROUPS, NODES, groups_in, names_in, wrong_with, wrong_with_names
from shaketable.tui.model.hands.pairs import pairs_in

TYPES: Final[Mapping[str, type]] = {NODES: tuple, ADDRESSES: tuple, VALUES: dict, YES_OR_NO: bool}
"""of a value, by the unit of its parameter, where that is neither a word nor a number"""
YES: Final = "yes"
NO: Final = "no"
MOST: Final = 2**53
"""of any number that can be given"""


Whom = str | tuple[str, ...]
"""one node, or several of one side of links"""


def names_of(value: Value) -> tuple[str, ...]:
    """Those that stand there, where names do."""
    return (value,) if isinstance(value, str) else value if isinstance(value, tuple) else ()


def filled_in(deed: Deed, nodes: Sequence[Whom], typed: Mapping[str, str], *, one_way: bool = False) -> Call:
    """`typed` may lack what has a usual value."""
    given = {p.name: _value_of(deed, p, typed.get(p.name, p.usual)) for p in deed.parameters}
    said: dict[str, Value] = {name: value for name, value in given.items() if value is not None}
    ordered = [said.pop(p.name) for p in deed.parameters if p.positional and p.name in said]
    if _takes_groups(deed):
        ordered[:1] = groups_in(str(ordered[0]))
    if deed.one_way and one_way:
        said[ONE_WAY] = True
    if deed.of_sender:
        sender: dict[str, Value] = {"sender": nodes[0]} if nodes else {}
        return checked(Call(deed.verb, tuple(ordered), sender | said))
    return checked(Call(deed.verb, (*nodes, *ordered), said))


def _takes_groups(deed: Deed) -> bool:
    return any(parameter.unit == GROUPS for parameter in deed.parameters)


def _value_of(deed: Deed, parameter: Parameter, typed: str) -> Value:
    typed = typed.strip()
    if not typed:
        if parameter.usual:
            raise UserError(f"{deed.verb}: say {_asked(parameter)}")
        return None
    if parameter.unit in (NODES, ADDRESSES):
        return names_in(typed)
    if parameter.unit == VALUES:
        return pairs_in(typed)
    if parameter.unit == YES_OR_NO:
        return True if typed == YES else None
    if parameter.unit in WORDS:
        return typed
    try:
        number = round(float(typed) * parameter.factor) if parameter.factor > 1 else int(typed)
    except (ValueError, OverflowError):
        raise UserError(f"{deed.verb}: {_asked(parameter)} is a number, not {typed!r}") from None
    return number


def _asked(parameter: Parameter) -> str:
    name = parameter.name.replace("_", " ")
    return f"the {name}" if parameter.unit in (*WORDS, "times") else f"the {name} in {parameter.unit}"


def checked(call: Call) -> Call:
    """The call, if it is one of the table's, with values of the right kinds."""
    if call.verb == HEAL:
        if [type(a) for a in call.arguments] != [int] or call.options:
            raise UserError("heal takes the number of a fault")
        return call
    deed = BY_VERB.get(call.verb)
    if deed is None:
        raise UserError(f"{call.verb} cannot be done by hand")
    ordered = [p for p in deed.parameters if p.positional]
    named: dict[str, Parameter | None] = {p.name: p for p in deed.parameters if not p.positional}
    if deed.one_way:
        named[ONE_WAY] = None
    if deed.of_sender:
        named["sender"] = None
    nodes = _nodes(deed)
    if deed.verb == START and not call.arguments:
        nodes = 0  # whoever carries it out knows which name is free
    if _takes_groups(deed):
        _must_be_groups(call)
    elif len(call.arguments) != nodes + len(ordered):
        raise UserError(f"{call.verb} takes {_counted(deed, len(ordered))}, and was given {len(call.arguments)} values")
    for node in call.arguments[:nodes]:
        if deed.of == OF_A_LINK and isinstance(node, tuple):
            wrong = wrong_with_names(node) or ("" if node else "name at least one node on each side")
            if wrong:
                raise UserError(f"{call.verb}: {wrong}")
        else:
            _must_be(call, "a node", node, str)
    for parameter, value in zip(ordered, call.arguments[nodes:], strict=False):
        if parameter.unit != GROUPS:
            _must_be(call, parameter.name, value, _kind(parameter))
    for name, value in call.options.items():
        if name not in named:
            raise UserError(f"{call.verb} takes no {name}")
        parameter_or_none = named[name]
        if parameter_or_none is None:
            _must_be(call, name, value, bool if name == ONE_WAY else str)
        elif value is not None:
            _must_be(call, name, value, _kind(parameter_or_none))
    if deed.of_sender and "sender" not in call.options:
        raise UserError(f"{call.verb}: choose the node that sends")
    return call


def _kind(parameter: Parameter) -> type:
    return TYPES.get(parameter.unit, str if parameter.unit in WORDS else int)


def _must_be_groups(call: Call) -> None:
    groups = tuple(group for group in call.arguments if isinstance(group, tuple))
    wrong = wrong_with(groups) if len(groups) == len(call.arguments) else "it takes groups of nodes"
    if wrong:
        raise UserError(f"{call.verb}: {wrong}")


def _nodes(deed: Deed) -> int:
    if deed.of == OF_A_LINK:
        return 2
    return 1 if (deed.of == OF_A_NODE and not deed.of_sender) or deed.verb == START else 0


def _counted(deed: Deed, ordered: int) -> str:
    of = {OF_A_LINK: "two nodes", OF_A_NODE: "a node"}.get(deed.of, "no node")
    return of + (f" and {ordered} more" if ordered else "")


def _must_be(call: Call, name: str, value: Value, kind: type) -> None:
    if type(value) is not kind or (isinstance(value, int) and abs(value) > MOST):
        what = {
            str: "a text",
            int: "a whole number",
            bool: "yes or no",
            tuple: "names of nodes",
            dict: "names with values",
        }[kind]
        raise UserError(f"{call.verb}: {name.replace('_', ' ')} is {what}, not {value!r}")
