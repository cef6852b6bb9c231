"""What was measured of a store, as a report shows it: by variant where there are several, else by script, each beside
what the settings promise, and with the shape of its distribution."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from shaketable.harness.pipeline.measuring.measure import EVERY_RUN, PASSED_ONLY, measured_with_shares
from shaketable.harness.pipeline.measuring.measures import MEASURES, MeasureRow
from shaketable.harness.pipeline.stores.store import Store
from shaketable.harness.reports.model import Measure, Spread
from shaketable.harness.verdicts.rows import KEPT_SAMPLE, under_test

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SHOWN: Final = tuple(measure for measure in MEASURES if measure.relation != "chosen")
"""Of whole runs, those without a history included, the rows say enough."""
PARTS: Final = 24
"""of as many cases each: how finely a distribution is told"""
SHARES: Final = tuple(number / PARTS for number in range(PARTS + 1))


def measures_of(store: Store) -> list[Measure]:
    from pyspark.sql.functions import col

    spark: SparkSession = store.runs.sparkSession
    several = len(store.runs.select("variant").distinct().head(2)) > 1
    sampled = bool(store.runs.where(col("kept") == KEPT_SAMPLE).head(1))
    systems = _systems(store)
    rows = measured_with_shares(
        spark,
        store,
        ["variant" if several else "script", *(("system", "version") if len(systems) > 1 else ())],
        SHOWN,
        which=PASSED_ONLY if sampled else EVERY_RUN,
        shares=SHARES,
    )
    return as_shown(rows, systems)


def _systems(store: Store) -> dict[tuple[str, str], str]:
    """The full names of all whose members ran."""
    found = store.runs.select("system", "system_version", "system_title").distinct().collect()
    return {(system.name, system.version): system.full_name for system in (under_test(*told) for told in found)}


def as_shown(
    rows: Iterable[tuple[MeasureRow, Sequence[float]]], systems: Mapping[tuple[str, str], str] = {}
) -> list[Measure]:
    """`systems`: their full names, by name and version."""
    return [
        Measure(
            measure=row.measure,
            about=f"{row.words[:1].upper()}{row.words[1:]}.",
            script=row.script or "",
            variant=row.variant or ("as written" if row.variant is not None else ""),
            system="" if row.system is None else systems[row.system, row.version or ""],
            unit=row.unit,
            spread=_spread(row, shares),
            promised_least=row.promised_least,
            promised_most=row.promised_most,
            outside=row.outside or 0,
        )
        for row, shares in rows
    ]


def _spread(row: MeasureRow, shares: Sequence[float]) -> Spread:
    """Between two shares lie equally many: the nearer they are, the more there were."""
    return Spread(
        count=row.n,
        least=row.least,
        median=row.p50,
        ninety=row.p90,
        high=row.p99,
        most=row.most,
        shares=tuple(shares) if row.n > 2 and row.least < row.most else (),
    )
