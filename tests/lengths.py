"""Which tests `make test` plays, which ones a build plays besides, and which are left to `make test-all`.

A test is `long`, or it is not. Each story and each kind of case has its share in both; the long ones are more seeds and
more cases of the same. Of these, the ones for the `night` are more of the same once more: a build leaves them out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import pytest
from _pytest.mark import ParameterSet

LONG: Final = pytest.mark.long
LONGEST: Final = LONG("first")
"""It takes a minute of a core by itself."""
NIGHT: Final = pytest.mark.night
"""of one that is long as well"""


def one_in(number: int, cases: Iterable[object]) -> list[ParameterSet]:
    """All these cases, and all but each `number`th of them are long."""
    told = [_case(case) for case in cases]
    return [case if place % number == number - 1 else _marked(case, LONG) for place, case in enumerate(told)]


def mostly_by_night(number: int, cases: Iterable[object]) -> list[ParameterSet]:
    """All these cases. Of those that are long, each `number`th is for a build, and the others are for the night."""
    told, long = [_case(case) for case in cases], 0
    for place, case in enumerate(told):
        if LONG.mark in (each if isinstance(each, pytest.Mark) else each.mark for each in case.marks):
            long += 1
            told[place] = case if long % number == 0 else _marked(case, NIGHT)
    return told


def seeds(few: int, many: int, *, first: int = 0) -> pytest.MarkDecorator:
    """`seeds`: a few from the first on, and as a test of its own, a long one, the others of `many`."""
    split, end = first + few, first + many
    others = [pytest.param(range(split, end), id=f"seeds-{split}-to-{end - 1}", marks=LONG)] if many > few else []
    return pytest.mark.parametrize("seeds", [pytest.param(range(first, split), id="first-seeds"), *others])


def cases(few: int, many: int) -> pytest.MarkDecorator:
    """`count`: how many cases by chance; few, and as a long test of its own many."""
    return pytest.mark.parametrize("count", [few, pytest.param(many, marks=LONG)])


def _case(case: object) -> ParameterSet:
    return case if isinstance(case, ParameterSet) else pytest.param(*(case if isinstance(case, tuple) else (case,)))


def _marked(case: ParameterSet, mark: pytest.MarkDecorator) -> ParameterSet:
    marks: Sequence[pytest.MarkDecorator | pytest.Mark] = [*case.marks, mark]
    return pytest.param(*case.values, id=case.id, marks=marks)
