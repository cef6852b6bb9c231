"""Ways of looking for a bug are compared on equal terms, and the page shows what was measured."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pytest
from tests.conftest import AsWritten
from tests.lengths import LONG, NIGHT
from tests.soon import player
from tests.soon.explored import explored
from tests.soon.faults import Fault, Kind, all_faults, chosen_mutants
from tests.soon.player import Play, Player, Seen, plans
from tests.soon.table import Measured, kept, page_part, ratio, summary
from tests.soon.ways import APART, OWN, PLAIN, SCHEDULES, STEERED, WAYS, Found, look, until_noticed
from tests.where import DOCS, with_part

from shaketable.harness.scripting.scripts import Script
from shaketable.node.config import CLUSTER, RANKED, VARYING

PAGE = DOCS / "how-soon.md"
SOME: Sequence[Script] = list(plans(CLUSTER).values())[:2]
ONE, OTHER = (script.name for script in SOME)


class Told(Player):
    """Plays nothing: it is told what is seen, and writes down what it was asked for."""

    def __init__(self, seen: Mapping[tuple[str, int], Seen]) -> None:
        super().__init__(Fault(Kind.LEGACY, "told"))
        self._told = seen
        self.asked: list[Play] = []

    def __call__(self, play: Play) -> Seen:
        self.asked.append(play)
        return self._told.get((play.script, play.seed), Seen("", ["usual"]))


@pytest.mark.parametrize("way", WAYS)
def test_a_way_plays_so_many_runs_and_each_once(way: str) -> None:
    player = Told({})
    assert until_noticed(WAYS[way](player, SOME, 1, 21)) is None
    assert len(set(player.asked)) == len(player.asked) == 21


def test_plain_seeds_take_the_plans_in_turn_and_schedules_both_orders_of_each() -> None:
    player = Told({})
    until_noticed(WAYS[PLAIN](player, SOME, 5, 3))
    assert player.asked == [Play(ONE, 5), Play(OTHER, 5), Play(ONE, 6)]
    player.asked.clear()
    until_noticed(WAYS[SCHEDULES](player, SOME, 1, 4))
    assert player.asked == [
        Play(ONE, 1, RANKED), Play(OTHER, 1, VARYING), Play(ONE, 2, VARYING), Play(OTHER, 2, RANKED),
    ]  # fmt: skip


def test_the_steered_row_leans_to_plans_that_reach_a_rare_mark() -> None:
    player = Told({(OTHER, 2): Seen("", ["usual", "rare"])})
    until_noticed(WAYS[STEERED](player, SOME, 1, 40))
    assert len([play for play in player.asked if play.script == OTHER]) > 20


def test_a_row_of_its_own_seeds_plays_none_twice() -> None:
    player = Told({})
    until_noticed(WAYS[OWN](player, SOME, 5, 20))
    assert [play.seed for play in player.asked] == list(range(5, 25))


def test_a_row_ends_with_the_first_run_in_which_a_check_notices() -> None:
    player = Told({(ONE, 2): Seen("view order", events=7)})
    assert until_noticed(WAYS[PLAIN](player, SOME, 1, 9)) == Found(3, 7, "view order")


def test_no_start_is_played_when_the_median_is_known_to_be_more() -> None:
    player = Told({(plan, 1): Seen("view order") for plan in plans(CLUSTER)})
    assert [found and found.runs for found in look(player, WAYS[PLAIN], 4, 5)] == [1, None, None, None]
    assert {play.seed // APART for play in player.asked} == {0, 1, 2, 3}


def measured(plain: Sequence[int | None], steered: Sequence[int | None]) -> Measured:
    def found(runs: Sequence[int | None]) -> list[Found | None]:
        return [None if each is None else Found(each, 1, "view order") for each in runs]

    rows = {PLAIN: found(plain), STEERED: found(steered), OWN: found(plain), SCHEDULES: found(plain)}
    return Measured(Fault(Kind.LEGACY, "unordered updates"), 50, 3, rows)


def test_what_is_not_noticed_counts_as_later_than_the_limit() -> None:
    some = measured([4, None, 2], [None, None])
    assert (some.median(PLAIN), some.median(STEERED)) == (4, math.inf)
    assert (some.cell(PLAIN), some.cell(STEERED)) == ("4", "not within 50")
    assert ratio([some], STEERED) == pytest.approx(50 / 4)
    assert "| old behaviours (1) | steered | 0 | - | 0 | 1 | 12.50 |" in summary([some])
    assert some.by == "view order"


def test_a_fault_is_noticed_by_real_runs_and_the_same_each_time() -> None:
    (fault,) = [each for each in all_faults() if each.name == "FollowerPublishes"]
    twice = []
    for _ in range(2):
        with Player(fault) as player:
            twice.append(look(player, WAYS[PLAIN], 5, 1))
    assert twice[0] == twice[1]
    assert twice[0][0] is not None
    with Player(Fault(Kind.LEGACY, "none")) as sound:
        seen = sound(Play(ONE, 1))
    assert (seen.by, bool(seen.marks), seen.events > 100) == ("", True, True)


def test_a_run_that_ends_its_process_has_noticed_nothing() -> None:
    with Player(Fault(Kind.MUTANT, "nowhere.py f: a => b")) as player:
        assert player(Play(ONE, 1)) == Seen("")


def test_a_fault_that_loops_for_ever_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with Player(Fault(Kind.LEGACY, "none")) as sound:
        with monkeypatch.context() as context:
            context.setattr(player, "HANG", 0.0)
            assert sound(Play(ONE, 1)) == Seen("")
        assert sound(Play(ONE, 2)) == Seen("")


def test_the_page_shows_what_was_measured(as_written: AsWritten) -> None:
    as_written(PAGE, with_part(PAGE, "how soon", page_part(kept())))


def test_a_fault_is_found_in_a_small_world() -> None:
    (fault,) = [each for each in all_faults() if each.name == "FollowerPublishes"]
    assert explored(fault).by == "single authority"


@LONG
@NIGHT
def test_no_small_world_accuses_the_sound_core() -> None:
    assert explored(Fault(Kind.LEGACY, "none")).world == ""


@LONG
@pytest.mark.xdist_group("mutants that are known")
def test_nearly_all_of_the_chosen_mutants_are_still_there() -> None:
    """If not, choose and measure anew."""
    gone = [line for line in chosen_mutants() if not Fault(Kind.MUTANT, line).is_there]
    assert len(gone) * 10 <= len(chosen_mutants()), gone
