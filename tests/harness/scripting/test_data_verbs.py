"""What a script can do with data, on real members in virtual time, and how its misuse is told."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest
from tests.harness.scripting.data_script import another_than_the_owner_who_sleeps, impatience
from tests.harness.scripting.staging import Played, here, play

from shaketable.harness.records import FaultAsked, StepBegan
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.verbs.data import Reading, Result, Work
from shaketable.node.config import DEFAULT
from shaketable.node.core.env import MILLISECOND, SECOND
from shaketable.node.events import MigrationRequested, OperationCalled, OperationReturned, TableChanged

SETTINGS = DEFAULT.with_values({"partition_count": 7, "maps": "data=1 precious=2 cheap=0"})
NAMES = ("n1", "n2", "n3")


def played(script: Callable[[Cluster], Any], *, seed: int = 1) -> Played:
    done = play(script, settings=SETTINGS, seed=seed)
    assert done.outcome.kind == "done", done.outcome.reason
    return done


def test_put_get_and_remove_give_what_came_of_them() -> None:
    results: list[Result] = []

    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)
        key = cluster.seen.key_in(3)
        assert cluster.seen.partition_of(key) == 3
        results.append(await cluster.put("n2", key, "v1 and filling"))
        results.append(await cluster.get("n3", key))
        results.append(await cluster.remove("n1", key))
        results.append(await cluster.get("n2", key))
        results.append(await cluster.put("n2", key, "v2", map="precious"))
        assert results[0].holders == cluster.seen.row(3)[:2]
        assert results[4].holders == cluster.seen.row(3)
        assert cluster.seen.owner(3) == cluster.seen.row(3)[0]

    done = played(script)
    assert [result.outcome for result in results] == ["ok"] * 5
    assert [results[n].value for n in (1, 3)] == ["v1", None]
    calls = done.told(OperationCalled)
    assert len({call.client for call in calls}) == len(calls) == 5
    assert {call.partition for call in calls} == {3}
    assert done.told(FaultAsked) == []
    assert [step.step for step in done.told(StepBegan)][1:3] == [
        "put k3 = v1 and filling of data at n2",
        "get k3 of data at n3",
    ]


def test_data_do_not_move_calm() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)
        calm = cluster._world.observed.calm
        await cluster.put("n1", "k", "v")
        work = await cluster.work("n2")
        await cluster.sleep(SECOND)
        await cluster.stop_work(work)
        await cluster.take_stock()
        assert cluster._world.observed.calm == calm

    played(script)


def test_clients_work_until_they_are_stopped_and_then_nothing_is_open() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)
        work = await cluster.work(["n1", "n3"], clients=2, keys=3, pause=20 * MILLISECOND)
        await cluster.sleep(SECOND)
        await cluster.stop_work(work)
        stopped.append(cluster.seen.now())
        assert not any(node.partitions.operations_open for node in cluster._world.observed.nodes.values())
        await cluster.sleep(SECOND)

    stopped: list[int] = []
    done = played(script)
    clients = {call.client for call in done.told(OperationCalled)}
    assert clients == {"load1-n1.1", "load1-n1.2", "load1-n3.1", "load1-n3.2"}
    assert max(done.times(OperationCalled)) <= stopped[0]
    assert len(done.told(OperationCalled)) == len(done.told(OperationReturned)) > 100


def test_a_number_of_operations_is_waited_for() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)
        work = await cluster.work("n2", clients=3, operations=8, pause=0, writes_percent=100, size=100)
        await cluster.until_worked(work, within=10 * SECOND)

    done = played(script)
    assert sorted(call.number for call in done.told(OperationCalled)) == sorted([*range(1, 9)] * 3)


def test_who_ends_is_waited_for_no_longer() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)
        endless = await cluster.work(["n2", "n3"])
        counted = await cluster.work("n3", operations=10_000)
        await cluster.sleep(SECOND)
        await cluster.kill("n3")
        await cluster.until_worked(counted, within=SECOND)
        await cluster.restart("n3")
        await cluster.stop_work(endless)

    done = played(script)
    assert {call.client for call in done.told(OperationCalled, "n3")} == {"load1-n3.1", "load2-n3.1"}


def test_an_operation_of_a_node_that_ends_is_unknown() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)
        await cluster.put("n1", "k", "v")
        await cluster.pause(cluster.seen.owner(cluster.seen.partition_of("k")))
        other = next(name for name in NAMES if name != cluster.seen.owner(cluster.seen.partition_of("k")))

        async def later() -> None:
            await cluster.sleep(SECOND)
            await cluster.kill(other)

        results.extend(await cluster.together(cluster.put(other, "k", "w"), later()))

    results: list[Any] = []
    played(script)
    assert (results[0].outcome, results[0].value) == ("unknown", None)
    assert results[0].reason.endswith("has ended")


def test_who_is_paused_is_not_waited_for_for_ever() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)
        await cluster.pause("n3")
        results.append(await cluster.put("n3", "k", "w", within=SECOND))

    results: list[Result] = []
    played(script)
    assert results == [Result("unknown", None, (), "n3 is paused or holds")]


def test_with_patience_what_has_not_returned_is_unknown_and_is_tried_on() -> None:
    finished = run_simulated(impatience, Options(seed=1))
    assert finished.outcome.kind == "done", finished.outcome.reason
    assert judged(finished).outcome == "passed"


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"within": SECOND}, "1.05 s; with patience= instead of within= its outcome would be unknown"),
        ({}, "{:g} s"),
        ({"patience": 10_000 * SECOND}, "{:g} s"),
    ],
    ids=["within", "by itself", "any patience"],
)
def test_what_does_not_return_in_time_fails_the_run(how: Mapping[str, Any], said: str) -> None:
    """n1 to n3 try for longer than the script believes."""

    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES, settings={"operation_timeout_millis": 1_000_000})
        via = await another_than_the_owner_who_sleeps(cluster, "k")
        bound = said.format((cluster.bounds.operation + 50 * MILLISECOND) / SECOND)
        sentence.append(f"put k at {via} has not returned within {bound}")
        await cluster.put(via, "k", "w", **how)

    sentence: list[str] = []
    settings = SETTINGS.with_values({"operation_timeout_millis": 2000})
    outcome = play(script, settings=settings).outcome
    assert (outcome.kind, outcome.reason.partition(": ")[2]) == ("failed", sentence[0])


def test_all_that_anybody_wrote_is_read_back() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)
        await cluster.put("n1", "a", "v")
        await cluster.remove("n2", "b")
        await cluster.get("n2", "c")
        await cluster.put("n1", "d", "v", map="precious")
        work = await cluster.work("n2", keys=4, operations=6)
        await cluster.until_worked(work, within=10 * SECOND)
        readings.append(await cluster.read_back("n3"))

    readings: list[Reading] = []
    done = played(script)
    assert readings[0].complete
    reads = [call for call in done.told(OperationCalled, "n3") if call.client.startswith("read")]
    assert [call.does for call in reads] == ["get"] * 6
    assert [call.key for call in reads] == ["a", "b", *(f"load5-n2.1/{n}" for n in range(4))]


def test_stock_is_taken_of_who_is_awake() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)
        await cluster.put("n1", "k", "v")
        await cluster.pause("n2")
        stock = await cluster.take_stock()
        assert sorted(stock) == ["n1", "n3"]
        assert all(len(each.holds) == 7 for each in stock.values())

    played(script)


def test_a_script_waits_for_migrations_and_for_safety() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)
        await cluster.put("n1", "k", "v")
        await cluster.until(cluster.that.is_safe(), within=SECOND)
        await cluster.until(cluster.that.has_table("n3", 1), within=SECOND)
        partition = cluster.seen.partition_of("k")
        await cluster.hold("n1", "CommitSent", where={"partition": partition})
        await cluster.join("n4")
        await cluster.until_held("n1", "CommitSent", within=SECOND)
        await cluster.until(cluster.that.migrates(), within=0)
        await cluster.heal_all()
        await cluster.expect(cluster.that.is_safe() & cluster.that.no_migrations(), within=cluster.bounds.safe())
        assert cluster.seen.table_version("n4") == cluster.seen.table_version("n1") > 1
        await cluster.until(cluster.that.owns(cluster.seen.owner(partition), partition), within=0)
        await cluster.until(cluster.that.has_replica(str(cluster.seen.row(partition)[3]), partition, 3), within=0)

    done = played(script)
    assert done.told(MigrationRequested)
    assert {change.change for change in done.told(TableChanged)} == {"assigned", "committed"}


Misuse = Callable[[Cluster], Awaitable[Any]]
NONE: Any = None
MISUSES: Mapping[str, tuple[Misuse, str]] = {
    "an unknown map": (
        lambda c: c.get("n1", "k", map="dat"), "there is no map dat; the setting maps has data, precious, cheap"
    ),
    "within and patience": (
        lambda c: c.get("n1", "k", within=SECOND, patience=SECOND),
        "get takes within (or the run has failed) or patience (or it is unknown), not both",
    ),
    "no patience": (lambda c: c.get("n1", "k", patience=-1), "patience is at least 0, not -1"),
    "an empty key": (lambda c: c.get("n1", ""), "a key is a text of 1 to 200 letters, not ''"),
    "an unknown node": (lambda c: c.get("n9", "k"), "n9 is not a node of this run (n1, n2)"),
    "a node that does not run": (lambda c: _killed(c), "put at n2: n2 is not running"),
    "a value without a word": (
        lambda c: c.put("n1", "k", " x"), "a value is a text that begins with a word of its own, not ' x'"
    ),
    "a value too large": (lambda c: c.put("n1", "k", "x" * 300_000), "a value has at most 262144 bytes"),
    "a value twice": (lambda c: _twice(c), "v was put at k already: give each write another value"),
    "no work": (lambda c: c.work([]), "work takes at least one node, and each once"),
    "work without an end or a pause": (
        lambda c: c.work("n1", pause=0), "work without a number of operations takes a pause of at least a millisecond"
    ),
    "more than all": (lambda c: c.work("n1", writes_percent=101), "writes_percent is at most 100, not 101"),
    "no clients": (lambda c: c.work("n1", clients=0), "the number of clients is at least 1, not 0"),
    "what is no work": (lambda c: c.stop_work(NONE), "that takes what work gave when it was awaited, not NoneType"),
    "work that has no end": (
        lambda c: c.until_worked(Work(1, (), None), within=1),
        "until_worked takes work with a number of operations: this one has no end",
    ),
    "nothing to read": (lambda c: c.read_back("n1"), "nobody has written to data: there is nothing to read back"),
    "a partition that is none": (
        lambda c: c.until(c.that.is_lost(7), within=1), "a partition is at most 6 here, not 7"
    ),
    "an index that is none": (
        lambda c: c.until(c.that.has_replica("n1", 0, 7), within=1), "the index of a replica is at most 6, not 7"
    ),
    "a row without a table": (
        lambda c: _row(c), "n1, the master, has told of no partition table: use the data first"
    ),
}  # fmt: skip


async def _killed(cluster: Cluster) -> None:
    await cluster.kill("n2")
    await cluster.put("n2", "k", "v")


async def _twice(cluster: Cluster) -> None:
    await cluster.put("n1", "k", "v one")
    await cluster.put("n2", "k", "v two")


async def _row(cluster: Cluster) -> None:
    cluster.seen.row(0)


@pytest.mark.parametrize("name", MISUSES)
def test_a_misuse_is_one_sentence(name: str) -> None:
    misuse, sentence = MISUSES[name]

    async def script(cluster: Cluster) -> None:
        await cluster.form("n1", "n2")
        await misuse(cluster)  # here

    outcome = play(script, settings=SETTINGS).outcome
    assert outcome.kind == "unknown"
    assert outcome.reason.partition(": ")[2] == sentence
    assert here(script)


def test_the_first_migration_of_a_partition_is_that_of_the_plan_of_its_two_rows() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)
        await cluster.put("n2", cluster.seen.key_in(0), "v1")
        await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
        held = await cluster.hold("n1", "PartitionsPlanned")
        await cluster.start("n4")
        await cluster.until_held("n1", "PartitionsPlanned", within=cluster.bounds.forming)
        for partition in cluster.seen.plan():
            assert cluster.seen.first_migration(partition).destination == "n4"
        await cluster.heal(held)
        await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
        cluster.seen.first_migration(0)

    outcome = play(script, settings=SETTINGS).outcome
    assert outcome.kind == "unknown"
    assert outcome.reason.endswith("the master plans nothing for partition 0")
