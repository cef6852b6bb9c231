"""Systems whose members go wrong where the harness asks them for something."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, NoReturn

from tests.harness.systems.toy import TOY, ToyDialogue, ToyMembers

from shaketable.harness.systems.system import Members, Place, System
from shaketable.harness.systems.their_code import guarded
from shaketable.node.process import control

NOTHING: Final[Mapping[str, Any]] = {}


def boom(*given: Any) -> NoReturn:
    raise RuntimeError("boom")


BOOM: Final = f"raised RuntimeError: boom (faulty.py:{boom.__code__.co_firstlineno + 1})"
"""what is said of it"""


def late_boom(line: bytes) -> Iterator[control.Said]:
    """Raises where somebody asks for its second word."""
    yield control.Running()
    boom()


def gives(value: object) -> Callable[..., Any]:
    return lambda *given: value


class Faulty(ToyMembers):
    def __init__(self, of_members: Mapping[str, Any], of_dialogue: Mapping[str, Any]) -> None:
        super().__init__({})
        self._of_dialogue = of_dialogue
        for name, does in of_members.items():
            setattr(self, name, does)

    def dialogue(self, place: Place) -> ToyDialogue:
        dialogue = super().dialogue(place)
        for name, does in self._of_dialogue.items():
            setattr(dialogue, name, does)
        return dialogue


def faulty(of_members: Mapping[str, Any] = NOTHING, of_dialogue: Mapping[str, Any] = NOTHING) -> System:
    """As it comes from its package."""

    def members(under_test: object) -> Members:
        return Faulty(of_members, of_dialogue)

    return guarded(replace(TOY, members=members), "the package wrong")
