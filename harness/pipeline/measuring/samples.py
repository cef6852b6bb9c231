"""One statement that makes all samples of all measures: a row for each case, (measure, id, value).

Each relation is gone through once, for all that is measured on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final

from shaketable.harness.pipeline.measuring.measures import Measure
from shaketable.harness.pipeline.measuring.relations import RELATIONS

_SEVERAL: Final = ("crashes", "sums", "chosen")
"""One row is a case of several measures there, elsewhere of one at most."""
_ONLY: Final = {"facts": " WHERE kind IN ('Suspected', 'ProbeFailed')"}


GIVEN: Final = ("facts", "calms", "crash", "chosen")
"""What the statement is made of: facts.facts_sql, relations.CALMS and CRASH, and the runs that are measured."""


def samples_sql(measures: Sequence[Measure], names_given: Mapping[str, str]) -> str:
    """`names_given`: of each of GIVEN."""
    given = {name: names_given[name] for name in GIVEN}
    names = {**given, **{name: name for name in RELATIONS}}
    wanted = {measure.relation for measure in measures}
    made = ",\n".join(f"{name} AS ({text.format(**given)})" for name, text in RELATIONS.items() if name in wanted)
    in_order = sorted(measures, key=attrgetter("relation"))
    parts = [
        _of_relation(names[relation], list(each), several=relation in _SEVERAL, only=_ONLY.get(relation, ""))
        for relation, each in groupby(in_order, attrgetter("relation"))
    ]
    return (f"WITH {made}\n" if made else "") + "\nUNION ALL\n".join(parts)


def _of_relation(name: str, measures: Sequence[Measure], *, several: bool, only: str) -> str:
    if several:
        cases = " ".join(f"WHEN '{each.name}' THEN {each.value}" for each in measures)
        listed = ", ".join(f"('{each.name}')" for each in measures)
        told = f"""SELECT measure, id, CASE measure {cases} END AS value
            FROM {name} CROSS JOIN (VALUES {listed}) AS m(measure)"""
    else:
        cases = " ".join(f"WHEN {each.value} IS NOT NULL THEN '{each.name}'" for each in measures)
        values = ", ".join(each.value for each in measures)
        told = f"SELECT CASE {cases} END AS measure, id, coalesce({values}) AS value FROM {name}{only}"
    return f"SELECT measure, id, CAST(value AS DOUBLE) AS value FROM ({told}) AS of_{name} WHERE value IS NOT NULL"
