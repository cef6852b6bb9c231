"""The planner: the text's own examples, what it leaves open, and what holds of every plan."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest
from tests.lengths import cases
from tests.node.cluster.partition.plans_in_words import Case, cases_in

from shaketable.harness.explain.plan_words import said
from shaketable.node.cluster.partition.cycles import cycles_of, without_cycles
from shaketable.node.cluster.partition.planner import plan, prioritised, with_owner
from shaketable.node.cluster.partition.rows import promoted, repaired
from shaketable.node.messages import MOST_REPLICAS, NOWHERE, Migration, Row

EXAMPLES = cases_in("examples.txt")
LEFT_OPEN = cases_in("left_open.txt")


def named(case: Case) -> str:
    return case.name


@pytest.mark.parametrize("case", EXAMPLES + LEFT_OPEN, ids=named)
def test_a_plan_is_the_text_s(case: Case) -> None:
    migrations = plan(case.current, case.target)
    assert [said(migration) for migration in migrations] == case.planned
    assert [said(migrations[place]) for place in prioritised(migrations)] == case.prioritised


def test_all_of_the_text_s_examples_are_there() -> None:
    assert sum(case.name.startswith("text 3.3.2.2") for case in EXAMPLES) == 6
    cases = {f"text 3.3.1.{case}" for case in ("3.1", "3.2", "4.1", "4.2")}
    assert {case.name.split(",")[0] for case in EXAMPLES} >= cases
    assert any(case.name.startswith("text 3.3.2.1") for case in EXAMPLES)


def test_every_field_of_a_migration() -> None:
    (down,) = plan(("A", None, "C"), ("D", "A", "C"))
    assert down == Migration("SHIFT DOWN", "A", 0, 1, "D", NOWHERE, 0)
    (both,) = plan(("A", "B", None, "D"), ("D", "B", "A"))
    assert both == Migration("SHIFT UP+SHIFT DOWN", "A", 0, 2, "D", 3, 0)
    assert both.applied_to(("A", "B", None, "D")) == ("D", "B", "A", None)
    up, move = plan(("A", "B", "C", "D"), ("B", "D", "C"))
    assert up == Migration("SHIFT UP", "B", 1, NOWHERE, "D", 3, 1)
    assert move == Migration("MOVE", "A", 0, NOWHERE, "B", NOWHERE, 0)
    assert plan(("A", None), ("A", "B")) == [Migration("COPY", None, NOWHERE, NOWHERE, "B", NOWHERE, 1)]
    assert plan(("A", "B"), ("A",)) == [Migration("CLEAR", "B", 1, NOWHERE, None, NOWHERE, NOWHERE)]


def test_cycles_by_their_indexes() -> None:
    assert cycles_of(("A1", "A2", "A3"), ("A3", "A1", "A2")) == [[0, 1, 2]]
    assert cycles_of(("A", "B", "C", "D", "E"), ("C", "D", "A", "B", "E")) == [[0, 2], [1, 3]]
    assert cycles_of(("C", None, "B", "A"), ("A", "B", "C")) == []
    assert cycles_of(("A", "B"), ("B", "C", "A")) == []
    assert without_cycles(("A", "B", "C"), ("B", "A", "D")) == ("A", "B", "D")


def test_who_is_left_is_promoted_and_nobody_else_moves() -> None:
    assert repaired(("A", "B", "C"), ["B", "C"]) == ("B", None, "C")
    assert repaired(("A", "B", "C", "D"), ["C", "D"]) == ("C", None, None, "D")
    assert repaired(("A", "B", "C"), ["A", "C"]) == ("A", None, "C")
    assert repaired(("A", "B"), []) == (None, None)
    assert promoted(()) == ()


# What holds of every plan


def some_pair(rng: random.Random) -> tuple[Row, Row]:
    """Distinct names, index 0 filled in both, the current row with gaps and the target without."""
    names = "ABCDEFGHIJKLMN"[: rng.randint(1, 14)]
    held = rng.sample(names, rng.randint(1, min(MOST_REPLICAS, len(names))))
    length = rng.randint(len(held), MOST_REPLICAS)
    backups: list[str | None] = [*held[1:], *[None] * (length - len(held))]
    rng.shuffle(backups)
    target = rng.sample(names, rng.randint(1, min(MOST_REPLICAS, len(names))))
    if rng.random() < 0.5:  # mostly as it was
        target = [
            old if old and old not in target else new for old, new in zip([held[0], *backups], target, strict=False)
        ]
    return (held[0], *backups), tuple(target)


def copies(row: Row) -> int:
    return len(row) - row.count(None)


def padded(row: Row, length: int) -> Row:
    return (*row, *[None] * (length - len(row)))


def check_legal(migration: Migration, row: Row, after: Row) -> None:
    """It finds what it names, and overwrites nobody but its source."""
    if migration.source is not None:
        assert row[migration.source_current_index] == migration.source
    if migration.destination is not None:
        new, old = migration.destination_new_index, migration.destination_current_index
        assert (row[old] if old != NOWHERE else None) == (
            migration.destination if migration.destination in row else None
        )
        assert row[new] == migration.source
        assert old == NOWHERE or old > new, "nobody goes up to a colder index"
    if migration.source_new_index != NOWHERE:
        assert row[migration.source_new_index] is None
        assert migration.source_new_index > migration.source_current_index
    assert after[0] is not None, "the owner"
    assert len(set(after) - {None}) == copies(after), "twice in a row"


def check_order(migrations: list[Migration], order: list[int]) -> None:
    """Migrations that add a copy and those that do not keep their orders; each of the former has passed all that it
    may."""
    assert sorted(order) == list(range(len(migrations)))
    for adds in (True, False):
        alike = [place for place in order if migrations[place].adds_a_copy is adds]
        assert alike == sorted(alike)
    run = [migrations[place] for place in order]
    for before, adding in itertools.pairwise(run):
        if adding.adds_a_copy and not before.adds_a_copy:
            conflict = adding.destination in (before.source, before.destination)
            colder = before.type == "SHIFT DOWN" and before.source_new_index > adding.destination_new_index
            assert conflict or not (before.type == "MOVE" or colder)


def check_run(start: Row, end: Row, migrations: list[Migration]) -> bool:
    """In this order. True if the number of copies fell below that of both ends."""
    row, fewest = start, copies(start)
    holes = [index for index in range(len(start)) if start[index] is None and end[index] is not None]
    surplus = [index for index in range(len(start)) if start[index] is not None and end[index] is None]
    filled = []
    for migration in migrations:
        after = migration.applied_to(row)
        check_legal(migration, row, after)
        if copies(after) < copies(row):
            given_up = [index for index, member in enumerate(row) if member is not None and after[index] is None]
            assert len(given_up) == 1
            assert end[given_up[0]] is None
        assert copies(after) >= copies(end) - len(holes)
        filled += [index for index in holes if row[index] is None and after[index] is not None and not migration.source]
        row = after
        fewest = min(fewest, copies(row))
    assert row == end
    assert filled == sorted(filled), "hotter ones first"
    dips = fewest < min(copies(start), copies(end))
    assert not dips or (holes and surplus)
    return dips


@cases(10_000, 30_000)
def test_every_plan_is_safe(count: int) -> None:
    rng = random.Random("every plan")
    types: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for _ in range(count):
        current, target = some_pair(rng)
        length = max(len(current), len(target))
        start, wanted = padded(current, length), padded(target, length)
        end = without_cycles(start, wanted)
        assert not cycles_of(start, end)
        migrations = plan(current, target)
        order = prioritised(migrations)
        check_order(migrations, order)
        dips = check_run(start, end, migrations)
        dips |= check_run(start, end, [migrations[place] for place in order])
        seen.update(dips=dips, cycles=end != wanted, passed=order != sorted(order), unchanged=not migrations)
        types.update(migration.type for migration in migrations)
        assert plan(current, end) == migrations
    assert set(types) == {"MOVE", "COPY", "SHIFT UP", "SHIFT DOWN", "SHIFT UP+SHIFT DOWN", "CLEAR"}
    assert all(seen[what] for what in ("dips", "cycles", "passed", "unchanged"))


def test_a_row_that_lost_everything_gets_its_owner_and_then_copies() -> None:
    for length in range(1, MOST_REPLICAS + 1):
        target: Row = tuple("ABCDEFG"[:length])
        lost: Row = (None,) * length
        migrations = plan(lost, target)
        assert [migration.type for migration in migrations] == ["COPY"] * (length - 1)
        row = with_owner(lost, target)
        assert row == padded(("A",), length)
        for migration in migrations:
            row = migration.applied_to(row)
        assert row == target
