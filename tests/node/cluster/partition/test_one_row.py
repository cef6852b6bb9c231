"""What another member at one index of a target row takes at the colder ones."""

from __future__ import annotations

from shaketable.node.cluster.partition.repartitioning.groups import Groups
from shaketable.node.cluster.partition.repartitioning.one_row import with_member
from shaketable.node.messages import Row


def changed(
    row: Row, target: str, index: int, member: str, members: str, turn: int = 0, racks: dict[str, str] | None = None
) -> str | None:
    """Targets as words, a letter a member."""
    way = with_member(row, list(target), index, member, Groups(members, racks), turn)
    return None if way is None else "".join(each or "-" for each in way)


def test_a_newcomer_takes_the_index_and_nothing_else_changes() -> None:
    assert changed(("A", "B", "C"), "ABC", 1, "D", "ABCD") == "ADC"


def test_who_has_a_colder_index_of_a_newcomer_gives_that_up() -> None:
    assert changed(("A", "B", None), "ABC", 0, "C", "ABC") == "CBA"


def test_where_an_exchange_would_be_a_cycle_a_newcomer_takes_the_colder_index() -> None:
    assert changed(("A", "B"), "AB", 0, "B", "ABC") == "BC"
    assert {changed(("A", "B"), "AB", 0, "B", "ABCDE", turn) for turn in range(5)} == {"BC", "BD", "BE"}


def test_without_newcomers_a_third_takes_it() -> None:
    assert changed(("A", None, "C", "D"), "ADC", 0, "C", "ACD") == "CAD"


def test_a_row_without_room_cannot_be_changed() -> None:
    assert changed(("A", "B", "C"), "ABC", 0, "B", "ABC") is None
    assert changed(("A", "B", "C"), "ABC", 0, "C", "ABC") is None


def test_hotter_indexes_are_not_touched() -> None:
    assert changed(("A", "B", "C"), "ABC", 1, "A", "ABCD") is None


def test_another_one_of_the_group_takes_over_inside_it_alone() -> None:
    racks = {"A": "a", "X": "a", "B": "b", "Y": "b"}
    assert changed(("A", "B"), "AB", 0, "X", "AXBY", racks=racks) == "XB"
    assert changed(("A", "B"), "AB", 0, "Y", "AXBY", racks=racks) == "YA"
    assert changed(("A", "B"), "AB", 0, "B", "AXBY", racks=racks) == "BX"
