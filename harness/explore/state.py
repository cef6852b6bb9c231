"""A short name for the state of a simulated run. If two have one name, the same can follow, and checks say the same.

A node is all that can be reached from its member, by value: two members with equal lists are equal, wherever these come
from. All that a node has told belongs to the state, since the checks judge whole histories. It does not matter in which
order two nodes told something. Causes, marks and the numbers of reports only say how a step came about: they are left
out.

If something cannot be read so, a generator say, it is another thing each time, and no two states are taken for one."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache, partial
from hashlib import blake2b
from itertools import count
from types import BuiltinMethodType, CellType, FunctionType, MethodType, ModuleType
from typing import Any, Final

import msgspec

from shaketable.harness.worlds.sim.heap import SCRIPT, Call
from shaketable.harness.worlds.sim.orders import FAULTS, NOBODY, Orders, Step, name_of
from shaketable.harness.worlds.sim.world import SimWorld
from shaketable.node.cluster.partition.table import Table
from shaketable.node.config import Settings
from shaketable.node.core.env import Micros
from shaketable.node.messages import encode

Name = bytes
SIZE: Final = 16


class States:
    """Names the states of one run, one after the other: only what has changed is read again."""

    def __init__(self, world: SimWorld, orders: Orders) -> None:
        self._world, self._orders = world, orders
        self._nodes: dict[str, Name] = {}
        self._told: dict[str, blake2b] = {}
        self._read = 0
        self._messages: dict[int, bytes] = {}

    def after(self, step: Step) -> None:
        """This step was taken."""
        if step.kind in FAULTS or self._orders.acted:
            self._nodes.clear()
        else:
            self._nodes.pop(step.node, None)

    def name(self, *more: object) -> Name:
        world, orders = self._world, self._orders
        for record in world.records[self._read :]:
            told = self._told.setdefault(record.node, blake2b(digest_size=SIZE))
            told.update(repr((record.time, record.event)).encode())
        self._read = len(world.records)
        known = {id(world): "world", id(world.network): "network", id(orders): "heap", id(SCRIPT): "script"}
        for node in world.nodes.values():
            known |= {id(node): node.name, id(node.env): "env"}
            known |= {id(link): f"link {link.name}" for link in node.links.values()}
        timers: dict[str, list[object]] = {}
        news: list[tuple[str, Micros, object]] = []
        messages: list[tuple[str, Micros, bytes]] = []
        for at, number, taker, what, _ in orders.entries:
            to = name_of(taker)
            if type(what) is Call:
                timers.setdefault(to, []).append((at, what.due, what.callback))
            elif isinstance(what, Call):
                news.append((to, at, what.callback))
            else:
                text = self._messages.get(number) or self._messages.setdefault(number, encode(what))
                messages.append((to, at, text))
        for node in world.nodes.values():
            if node.name not in self._nodes:
                own = (timers.get(node.name), orders.last.get(node.name))
                self._nodes[node.name] = name_of_all(*node.state(), *own, known=known)
        news.sort(key=lambda each: each[:2])
        messages.sort()
        told_by = [(who, told.digest()) for who, told in sorted(self._told.items())]
        script = [orders.last.get(NOBODY), [each[:2] for each in timers.get(NOBODY, ())]]  # type: ignore[index]
        return name_of_all([*self._nodes.items()], news, messages, told_by, script, more, known=known)


def name_of_all(*roots: object, known: Mapping[int, str]) -> Name:
    """`known`: by their `id`, what is not looked into, and how it is called."""
    return blake2b(repr(_read(roots, known)).encode(), digest_size=SIZE).digest()


_ATOMS: Final = frozenset({int, float, bool, str, bytes, type(None)})
_unreadable: Final = count()


def _read(roots: tuple[object, ...], known: Mapping[int, str]) -> list[object]:
    out: list[object] = []
    seen: dict[int, int] = {}
    keep: list[object] = []  # what is made on the way must not leave its id to another one
    todo: list[Any] = [*roots][::-1]
    put, push, grow = out.append, todo.append, todo.extend
    while todo:
        thing = todo.pop()
        kind: type = type(thing)
        if kind in _ATOMS:
            put(thing)
            continue
        if kind is tuple:
            put(len(thing))
            grow(thing[::-1])
            continue
        if (names := _values(kind)) is not None:
            put(kind.__qualname__)
            grow(getattr(thing, name) for name in names)
            continue
        mine = id(thing)
        if mine in known:
            put(known[mine])
            continue
        if kind is MethodType:
            put(thing.__func__.__qualname__)
            push(thing.__self__)
            continue
        if mine in seen:
            put(("again", seen[mine]))
            continue
        seen[mine] = len(seen)
        keep.append(thing)
        if kind is dict:
            put(("dict", len(thing)))
            for key, value in reversed(thing.items()):
                push(value)
                push(key)
        elif kind is list or kind is deque:
            put(("list", len(thing)))
            grow(reversed(thing))
        else:
            _read_rare(thing, kind, known, put, push)
    return out


def _read_rare(
    thing: Any, kind: type, known: Mapping[int, str], put: Callable[[object], None], push: Callable[[object], None]
) -> None:
    if isinstance(thing, set | frozenset):
        put(("set", sorted(name_of_all(each, known=known) for each in thing)))
    elif isinstance(thing, Enum):
        put(str(thing))
    elif isinstance(thing, type | ModuleType):
        put(thing.__name__)
    elif kind is Settings:
        put(kind.__name__)  # they stay as they are for a whole run; and of two equal ones, 10 may be 10.0 in one
    elif isinstance(thing, random.Random):
        put(hash(thing.getstate()[1]))
    elif kind is FunctionType:
        put(thing.__qualname__)
        push(thing.__defaults__)
        push(tuple(_inside(cell) for cell in thing.__closure__ or ()))
    elif kind is BuiltinMethodType:
        put(thing.__qualname__)
        push(thing.__self__)
    elif kind is partial:
        push((thing.func, thing.args, tuple(thing.keywords.items())))
    elif kind is count:
        put(repr(thing))
    else:
        put(kind.__qualname__)
        names, own = _fields(kind), getattr(thing, "__dict__", None)
        if not names and own is None and kind.__module__ in ("builtins", "types"):
            put(("unreadable", next(_unreadable)))
        push(tuple(getattr(thing, name, None) for name in names))
        push(tuple(sorted(own.items())) if own else None)


@cache
def _values(kind: type) -> tuple[str, ...] | None:
    """The names of its fields, if a thing of this kind never changes: an equal one is the same."""
    if kind is Table:  # all else of it follows from these, and is filled in when somebody asks
        return "version", "rows"
    if issubclass(kind, msgspec.Struct):
        return kind.__struct_fields__ if kind.__struct_config__.frozen else None
    return getattr(kind, "_fields", None) if issubclass(kind, tuple) else None


@cache
def _fields(kind: type) -> tuple[str, ...]:
    if issubclass(kind, msgspec.Struct):
        return kind.__struct_fields__
    slots = [vars(base).get("__slots__", ()) for base in kind.__mro__]
    names = [name for each in slots for name in ((each,) if isinstance(each, str) else each)]
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))


def _inside(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return None
