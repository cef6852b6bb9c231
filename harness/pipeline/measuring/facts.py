"""The events that measuring reads of histories: a few kinds, each as one narrow row, in one scan.

All SQL here and in relations.py is SQL that other engines read too (the bench gives the same text to another engine). A
name in braces stands for a relation. A fact lies before the end of its run's script: the world's cleaning up afterwards
does not belong to the story.

Names are hashed to 64 bits. They are compared only within one run, where no two will ever be taken for one. An engine
that sorts and groups numbers takes half the time."""

from __future__ import annotations

from typing import Final, NamedTuple


class Fact(NamedTuple):
    """How one kind is read: `about` whom it is, `key` says which events belong together, `word` what an event says,
    `value` how much."""

    about: str = "peer_uuid"
    key: str = ""
    word: str = ""
    value: str = ""


# The text of a detail is canonical (harness/history/codec.py): its fields have an order, it has no blanks, and within
# a text no quote stands alone. So a look for a piece of it tells what a parser would, at a tenth of the time. There are
# few such looks, each for many kinds: what an engine makes of a long statement it runs slowly.
_NUMBER: Final = """try_cast(regexp_extract(detail, '"(?:to|bytes|sent|count|silence)":([0-9]+)', 1) AS BIGINT)"""
_GROUP: Final = """try_cast(regexp_extract(detail, '"(?:fault|periods)":([0-9]+)', 1) AS BIGINT)"""
_TEXT: Final = """regexp_extract(detail, '"(?:verb|state|change|signal)":"([^"]*)"', 1)"""
_MIGRATION: Final = """xxhash64(regexp_extract(detail, '"(?:migration":|info":.)"([^"]*)"', 1))"""
_YES: Final = """CASE WHEN detail LIKE '%"successful":true%' OR detail LIKE '%"lasts":true%' THEN 1 ELSE 0 END"""

FACTS: Final = {
    "OperationCalled": Fact(
        key="""xxhash64(substring_index(detail, ',"does":', 1))""",
        word="""CASE WHEN detail LIKE '%"does":"get"%' THEN 'get' ELSE 'write' END""",
    ),
    "OperationReturned": Fact(
        key="""xxhash64(substring_index(detail, ',"outcome":', 1))""",
        word="""CASE WHEN detail LIKE '%"outcome":"ok"%' THEN 'ok' WHEN detail LIKE '%"outcome":"failed"%' THEN 'failed'
            ELSE 'unknown' END""",
    ),
    "ChunkSent": Fact(value=_NUMBER),
    "ViewInstalled": Fact(key="xxhash64(concat(CAST(version AS STRING), ' ', author))"),
    "MigrationRequested": Fact(key=_MIGRATION),
    "MigrationFinished": Fact(key=_MIGRATION, value=_YES),
    "TablePublished": Fact(value=_NUMBER),
    "HeartbeatsCounted": Fact(key=_GROUP, value=_NUMBER),
    "ExplicitSuspicionSent": Fact(value="1"),
    "Suspected": Fact(word="why", value=_NUMBER),
    "ViewPublished": Fact(value=_NUMBER),
    "Started": Fact(),
    "Joined": Fact(),
    "NodeConfigured": Fact(),
    "NodeSpawned": Fact("peer"),
    "NodeEnded": Fact("peer", word="why"),
    "FaultAsked": Fact(key=_GROUP, word=_TEXT, value=_YES),
    "FaultTook": Fact(key=_GROUP),
    "FaultEnded": Fact(key=_GROUP),
    "FabricTrouble": Fact(),
    "FabricRestored": Fact(),
    "ProbeFailed": Fact(value=_NUMBER),
    "MemberRemoved": Fact(),
    "HealthAnnouncedToAll": Fact(word=_TEXT),
    "NotificationPublished": Fact(word=_TEXT, value=_NUMBER),
    "Signalled": Fact(word=_TEXT),
    "LeadershipTaken": Fact(),
    "LeadershipYielded": Fact(),
    "ClaimStarted": Fact(),
    "ClaimFinished": Fact(),
    "ClaimAsked": Fact(value="1"),
    "Merging": Fact(),
    "Merged": Fact(),
    "FramesDropped": Fact(value=_NUMBER),
    "PartitionsPlanned": Fact(),
    "PlanCancelled": Fact(),
    "PlanDone": Fact(),
}


def facts_sql() -> str:
    """{history} are a store's events; {chosen} the runs that are measured, with their number, `id`."""
    kinds = ", ".join(f"'{kind}'" for kind in FACTS)
    return f"""
        SELECT id, time, sequence, xxhash64(node) AS node, xxhash64(incarnation) AS process, kind,
            xxhash64({_case("about")}) AS about, {_case("key")} AS key, {_case("word")} AS word,
            {_case("value")} AS value
        FROM {{history}} JOIN {{chosen}} USING (run)
        WHERE kind IN ({kinds}) AND time <= duration"""


def _case(name: str) -> str:
    by_expression: dict[str, list[str]] = {}
    for kind, fact in FACTS.items():
        if expression := getattr(fact, name):
            by_expression.setdefault(expression, []).append(kind)
    cases = (f"WHEN kind IN ({', '.join(map(repr, kinds))}) THEN {each}" for each, kinds in by_expression.items())
    return f"CASE {' '.join(cases)} END"
