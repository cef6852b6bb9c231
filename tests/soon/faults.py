"""The bugs that are looked for: old behaviours, planted members, and mutants of the core."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from enum import StrEnum
from functools import cache
from typing import Any, Final

import msgspec
from tests.mutants.mutants import Mutant, known, planted
from tests.where import DATA

from shaketable.harness.pipeline.museum.exhibits import legacy_exhibits
from shaketable.harness.runs.run import Options
from shaketable.harness.scripting.targets import scripts_of_ours
from shaketable.node.config import CLUSTER

CHOSEN: Final = DATA / "soon" / "mutants.txt"


class Kind(StrEnum):
    LEGACY = "old behaviour"
    PLANTED = "planted member"
    MUTANT = "mutant"


class Fault(msgspec.Struct, frozen=True):
    kind: Kind
    name: str
    """of a legacy fault, of a class, or a mutant's line of data"""
    family: str = CLUSTER

    @property
    def values(self) -> Mapping[str, str]:
        return {"family": self.family, "legacy_fault": self.name} if self.kind is Kind.LEGACY else {}

    @property
    def make_member(self) -> Callable[..., Any] | None:
        return _members()[self.name][0] if self.kind is Kind.PLANTED else None

    @contextmanager
    def in_place(self) -> Iterator[None]:
        with planted(self.mutant) if self.kind is Kind.MUTANT else nullcontext():
            yield

    @property
    def mutant(self) -> Mutant:
        mutant = known(self.name)
        assert mutant is not None, f"the core has no such place: {self.name}"
        return mutant

    @property
    def is_there(self) -> bool:
        """A mutant's place may have gone since it was chosen."""
        return self.kind is not Kind.MUTANT or known(self.name) is not None

    def __str__(self) -> str:
        if self.kind is not Kind.MUTANT:
            return self.name
        what, _, change = self.name.partition(": ")
        before, _, after = change.partition(" => ")
        return f"{what.partition(' ')[2]}: {before} becomes {after}"


def all_faults() -> list[Fault]:
    """In the order of the table."""
    legacy = {each.name: Fault(Kind.LEGACY, each.name, each.family) for each in legacy_exhibits(scripts_of_ours())}
    members = [Fault(Kind.PLANTED, name, family) for name, (_, family) in _members().items()]
    return [*legacy.values(), *members, *(Fault(Kind.MUTANT, line) for line in chosen_mutants())]


def chosen_mutants() -> list[str]:
    lines = CHOSEN.read_text(encoding="utf-8").splitlines() if CHOSEN.exists() else []
    return [line for line in lines if line and not line.startswith("#")]


@cache
def _members() -> Mapping[str, tuple[Callable[..., Any], str]]:
    """By the name of the class: it, and its family."""
    from tests.planted.test_planted_bugs import CASES

    return {member.__name__: (member, Options("sim").settings(story).family) for _, story, member in CASES}
