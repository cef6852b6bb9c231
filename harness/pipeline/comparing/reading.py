"""Reads of a store all that is compared: by Spark, or of a store on this machine by DuckDB, in the same words.

Of all its runs but those of a search; with what they took, as far as their histories are kept and they have passed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from shaketable.harness.pipeline.comparing.facts import RunFacts
from shaketable.harness.pipeline.comparing.pairs import Key
from shaketable.harness.pipeline.measuring.measure import PASSED_ONLY, sampled
from shaketable.harness.pipeline.measuring.measures import MEASURES, Measure
from shaketable.harness.pipeline.measuring.on_duckdb import RELATIONS_HERE, database_of, rows_of, sample
from shaketable.harness.pipeline.measuring.views import views_of
from shaketable.harness.pipeline.spark.trouble import told_in_words
from shaketable.harness.verdicts.rows import under_test

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from shaketable.harness.pipeline.stores.store import Store

# A search makes its plans of what its campaign has reached: two runs of one name may have different plans.
_RUNS: Final = """
    SELECT script, world, variant, preset, seed, system, system_version, run, file, outcome, reasons, again,
        history_hash, untold, system_title, coalesce(kept, '') <> '' AS is_kept,
        md5(settings) AS settings
    FROM {runs} WHERE coalesce(plan, '') = ''
    ORDER BY wall_began, run"""
# Many runs have the same settings, and these are long.
_SETTINGS: Final = """
    SELECT DISTINCT md5(settings) AS name, settings FROM {runs} WHERE coalesce(plan, '') = ''"""
_MEANS: Final = """
    SELECT c.run, s.measure, {mean} AS mean
    FROM {samples} AS s JOIN {chosen} AS c ON c.id = s.id
    GROUP BY c.run, s.measure"""
_KEY: Final = ("script", "world", "variant", "preset", "seed", "system", "system_version")


def runs_of(spark: SparkSession, store: Store, measures: Sequence[Measure] = MEASURES) -> dict[Key, RunFacts]:
    with told_in_words(f"the runs of {store.path} cannot be read"), views_of(spark) as views:
        views.add("samples", sampled(spark, store, views, measures, PASSED_ONLY))
        texts = [_MEANS.format(mean="avg(s.value)", **views.names)]
        texts += [text.format(**views.names) for text in (_RUNS, _SETTINGS)]
        means, runs, settings = ([told.asDict(recursive=True) for told in spark.sql(text).collect()] for text in texts)
        return _facts(means, runs, settings)


def runs_here(store: Path, measures: Sequence[Measure] = MEASURES, *, cores: int | None = None) -> dict[Key, RunFacts]:
    """As runs_of, of a store in this folder. A sum of fractions hangs on their order: so each has one."""
    with database_of(store, cores) as database:
        sample(database, measures, PASSED_ONLY)
        means = rows_of(database, _MEANS.format(mean="avg(s.value ORDER BY s.value)", **RELATIONS_HERE))
        runs, settings = (rows_of(database, text.format(**RELATIONS_HERE)) for text in (_RUNS, _SETTINGS))
        return _facts(means, runs, settings)


def _facts(
    means: Iterable[Mapping[str, Any]], runs: Iterable[Mapping[str, Any]], settings: Iterable[Mapping[str, Any]]
) -> dict[Key, RunFacts]:
    known = {told["name"]: _in_words(told["settings"]) for told in settings}
    of: dict[str, dict[str, float]] = {}
    for told in means:
        of.setdefault(told["run"], {})[told["measure"]] = told["mean"]
    repeats: Counter[Key] = Counter()
    found = {}
    for told in runs:
        key = Key(*(told[name] for name in _KEY))
        repeats[key] += 1
        reasons = told["reasons"] or ()
        found[key._replace(repeat=repeats[key])] = RunFacts(
            outcome=told["outcome"],
            file=told["file"],
            why=reasons[0]["text"] if reasons else "",
            again=told["again"],
            history_hash=told["history_hash"],
            kept=told["is_kept"],
            settings=known[told["settings"]],
            means=of.get(told["run"], {}),
            checks=tuple(reason["check"] for reason in reasons),
            untold=tuple(told["untold"] or ()),
            system=under_test(told["system"], told["system_version"], told["system_title"]),
        )
    return found


def _in_words(settings: str) -> dict[str, str]:
    """Each value as it is given in a command."""
    values: dict[str, Any] = msgspec.json.decode(settings)
    return {
        name: value if isinstance(value, str) else msgspec.json.encode(value).decode() for name, value in values.items()
    }
