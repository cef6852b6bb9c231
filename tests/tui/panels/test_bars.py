"""The footer: what makes sense now, as much of it as there is room for."""

from __future__ import annotations

import pytest
from tests.tui.acting import Living

from shaketable.tui.actions import ACTIONS, keys_now
from shaketable.tui.panels.bars import keys_line, titles_now
from shaketable.tui.text import plain, width_of


def footer(source: Living, width: int, hand: bool = True, speed: bool = True) -> str:
    titles = titles_now(source.session, source.hands is not None)
    line = keys_line(list(keys_now(ACTIONS, titles, hand, speed)), width)
    assert width_of(line) <= width
    return plain([line])


def test_the_keys_of_a_node_name_it_and_those_without_sense_are_missing() -> None:
    source = Living()
    assert "kill" not in footer(source, 200)
    source.session.chosen.node = "n3"
    assert footer(source, 200).startswith(" K kill n3  p resume n3  L leave n3  b break  u undo")
    source.session.chosen.node = "n4"
    assert footer(source, 200).startswith(" r restart n4  b break  u undo")


def test_space_is_called_what_it_does() -> None:
    source = Living()
    assert "space pause" in footer(source, 80)
    source.session.speed = 0
    assert "space go on" in footer(source, 80)
    source.session.speed = 1.0
    source.session.halt()
    assert "space follow" in footer(source, 80)
    source.over()
    assert "space play" in footer(source, 80, hand=False)
    source.session.play(0.0)
    assert "space halt" in footer(source, 80, hand=False)


def test_a_run_that_is_over_has_the_keys_of_time() -> None:
    source = Living()
    source.over()
    said = footer(source, 120, hand=False, speed=False)
    assert "b break" not in said
    assert "← back  → on  ] next mark" in said


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120, 200])
def test_help_and_quit_stay_where_there_is_little_room(width: int) -> None:
    said = footer(Living(), width).rstrip()
    assert "? help" in said
    assert said.endswith("q quit")


@pytest.mark.parametrize("node", ["", "n2", "n3", "n4"])
def test_a_small_screen_has_what_breaks_what_heals_and_what_finds_all_else(node: str) -> None:
    source = Living()
    source.session.chosen.node = node
    said = footer(source, 80)
    for key in ("b break", "u undo", "H heal all", "^p find", *(["K kill n2", "p pause n2"] if node == "n2" else [])):
        assert key in said
    assert ("space pause" in said) == (not node)
    source.over()
    assert "^p find" in footer(source, 80, hand=False, speed=False)


def test_no_key_means_two_things() -> None:
    keys = [key for action in ACTIONS for key in action.keys.split(",")]
    assert len(keys) == len(set(keys))
    names = [action.name for action in ACTIONS]
    assert len(names) == len(set(names))
