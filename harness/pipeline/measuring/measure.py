"""`shaketable measure`: how long things took in the runs of a store, and how much they took, beside what is promised.

Histories are read once. All else is made of the few rows of that scan, which stay in memory by run and kind (views.py).
So each measure reads only its own rows, and nothing has to be sorted over the network again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.measuring.facts import facts_sql
from shaketable.harness.pipeline.measuring.measures import BOTH, BY_NAME, MEASURES, Measure, MeasureRow
from shaketable.harness.pipeline.measuring.relations import CALMS, CRASH
from shaketable.harness.pipeline.measuring.samples import samples_sql
from shaketable.harness.pipeline.measuring.views import Views, views_of
from shaketable.harness.pipeline.spark.trouble import told_in_words
from shaketable.harness.pipeline.stores.store import Store
from shaketable.harness.records import OURS
from shaketable.harness.verdicts.verdict import PASSED
from shaketable.node.config import SettingError, read_settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

GROUPS: Final = ("script", "world", "variant", "nodes", "system", "version")
"""by which runs can be told apart"""
_COLUMNS: Final = {"version": "system_version AS version"}
"""of those that have another name among the columns of a run: histories have a version as well"""

CHOSEN: Final = f"""
    SELECT xxhash64(run) AS id, run, script, world, variant, nodes, seed, duration, events, family,
        preset, settings, allowance, system_version,
        CASE WHEN system = '' THEN '{OURS.name}' ELSE system END AS system,
        md5(concat_ws(' ', family, preset, settings, CAST(allowance AS STRING), CAST(nodes AS STRING))) AS terms
    FROM {{runs}}
    WHERE {{which}}"""
"""A number for each run, from its name: to count them all one task would have to see them all. That two of ten million
have the same is as likely as 3 in a million."""
PASSED_ONLY: Final = f"outcome = '{PASSED}'"
"""All histories of runs that have not passed are kept, and of the others a sample: together they would be no sample."""
EVERY_RUN: Final = "1 = 1"
USUAL_SHARES: Final = (0.5, 0.9, 0.99)

EXACT: Final = 200_000_000
"""events: of more, the values of a measure, which one task gets, might not have room there"""


class Summed(NamedTuple):
    """How a group of values is summed up."""

    runs: str
    percentiles: str


_EXACTLY: Final = Summed(
    # `count(DISTINCT id)` would make Spark go through all values, percentiles included, twice.
    "size(collect_set(id))",
    "percentile(value, array({shares}))",
)
_BY_SKETCH: Final = Summed("count(DISTINCT id)", "percentile_approx(value, array({shares}), 10000)")
"""Each task makes a sketch of its values, and sketches are merged (Greenwald and Khanna). The rank of a percentile is
wrong by at most one in 10,000."""

ROWS: Final = """
    SELECT measure, {by} count(*) AS n, {runs_told} AS runs, sum(value) AS total, min(value) AS least,
        {percentiles} AS percentiles, max(value) AS most,
        min(promised_least) AS promised_least, max(promised_most) AS promised_most, count(terms) AS promised,
        sum(CASE WHEN value < promised_least OR value > promised_most THEN 1 ELSE 0 END) AS outside
    FROM (
        SELECT s.measure, s.id, s.value, {of_run} p.terms, p.promised_least, p.promised_most
        FROM {samples} AS s JOIN {chosen} AS c ON c.id = s.id
        LEFT JOIN {promises} AS p ON p.measure = s.measure AND p.terms = c.terms
    ) AS told
    GROUP BY {groups}"""

PROMISED: Final = """
    SELECT terms, min(family) AS family, min(preset) AS preset, min(settings) AS settings,
        min(allowance) AS allowance, min(nodes) AS nodes
    FROM {chosen}
    WHERE id NOT IN (SELECT id FROM {facts} WHERE kind = 'NodeConfigured')
    GROUP BY terms"""
"""The settings by which runs are promised something; runs mostly share theirs. Of a run in which a node has settings of
its own nothing is said."""
Promised = tuple[str, str, float | None, float | None]
"""a measure, the terms of runs, and the least and the most that these promise"""


def measured(
    spark: SparkSession,
    store: Store,
    by: Sequence[str] = (),
    measures: Sequence[Measure] = MEASURES,
    which: str = PASSED_ONLY,
) -> list[MeasureRow]:
    """One row for each measure and group of runs; `by` of GROUPS. In the order of the measures, then by group."""
    return [row for row, _ in measured_with_shares(spark, store, by, measures, which)]


def measured_with_shares(
    spark: SparkSession,
    store: Store,
    by: Sequence[str] = (),
    measures: Sequence[Measure] = MEASURES,
    which: str = PASSED_ONLY,
    shares: Sequence[float] = (),
) -> list[tuple[MeasureRow, list[float]]]:
    """With each row the values that these shares of its cases are no more than: enough of them show a distribution."""
    with told_in_words(f"the runs of {store.path} cannot be measured"), views_of(spark) as views:
        samples = sampled(spark, store, views, measures, which)
        exact = views.events <= EXACT
        summed = _EXACTLY if exact else _BY_SKETCH
        views.add("samples", samples)
        views.add("promises", _promises(spark, views, measures))
        told = spark.sql(rows_sql(by, shares, summed, views.names)).collect()
    return in_order((each.asDict() for each in told), measures, by, exact=exact)


def rows_sql(by: Sequence[str], shares: Sequence[float], summed: Summed, names: Mapping[str, str]) -> str:
    """`shares` beside the usual ones; `names` of the relations."""
    return ROWS.format(
        by="".join(f"{each}, " for each in by),
        of_run="".join(f"c.{_COLUMNS.get(each, each)}, " for each in by),
        groups=", ".join(("measure", *by)),
        percentiles=summed.percentiles.format(shares=", ".join(map(str, (*USUAL_SHARES, *shares)))),
        runs_told=summed.runs,
        **names,
    )


def in_order(
    told: Iterable[dict[str, Any]], measures: Sequence[Measure], by: Sequence[str], *, exact: bool
) -> list[tuple[MeasureRow, list[float]]]:
    """What ROWS came to; with each row the values of the shares that are not the usual ones."""
    rows = [(list(each["percentiles"]), _row(each, by, exact)) for each in told]
    place = {measure.name: number for number, measure in enumerate(measures)}
    rows.sort(key=lambda each: (place[each[1].measure], [str(getattr(each[1], name)).zfill(8) for name in by]))
    return [(row, percentiles[len(USUAL_SHARES) :]) for percentiles, row in rows]


def sampled(spark: SparkSession, store: Store, views: Views, measures: Sequence[Measure], which: str) -> DataFrame:
    """(measure, id, value) of each case; `views` gets the runs as `chosen`."""
    views.add("runs", store.runs)
    views.add("history", store.history)
    views.keep("chosen", spark.sql(CHOSEN.format(runs=views.names["runs"], which=which)))
    (told,) = spark.sql(f"SELECT coalesce(sum(events), 0) AS events FROM {views.names['chosen']}").collect()
    parts = views.in_parts(told["events"])
    facts = spark.sql(facts_sql().format(**views.names)).repartition(parts, "id").sortWithinPartitions("kind")
    views.keep("facts", facts)
    views.keep("calms", spark.sql(CALMS.format(**views.names)))
    views.keep("crash", spark.sql(CRASH.format(**views.names)))
    return spark.sql(samples_sql(measures, views.names))


def _promises(spark: SparkSession, views: Views, measures: Sequence[Measure]) -> DataFrame:
    rows = (told.asDict() for told in spark.sql(PROMISED.format(**views.names)).collect())
    made = promises_of(rows, measures)
    return spark.createDataFrame(made, "measure string, terms string, promised_least double, promised_most double")


def promises_of(runs: Iterable[dict[str, Any]], measures: Sequence[Measure]) -> list[Promised]:
    """`runs`: what PROMISED came to."""
    return [
        (measure.name, str(told["terms"]), *_as_floats(promise))
        for told in runs
        for measure in measures
        if (promise := _promise_of(measure, told)) is not None
    ]


def _promise_of(measure: Measure, run: dict[str, object]) -> tuple[float | None, float | None] | None:
    if measure.promise is None or measure.family not in (BOTH, run["family"]):
        return None
    try:
        settings = read_settings(str(run["preset"]), json.loads(str(run["settings"])))
    except (SettingError, ValueError):
        return None  # of another version
    nodes = int(str(run["nodes"]))
    return measure.promise(Bounds(settings, int(str(run["allowance"]))).of_so_many(nodes), nodes)


def _as_floats(promise: tuple[float | None, float | None]) -> tuple[float | None, float | None]:
    least, most = promise
    return (None if least is None else float(least)), (None if most is None else float(most))


def _row(told: dict[str, object], by: Sequence[str], exact: bool) -> MeasureRow:
    percentiles = told.pop("percentiles")
    promised, outside = told.pop("promised"), told.pop("outside")
    measure = BY_NAME[str(told.pop("measure"))]
    assert isinstance(percentiles, list)
    values: dict[str, object] = {name: told.pop(name) for name in by}
    return MeasureRow(
        measure=measure.name,
        unit=measure.unit,
        words=measure.words,
        p50=percentiles[0],
        p90=percentiles[1],
        p99=percentiles[2],
        exact=exact,
        outside=outside if promised else None,  # type: ignore[arg-type]
        **values,  # type: ignore[arg-type]
        **told,  # type: ignore[arg-type]
    )


def measures_named(names: Sequence[str]) -> Sequence[Measure]:
    for name in names:
        if name not in BY_NAME:
            raise UserError(f"nothing is measured by the name of {name}: there are {', '.join(BY_NAME)}")
    return [BY_NAME[name] for name in dict.fromkeys(names)] or MEASURES
