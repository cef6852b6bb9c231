"""The matrix of the first screen: what each node believes of each other, one letter a member."""

from __future__ import annotations

import pytest
from tests.node.process.process_helpers import in_loop
from tests.tui.panels.stories import by_hand, crowd, session_of, shown
from tests.tui.showing import Shown, drawn, panel, until

from shaketable.tui.app import ShaketableApp
from shaketable.tui.panels.belief import LISTED, MASTER
from shaketable.tui.panels.labels import labels

FIGURE_5 = """\
n1 installs v4 [n1 n2 n3 n4]
n2 installs v4 by n1 [n1 n2 n3 n4]
n3 installs v4 by n1 [n1 n2 n3 n4]
n4 installs v4 by n1 [n1 n2 n3 n4]
n2 suspects n3
n2 suspects n4
n3 suspects n2
n4 suspects n1
n1 installs v5 [n1 n3 n4]"""


def matrix(text: str) -> dict[str, str]:
    """By node, the letters of its row, without the air between them."""
    head, *rows = text.split("\n")
    at, until = head.index(" n1 "), head.index(" ≠")
    return {row[5:].split()[0]: row[at:until].replace(" ", "") for row in rows}


def test_each_letter_says_what_its_row_s_node_believes() -> None:
    assert matrix(shown(by_hand(FIGURE_5), "cluster", 79, 20)) == {
        "n1": "M-++",
        "n2": "M+ss",
        "n3": "Ms++",
        "n4": "S+++",
    }


def test_a_node_that_is_gone_believes_nothing_and_one_that_came_back_is_another_member() -> None:
    session = session_of("tests/tui/panels/scenes.py", "every-state", 1)
    session.move(len(session.store))
    upper, lower, *rows = shown(session, "cluster", 79, 20).split("\n")
    assert [row[30:44].split() for row in (upper, lower)] == [["1"], ["1", "2", "3", "4", "5", "9", "0"]]
    assert {row[5:].split()[0]: row[30:44].replace(" ", "") for row in rows} == {
        "n1": "M--+++-",
        "n2": "M+-+-~-",  # held, with a list of the time before n9 came back
        "n3": "M+++-~-",
        "n4": "M--+++-",
        "n5": "M--+++-",
        "n9": "M--+++-",
        "n10": "",
    }


@pytest.mark.parametrize("size", [5, 12, 30])
@pytest.mark.parametrize("width", [79, 118, 198])
def test_thirty_members_have_room_and_their_numbers_stand_above_them(size: int, width: int) -> None:
    rows = shown(crowd(size), "cluster", width, 40).split("\n")
    heads = 1 if size < 10 or f" n{size}" in rows[0] else 2
    assert len(rows) == size + heads
    letters = [row.replace(" ", "") for row in rows[heads:]]
    assert all(MASTER + LISTED * (size - 1) in row for row in letters)
    if heads == 2:
        at = rows[1].index("1")
        columns = [place for place in range(at, len(rows[1])) if rows[1][place].isdigit()]
        assert [int(rows[0].ljust(200)[place] + rows[1][place]) for place in columns] == list(range(1, size + 1))
        assert [rows[2][place] for place in columns] == [MASTER, *[LISTED] * (size - 1)]


def test_what_a_node_moves_is_in_its_row() -> None:
    installs = [f"n{number} installs v4 by n1 [n1 n2 n3 n4]" for number in (2, 3, 4)]
    moved = """\
n1 changes the table to v1 (assigned): 0 [n1 n2], 1 [n2 n3], 2 [n3 n1], 3 [n1 n3]
n1 plans v1: 0 [n1 n2] > [n4 n2] by m1, 1 [n2 n3] > [n2 n4] by m2, 2 [n3 n1] > [n3 n4] by m3
n1 requests m1 of 0: MOVE n1 0>-, n4 ->0
n1 requests m2 of 1: MOVE n3 1>-, n4 ->1
n2 begins m2 of 1 as owner
n2 sends n4 38000 of 64000 of m2
n4 begins m2 of 1 as destination
n4 gets 32000 of m2 from n2"""
    session = by_hand("\n".join(["n1 installs v4 [n1 n2 n3 n4]", *installs, moved]))
    for width in (79, 118):
        head, *rows = shown(session, "cluster", width, 20).split("\n")
        at = head.index("migrates")
        assert [row[at:].rstrip() for row in rows] == ["2+1", "1→n4 50 %", "", "1←n2 50 %"]


@pytest.mark.parametrize("size", [5, 9, 10, 12, 30, 50])
@pytest.mark.parametrize("width", [79, 118, 198])
def test_the_corner_of_the_links_has_whole_words(size: int, width: int) -> None:
    corner = shown(crowd(size), "matrix", width, 60).split("\n")[2]
    assert corner.split()[0] == "│from↓" or corner.split()[:2] == ["│", "from↓"]
    assert corner.split("from↓")[1].lstrip().startswith(("n1 ", "1", "to→ "))


def test_the_pane_of_a_node_has_the_whole_list() -> None:
    names = [f"n{number}" for number in range(1, 31)]
    for width in (38, 79):
        rows = shown(crowd(30), "node", width, 20).split("\n")
        listed = " ".join(rows[1 : next(at for at, row in enumerate(rows) if row.startswith("│ members"))])
        assert [word for word in listed.replace("│", " ").split() if word in names] == names


def test_names_without_numbers_of_their_own_are_numbered_by_their_places() -> None:
    assert labels(["n9", "n10"]) == [" 9", "10"]
    assert labels(["red", "blue"]) == [" 1", " 2"]
    assert labels(["a1", "b1"]) == [" 1", " 2"]


def test_where_the_pane_is_low_the_list_comes_first() -> None:
    low, high = (shown(crowd(30), "node", 79, height).split("\n") for height in (2, 9))
    assert low[0].startswith("│ list of 30")
    assert "n30" in low[1]
    assert sorted(low[:3]) == sorted(high[:3])
    assert low.count(low[0]) == 1


@in_loop
async def test_twelve_nodes_are_seen_at_once_on_a_small_terminal() -> None:
    app = ShaketableApp(Shown(crowd(12)))
    async with app.run_test(size=(80, 24)) as pilot:
        nodes = panel(pilot, "nodes")
        await until(pilot, lambda: "n12" in "".join(drawn(nodes)))
        assert sum(MASTER + LISTED in row.replace(" ", "") for row in drawn(nodes)) == 12
        assert [drawn(panel(pilot, name))[0] != "" for name in ("node", "last")] == [True, True]


def test_where_not_all_have_room_nodes_that_believe_the_same_are_folded() -> None:
    names = [f"n{number}" for number in range(1, 31)]
    session = crowd(30, "n7 suspects n9", "n12 installs v2 by n1 [n1 n2 n12]")
    session.chosen.node = "n20"
    _, _, *rows = shown(session, "cluster", 79, 20).split("\n")
    assert [" ".join(row.strip("│▸ ").split()[:2]) for row in rows if "more like" not in row] == [
        "● n1", "● n2", "● n7", "● n8", "! n9", "● n10", "● n11", "● n12", "● n13", "● n20", "● n21",
    ]  # fmt: skip
    assert [row.strip("│ ").split(":")[0] for row in rows if "more like" in row] == [
        "and 4 more like n2", "and 6 more like n13", "and 9 more like n21",
    ]  # fmt: skip
    assert [name for name in names if not any(f" {name} " in f"{row} " for row in rows)] == []


@in_loop
async def test_keys_go_into_what_is_folded_and_its_heads_stand() -> None:
    app = ShaketableApp(Shown(crowd(30)))
    async with app.run_test(size=(80, 24)) as pilot:
        nodes = panel(pilot, "nodes")
        await until(pilot, lambda: "n30" in "".join(drawn(nodes)))
        head = drawn(nodes)[:2]
        for chosen in ("n2", "n3", "n4"):
            await pilot.press("down")
            await until(pilot, lambda chosen=chosen: f"▸ ● {chosen} " in "".join(drawn(nodes)))  # type: ignore[misc]
        assert drawn(nodes)[:2] == head
        row = next(at for at, row in enumerate(drawn(nodes)) if "n30" in row)
        await pilot.click("#nodes", offset=(drawn(nodes)[row].index("n30") + 1, row + 1))
        await until(pilot, lambda: "▸ ● n30" in "".join(drawn(nodes)))
