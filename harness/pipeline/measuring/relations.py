"""What several measures share, made of the facts of histories (facts.py): one row is one thing that took its time.

A group keeps numbers alone: an engine that keeps texts has to sort for it."""

from __future__ import annotations

from typing import Final, NamedTuple

KEYED: Final = """
    SELECT id, pair, began, ended, reads, well
    FROM (
        SELECT id, pair,
            min(CASE WHEN begins THEN time END) AS began,
            min(CASE WHEN NOT begins THEN time END) AS ended,
            max(CASE WHEN begins AND word = 'get' THEN 1 ELSE 0 END) AS reads,
            max(CASE WHEN word = 'ok' OR (pair = 'migration' AND value = 1) THEN 1 ELSE 0 END) AS well
        FROM (
            SELECT id, process, key, time, word, value,
                CASE WHEN kind IN ('OperationCalled', 'OperationReturned') THEN 'operation'
                    WHEN kind IN ('MigrationRequested', 'MigrationFinished') THEN 'migration'
                    ELSE 'start' END AS pair,
                kind IN ('OperationCalled', 'MigrationRequested', 'Started') AS begins
            FROM {facts}
            WHERE kind IN ('OperationCalled', 'OperationReturned', 'MigrationRequested', 'MigrationFinished',
                'Started', 'Joined')
        ) AS sides
        GROUP BY id, pair, process, key
    ) AS both_sides
    WHERE began IS NOT NULL"""
"""What one and the same process began and ended, and that has a name of its own."""

IN_ORDER: Final = """
    SELECT id, pair, began, ended
    FROM (
        SELECT id, pair, begins, time AS began,
            CASE WHEN lead(begins) OVER story = 0 THEN lead(time) OVER story END AS ended
        FROM (
            SELECT id, time, sequence, node, process, about,
                CASE WHEN kind IN ('ClaimStarted', 'ClaimFinished') THEN 'claim'
                    WHEN kind IN ('Merging', 'Merged') THEN 'merge'
                    WHEN kind IN ('PartitionsPlanned', 'PlanCancelled', 'PlanDone') THEN 'plan'
                    ELSE 'doubt' END AS pair,
                CASE WHEN kind IN ('ClaimStarted', 'Merging', 'PartitionsPlanned') OR word = 'in doubt' THEN 1
                    WHEN kind IN ('ClaimFinished', 'Merged', 'PlanDone') OR word = 'failure' THEN 0
                    ELSE 2 END AS begins
            FROM {facts}
            WHERE kind IN ('ClaimStarted', 'ClaimFinished', 'Merging', 'Merged', 'PartitionsPlanned', 'PlanCancelled',
                    'PlanDone')
                OR (kind = 'HealthAnnouncedToAll' AND word IN ('in doubt', 'alive'))
                OR (kind = 'NotificationPublished' AND word IN ('failure', 'master change') AND about IS NOT NULL)
        ) AS sides
        WINDOW story AS (
            PARTITION BY id, pair, CASE WHEN pair = 'merge' THEN node ELSE process END,
                CASE WHEN pair = 'doubt' THEN about END
            ORDER BY time, sequence
        )
    ) AS told
    WHERE begins = 1"""
"""What has no name: it ended if the next that is told of it is its end, and not that it was given up or began anew."""

CALMS: Final = """
    SELECT id, crash, broken, began, last_list, merged, led,
        CASE WHEN lag(began) OVER story = began THEN 1 ELSE 0 END AS at_once,
        lead(began) OVER story AS ended
    FROM (
        SELECT id, calm,
            max(broken) AS broken,
            max(CASE WHEN disturbs = 1 THEN time END) AS began,
            max(crash) AS crash,
            max(CASE WHEN kind = 'ViewInstalled' THEN time END) AS last_list,
            max(CASE WHEN kind IN ('Merged', 'LeadershipYielded') THEN 1 ELSE 0 END) AS merged,
            min(CASE WHEN kind IN ('ClaimFinished', 'LeadershipTaken') THEN time END) AS led
        FROM (
            SELECT id, time, kind, crash, disturbs, sum(disturbs) OVER so_far AS calm, sum(breaks) OVER so_far AS broken
            FROM (
                SELECT id, time, kind, 0 AS breaks,
                    CASE WHEN kind = 'NodeEnded' AND word = 'killed' THEN 1 ELSE 0 END AS crash,
                    CASE WHEN kind IN ('NodeSpawned', 'NodeEnded', 'FabricTrouble', 'FabricRestored') THEN 1 ELSE 0 END
                        AS disturbs
                FROM {facts}
                WHERE kind IN ('NodeSpawned', 'NodeEnded', 'FabricTrouble', 'FabricRestored', 'ViewInstalled', 'Merged',
                    'LeadershipYielded', 'ClaimFinished', 'LeadershipTaken')
                UNION ALL
                SELECT id, time, kind,
                    CASE WHEN lasts = 0 THEN 0 WHEN kind = 'FaultTook' THEN 1 ELSE -1 END AS breaks, 0 AS crash,
                    1 AS disturbs
                FROM (
                    SELECT id, time, kind,
                        max(CASE WHEN kind = 'FaultAsked' THEN value END) OVER fault AS lasts,
                        max(CASE WHEN word = 'kill' THEN 1 ELSE 0 END) OVER fault AS kills
                    FROM {facts}
                    WHERE kind IN ('FaultAsked', 'FaultTook', 'FaultEnded')
                    WINDOW fault AS (PARTITION BY id, key)
                ) AS faults
                WHERE kind <> 'FaultAsked' AND kills = 0
            ) AS told
            WINDOW so_far AS (PARTITION BY id ORDER BY time, disturbs, crash DESC ROWS UNBOUNDED PRECEDING)
        ) AS numbered
        WHERE calm > 0
        GROUP BY id, calm
    ) AS calms
    WINDOW story AS (PARTITION BY id ORDER BY calm)"""
"""From each moment at which something was begun or ended to the next such: whether it was a crash (its word is the end
of the process), how many faults were on, and what came of it. Events at the very moment of the next one came before it:
a script waits for it."""

CRASH: Final = """
    SELECT calm.id, calm.began, min(calm.ended) AS ended, min(calm.led) AS led,
        max_by(start.process, start.time) AS victim
    FROM {calms} AS calm
    JOIN {facts} AS gone ON gone.id = calm.id AND gone.time = calm.began AND gone.kind = 'NodeEnded'
    JOIN {facts} AS start ON start.id = calm.id AND start.node = gone.about AND start.kind = 'Started'
        AND start.time <= calm.began
    WHERE calm.crash = 1 AND calm.broken = 0 AND calm.at_once = 0
        AND (calm.ended > calm.began OR calm.ended IS NULL)
    GROUP BY calm.id, calm.began"""
"""Of a process that was killed while nothing else was broken, and with which nobody else came or went."""

CRASHES: Final = """
    SELECT crash.id, crash.began, min(crash.ended) AS ended, min(crash.led) AS led,
        min(CASE WHEN fact.kind = 'Suspected' THEN fact.time END) AS suspected,
        min(CASE WHEN fact.kind <> 'Suspected' THEN fact.time END) AS announced
    FROM {crash} AS crash
    JOIN {facts} AS fact ON fact.id = crash.id AND fact.about = crash.victim
        AND (fact.kind IN ('Suspected', 'MemberRemoved')
            OR (fact.kind = 'NotificationPublished' AND fact.word = 'failure'))
    GROUP BY crash.id, crash.began"""
"""Of each of them, when the first suspected it and when it was announced."""

HEARD: Final = """
    SELECT crash.id, crash.began, min(crash.ended) AS ended, min(fact.time) AS heard
    FROM {crash} AS crash
    JOIN {facts} AS fact ON fact.id = crash.id AND fact.about = crash.victim AND fact.kind = 'Signalled'
        AND fact.word = 'FAILURE'
    GROUP BY crash.id, crash.began, fact.process"""
"""Of the same crashes, in a group, once for each survivor whose application heard of it."""

ENDS: Final = """
    SELECT calm.id, calm.began, calm.last_list
    FROM {calms} AS calm
    JOIN (
        SELECT live.id, count(*) AS members, count(newest.list) AS have_one, min(newest.list) AS one,
            max(newest.list) AS other
        FROM (
            SELECT id, node FROM (
                SELECT id, about AS node, kind,
                    row_number() OVER (PARTITION BY id, about ORDER BY time DESC, sequence DESC) AS place
                FROM {facts} WHERE kind IN ('NodeSpawned', 'NodeEnded')
            ) AS turns WHERE place = 1 AND kind = 'NodeSpawned'
        ) AS live
        LEFT JOIN (
            SELECT id, node, list FROM (
                SELECT id, node, key AS list,
                    row_number() OVER (PARTITION BY id, node ORDER BY time DESC, sequence DESC) AS place
                FROM {facts} WHERE kind = 'ViewInstalled'
            ) AS installs WHERE place = 1
        ) AS newest ON newest.id = live.id AND newest.node = live.node
        GROUP BY live.id
    ) AS final ON final.id = calm.id
    WHERE calm.ended IS NULL AND calm.broken = 0 AND final.one = final.other AND final.members = final.have_one"""
"""Of runs at whose end nothing was broken any more and all who lived held one list: the last time without a fault."""


class _Sum(NamedTuple):
    kind: str
    of: str = "value"
    word: str = ""

    def sql(self, name: str) -> str:
        if self.word:  # none is told by a member that had some to tell of
            return f"sum(CASE WHEN kind = '{self.kind}' AND word = '{self.word}' THEN {self.of} ELSE 0 END) AS {name}"
        return f"sum(CASE WHEN kind = '{self.kind}' THEN {self.of} END) AS {name}"


_SUMS: Final = {
    "called": _Sum("OperationCalled", "1"),
    "succeeded": _Sum("OperationReturned", "1", "ok"),
    "failed": _Sum("OperationReturned", "1", "failed"),
    "lists": _Sum("ViewPublished"),
    "tables": _Sum("TablePublished"),
    "claims": _Sum("ClaimAsked"),
    "suspicions": _Sum("ExplicitSuspicionSent"),
    "moved": _Sum("ChunkSent"),
    "dropped": _Sum("FramesDropped"),
    "notifications": _Sum("NotificationPublished"),
    "beats": _Sum("HeartbeatsCounted"),
    "periods": _Sum("HeartbeatsCounted", "key"),
}
SUMS: Final = f"""
    SELECT id, {", ".join(each.sql(name) for name, each in _SUMS.items())}
    FROM {{facts}}
    WHERE kind IN ({", ".join(dict.fromkeys(f"'{each.kind}'" for each in _SUMS.values()))})
    GROUP BY id"""
"""One row a run; null where a run has nothing of it."""

RELATIONS: Final = {
    "crashes": CRASHES,
    "ends": ENDS,
    "heard": HEARD,
    "keyed": KEYED,
    "in_order": IN_ORDER,
    "sums": SUMS,
}
"""Each is made of {facts}, {calms} and {crash} alone."""
