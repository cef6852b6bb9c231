"""What a campaign runs, without running it: cells, their order, seeds, variants, waves, and where seeds lean to."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from tests.chaos.shipped import ALL as SCRIPTS
from tests.harness.command.command_helpers import here

from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.campaigns.cases import Case, Cell, Dealer, cells_of, is_drawn
from shaketable.harness.pipeline.campaigns.steering import LEANING, Reached, leaning
from shaketable.harness.pipeline.campaigns.variants import (
    ALL,
    FAST,
    OTHERS,
    USUAL,
    draws_its_faults,
    each_under_all,
    for_script,
    in_turn,
    over,
    variants_named,
    varied,
)
from shaketable.harness.pipeline.campaigns.waves import Asked, Planner
from shaketable.harness.runs.run import Options
from shaketable.harness.scripting.scripts import Script
from shaketable.node.config import NO_LEGACY_FAULT

BY_NAME = {script.name: script for script in SCRIPTS}
FEW = [BY_NAME[name] for name in ("form", "kill-the-master", "demo", "storm")]
STORIES = [script for script in FEW if not draws_its_faults(script)]


def cells(scripts: Sequence[Script] = FEW) -> list[Cell]:
    return cells_of(scripts, in_turn(scripts, ALL))


def test_the_variants_are_listed_without_spark(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    ran = here(capsys, "campaign", "--list-variants")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("as written: as written\nfast: ")
    assert "\n  failure_detector=phi-accrual\n" in ran.out


def test_the_list_of_variants_has_those_that_are_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    ran = here(capsys, "campaign", "--list-variants", "--variant", "fast")
    assert (ran.code, ran.out.splitlines()[0][:6], ran.out.count("\n")) == (0, "fast: ", 2)
    ran = here(capsys, "campaign", "--list-variants", "--vary", "gms_udp=none,both")
    assert (ran.code, ran.out) == (0, "gms_udp=none\ngms_udp=both\n")
    here(capsys, "campaign", "--list-variants", "--variant", "nope").refused("there is no variant 'nope'; there are")
    here(capsys, "campaign", "--list-variants", "--vary", "nope=1").refused("nope")
    here(capsys, "campaign", "--list-variants", "nope").refused("leave out PATH")


def planner(runs: int, wave: int = 10, sample: int = 5) -> Planner:
    return Planner(Asked(cells(), runs, 1, sample, wave))


def reached_by(wave: Sequence[Case], marks: Callable[[Case], Sequence[str]]) -> Reached:
    reached = Reached()
    for case in wave:
        reached.add(case.script, marks(case))
    return reached


def all_waves(runs: int, wave: int = 10) -> list[list[Case]]:
    plan = planner(runs, wave)
    waves = []
    for _ in range(-(-runs // wave)):
        waves.append(plan.next())
        plan.over(reached_by(waves[-1], lambda case: [f"mark {case.seed % 2}"]))
    return waves


# Cells and variants


def test_each_script_is_dealt_once_before_any_is_dealt_again() -> None:
    every = cells_of(SCRIPTS, in_turn(SCRIPTS, ALL))
    assert sorted(cell.script.name for cell in every[: len(SCRIPTS)]) == sorted(BY_NAME)


def test_any_beginning_of_the_deal_is_spread_over_files() -> None:
    every = cells_of(SCRIPTS, in_turn(SCRIPTS, ALL))
    files = {script.file for script in SCRIPTS}
    assert len({cell.script.file for cell in every[:100]}) > len(files) / 3


def test_a_story_has_the_two_presets_and_one_variant_more() -> None:
    by_script = in_turn(SCRIPTS, ALL)
    for script in SCRIPTS:
        names = [variant.name for variant in by_script[script.name]]
        assert names[:2] == [USUAL.name, FAST.name]
        assert len(names) <= 3 or draws_its_faults(script)


def test_each_variant_is_for_some_and_what_draws_its_faults_has_all_that_are_for_it() -> None:
    by_script = in_turn(SCRIPTS, ALL)
    used = Counter(variant.name for variants in by_script.values() for variant in variants)
    assert set(used) == {variant.name for variant in ALL}
    storm = BY_NAME["storm"]
    assert by_script["storm"] == for_script(storm, ALL)


def test_a_variant_is_not_for_who_sets_the_same_or_is_of_the_other_family() -> None:
    for script in SCRIPTS:
        usual = Options("sim").settings(script)
        for variant in for_script(script, OTHERS):
            assert variant.family in ("", usual.family)
            assert "detection" not in script.about or variant.name != "phi-accrual"


def test_no_variant_has_a_planted_fault() -> None:
    for variant in ALL:
        for script in FEW:
            options = Options("sim", preset=variant.preset, values=variant.values if not variant.family else {})
            assert options.settings(script).legacy_fault == NO_LEGACY_FAULT


def test_own_variants_are_each_way_to_take_one_value() -> None:
    names = [variant.name for variant in varied(["gms_max_missed=2,3", "gms_udp=none,both"])]
    assert names == [
        "gms_max_missed=2 gms_udp=none", "gms_max_missed=2 gms_udp=both",
        "gms_max_missed=3 gms_udp=none", "gms_max_missed=3 gms_udp=both",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "refusal"),
    [
        (["gms_max_missed"], "--vary gms_max_missed: give each setting once, as NAME=A,B"),
        (["a=1", "a=2"], "--vary a=2: give each setting once"),
    ],
)
def test_what_varies_is_refused_in_words(said: list[str], refusal: str) -> None:
    with pytest.raises(UserError, match=refusal):
        varied(said)


def test_an_unknown_variant_is_told_with_those_that_there_are() -> None:
    with pytest.raises(UserError, match="there is no variant 'fats'; there are as written, fast, "):
        variants_named(["fats"])


def test_a_setting_of_all_runs_takes_the_place_of_variants_of_it() -> None:
    assert "phi-accrual" not in {variant.name for variant in over({"failure_detector": "deadline"}, ALL)}
    with pytest.raises(UserError, match="no variant is left"):
        over({"failure_detector": "deadline"}, variants_named(["phi-accrual"]))
    with pytest.raises(UserError, match="heartbeat_interval_seconds"):
        over({"heartbeat_interval_seconds": "soon"}, ALL)


def test_a_script_for_which_no_variant_is_has_no_cell() -> None:
    assert each_under_all(FEW, variants_named(["two missed"])) == {}


# Dealing


def test_a_round_takes_one_seed_of_each_cell_and_the_next_round_the_next() -> None:
    few = cells(STORIES)
    dealer = Dealer(few, 7)
    dealt = dealer.deal(2 * len(few))
    assert [seed for _, seed in dealt] == [7] * len(few) + [8] * len(few)
    assert [cell.name for cell, _ in dealt] == [cell.name for cell in few] * 2


def test_out_of_turn_a_cell_has_its_next_seed_and_nobody_loses_a_turn() -> None:
    few = cells(STORIES)
    dealer = Dealer(few, 1)
    dealer.deal(len(few))
    assert [seed for _, seed in dealer.more_of([few[0], few[0]])] == [2, 3]
    assert [(cell.name, seed) for cell, seed in dealer.deal(2)] == [(few[0].name, 4), (few[1].name, 2)]


def test_cells_that_draw_their_faults_share_no_seed() -> None:
    """One plan under seven scripts and ten variants finds little more than it finds once."""
    few = cells()
    dealer = Dealer(few, 7)
    dealt = [(cell, seed) for cell, seed in dealer.deal(3 * len(few)) if draws_its_faults(cell.script)]
    more = dealer.more_of([dealt[0][0]] * 2)
    seeds = [seed for _, seed in [*dealt, *more]]
    assert len(set(seeds)) == len(seeds) > 20
    assert sorted(seed for _, seed in dealt) == list(range(7, 7 + len(dealt)))


def test_no_run_is_planned_twice() -> None:
    runs = [case.run for wave in all_waves(200) for case in wave]
    assert len(runs) == len(set(runs)) == 200
    assert [case.number for wave in all_waves(200) for case in wave] == list(range(200))


def test_about_one_run_in_twenty_is_executed_twice_whatever_else_is_planned() -> None:
    names = [f"storm/sim/{seed}" for seed in range(10_000)]
    assert 400 < sum(is_drawn(name, "twice", 5) for name in names) < 600
    assert [is_drawn(name, "twice", 5) for name in names[:50]] == [is_drawn(name, "twice", 5) for name in names[:50]]


def test_the_command_that_runs_a_case_again_says_what_was_varied() -> None:
    by_script = each_under_all([BY_NAME["kill-the-master"]], variants_named(["short claims", "fast"]))
    plan = Planner(Asked(cells_of([BY_NAME["kill-the-master"]], by_script), 2, 7, 5))
    short, fast = (case.again for case in plan.next())
    assert short.endswith("::kill-the-master --set mastership_claim_timeout_seconds=20 --world sim --seed 7")
    assert fast.endswith("::kill-the-master --world sim --seed 7 --preset fast")


def test_waves_are_the_same_whoever_plans_them() -> None:
    assert all_waves(95) == all_waves(95)
    assert [len(wave) for wave in all_waves(95)] == [10] * 9 + [5]


@pytest.mark.parametrize(("runs", "size"), [(5, 320), (5_000, 320), (50_000, 1_562), (1_000_000, 31_250)])
def test_a_large_campaign_has_larger_waves(runs: int, size: int) -> None:
    assert Asked(cells(), runs, 1, 5).size == size


def test_a_wave_knows_nothing_of_the_one_that_is_under_way() -> None:
    """The third wave may know the first, and must not know the second: that may not be over yet."""
    told, untold = planner(60), planner(60)
    for plan in (told, untold):
        first = plan.next()
        plan.over(reached_by(first, lambda case: [f"mark {case.seed % 2}"]))
    told.over(reached_by(told.next(), lambda case: ["something new"]))
    untold.next()
    assert told.next() == untold.next()


# Steering


def test_what_a_script_reaches_in_each_run_is_worth_nothing() -> None:
    reached = Reached()
    for _ in range(5):
        reached.add("form", ["join: admitted"])
    assert reached.worth("form") == 0
    assert leaning(cells(), reached, 10) == []


def test_seeds_lean_to_who_now_and_then_reaches_what_is_rare() -> None:
    reached = Reached()
    for seed in range(10):
        reached.add("storm", ["claim: began"] * (seed % 2) + ["claim refused: I lead"] * (seed == 3))
        reached.add("demo", ["claim: began"] * (seed % 2))
        reached.add("form", ["join: admitted"])
    assert reached.worth("storm") > reached.worth("demo") > reached.worth("form") == 0
    leant = Counter(cell.script.name for cell in leaning(cells(), reached, 40))
    assert leant.total() == 40
    assert leant["storm"] > leant["demo"] > leant["form"] == 0


def test_after_the_first_round_a_part_of_each_wave_leans() -> None:
    few, plan = cells(), planner(1000, wave=40)
    storms = len([cell for cell in few if cell.script.name == "storm"])
    waves = []
    for _ in range(8):
        waves.append(plan.next())
        plan.over(reached_by(waves[-1], lambda case: ["rare"] * (case.script == "storm" and case.seed % 2 == 0)))
    first, last = (Counter(case.script for case in wave) for wave in (waves[0], waves[-1]))
    assert first["storm"] <= 40 * storms / len(few) + 1
    assert last["storm"] >= first["storm"] + 40 * LEANING // 100 - storms
    assert min(last.values()) > 0
