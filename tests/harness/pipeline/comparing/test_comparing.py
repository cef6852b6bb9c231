"""Two campaigns side by side: what is said of runs that are made by hand."""

from __future__ import annotations

import random

import msgspec
import pytest

from shaketable.harness.pipeline.comparing.answers import BETTER, CANNOT_SAY, DIFFERENT, NO_WORSE, WORSE, Asked
from shaketable.harness.pipeline.comparing.comparing import compared
from shaketable.harness.pipeline.comparing.facts import RunFacts
from shaketable.harness.pipeline.comparing.pairs import Key
from shaketable.harness.records import UnderTest

Runs = dict[Key, RunFacts]


def runs(values: dict[int, float], script: str = "storm", measure: str = "claim", world: str = "sim") -> Runs:
    return {
        Key(script, world, "", "default", seed): RunFacts(outcome="passed", means={measure: value})
        for seed, value in values.items()
    }


def outcomes(told: str, world: str = "sim", script: str = "storm") -> Runs:
    """A letter a seed: p, f or u."""
    names = {"p": "passed", "f": "failed", "u": "unknown"}
    return {
        Key(script, world, "", "default", seed): RunFacts(
            outcome=names[each], means={"claim": 5.0}, again=f"run {seed}"
        )
        for seed, each in enumerate(told)
    }


def hashed(told: Runs) -> Runs:
    return {key: msgspec.structs.replace(run, history_hash=f"of {key.seed}") for key, run in told.items()}


def of_other(version: str, told: Runs) -> Runs:
    system = UnderTest(name="other", version=version, title="Other")
    return {
        key._replace(system="other", version=version): msgspec.structs.replace(run, system=system)
        for key, run in told.items()
    }


def kinds(before: Runs, now: Runs) -> list[tuple[str | None, str]]:
    return [(each.script, each.kind) for each in compared(before, now).differences]


def test_every_pair_a_little_slower_is_worse_and_the_other_way_round_better() -> None:
    draw = random.Random(1)
    before = {seed: 100 + 50 * draw.random() for seed in range(40)}
    now = {seed: value * 1.05 + draw.random() for seed, value in before.items()}
    told = compared(runs(before), runs(now))
    assert [(each.script, each.kind, each.draws) for each in told.differences] == [
        (None, WORSE, 40),
        ("storm", WORSE, 40),
    ]
    overall = told.differences[0]
    assert overall.low is not None
    assert overall.percent is not None
    assert overall.high is not None
    assert 4 < overall.low < overall.percent < overall.high < 7
    assert told.exit_code == 1
    assert kinds(runs(now), runs(before)) == [(None, BETTER), ("storm", BETTER)]
    assert compared(runs(now), runs(before)).exit_code == 0


def test_what_is_the_same_or_a_trifle_is_shown_to_be_no_worse() -> None:
    before = {seed: 100.0 + seed for seed in range(30)}
    same = compared(runs(before), runs(before))
    assert [(each.kind, each.bound) for each in same.differences] == [(NO_WORSE, 0.0), (NO_WORSE, 0.0)]
    trifle = {seed: value * 1.001 for seed, value in before.items()}
    told = compared(runs(before), runs(trifle)).differences[0]
    assert told.kind == NO_WORSE
    assert told.bound == pytest.approx(0.1, abs=0.02)
    assert told.chance < 0.01  # sure, and below one per cent
    one = {**before, 3: 900.0}
    assert kinds(runs(before), runs(one)) == [(None, NO_WORSE), ("storm", NO_WORSE)]


def test_some_that_are_far_slower_are_worse_though_most_are_exactly_alike() -> None:
    before = {seed: 100.0 + seed for seed in range(100)}
    some = {seed: value * (3 if seed < 15 else 1) for seed, value in before.items()}
    for now in (runs(some), {key._replace(seed=1000 + key.seed): run for key, run in runs(some).items()}):
        steady = runs(dict.fromkeys(before, 100.0))
        slower = {key: msgspec.structs.replace(run, means={"claim": 300.0 if key.seed % 1000 < 15 else 100.0})
                  for key, run in now.items()}  # fmt: skip
        told = compared(steady, slower).differences[0]
        assert (told.kind, told.average) == (WORSE, True)
        assert told.percent == pytest.approx(16, abs=2)  # 15 of 100 by a part of 1.0 of the mean of both


def test_a_margin_and_the_least_that_counts_are_the_user_s() -> None:
    draw = random.Random(8)
    before, now = (
        {seed: draw.gauss(100 + more, 2) for seed in range(first, first + 40)} for first, more in ((0, 0), (50, 3))
    )
    assert compared(runs(before), runs(now)).differences[0].kind == WORSE
    assert compared(runs(before), runs(now), Asked(least=5.0)).differences[0].kind == NO_WORSE
    assert compared(runs(before), runs(now), Asked(least=3.0, margin=3.2)).differences[0].kind == CANNOT_SAY


def test_too_few_is_said() -> None:
    few = dict.fromkeys(range(5), 100.0)
    slower = {seed: 200.0 + seed for seed in range(5)}
    told = compared(runs(few), runs(slower))
    assert {(each.kind, each.more > 0) for each in told.differences} == {(CANNOT_SAY, True)}
    assert told.exit_code == 2
    assert compared({}, {}).exit_code == 2
    assert compared(runs(few), runs(slower, script="form")).exit_code == 2


def test_where_all_pairs_are_alike_event_by_event_few_are_enough() -> None:
    few = runs({1: 100.0, 2: 200.0})
    same = hashed(few)
    told = compared(same, same)
    assert [(each.script, each.kind, each.bound, each.more) for each in told.differences] == [
        (None, NO_WORSE, 0.0, 0), ("storm", NO_WORSE, 0.0, 0),
    ]  # fmt: skip
    assert (told.nothing_differs, told.exit_code) == (True, 0)
    unmeasured = {key: msgspec.structs.replace(run, means={}) for key, run in same.items()}
    assert compared(unmeasured, unmeasured).exit_code == 0
    assert (compared(few, few).nothing_differs, compared(few, few).exit_code) == (False, 2)


def test_one_pair_that_is_not_alike_makes_its_script_and_all_scripts_uncertain() -> None:
    """Though no history of it is kept."""
    same = {**hashed(runs({1: 100.0, 2: 200.0})), **hashed(runs({1: 5.0}, script="form"))}
    other = Key("storm", "sim", "", "default", 3)
    before, now = ({**same, other: RunFacts(outcome="passed", history_hash=each, kept=False)} for each in "ab")
    assert dict(kinds(before, now)) == {None: CANNOT_SAY, "form": NO_WORSE, "storm": CANNOT_SAY}
    assert not compared(before, now).nothing_differs


def test_few_pairs_that_are_alike_tell_nothing_of_many_runs_without_a_pair() -> None:
    def of(first: int) -> Runs:
        return {**hashed(runs({1: 5.0})), **runs({first: 5.0, first + 1: 6.0})}

    assert {kind for _, kind in kinds(of(100), of(200))} == {CANNOT_SAY}
    assert {kind for _, kind in kinds(hashed(runs({1: 5.0})), of(200))} == {NO_WORSE}


def test_a_run_that_fails_now_by_the_same_events_is_a_difference() -> None:
    told = compared(hashed(outcomes("ppp")), hashed(outcomes("ppf")))
    assert (told.alike, told.nothing_differs, told.exit_code) == (3, False, 1)


def test_runs_of_other_seeds_are_compared_without_pairs() -> None:
    draw = random.Random(2)
    before = runs({seed: draw.gauss(100, 10) for seed in range(40)})
    now = runs({seed: draw.gauss(130, 10) for seed in range(100, 140)})
    overall, told = compared(before, now).differences
    assert (overall.script, told.script, told.paired, told.kind) == (None, "storm", False, WORSE)
    assert told.low is not None
    assert told.high is not None
    assert 20 < told.low < 30 < told.high < 40


def test_runs_of_one_draw_are_one_observation() -> None:
    """Six variants of two seeds are no twelve observations, and in other files only those that draw no faults are."""
    draw = random.Random(4)

    def of(seeds: range, middle: float, script: str, file: str) -> Runs:
        return {
            Key(f"{script} {variant}", "sim", str(variant), "default", seed): RunFacts(
                outcome="passed", file=file.format(variant), means={"claim": draw.gauss(middle, 1)}
            )
            for seed in seeds
            for variant in range(6)
        }

    def told(script: str, file: str) -> tuple[str, int]:
        before, now = of(range(2), 100, script, file), of(range(10, 12), 200, script, file)
        overall = compared(before, now).differences[0]
        return overall.kind, overall.draws

    assert told("story", "one.py") == told("storm", "one.py") == told("storm", "{}.py") == (CANNOT_SAY, 2)
    assert told("story", "{}.py") == (WORSE, 12)


def test_another_mix_of_variants_is_no_difference() -> None:
    """One variant takes ten times as long, and the two sides have played it more often and less often."""
    draw = random.Random(5)

    def of(first: int, slow: int, quick: int) -> Runs:
        seeds = [("slow", first + n) for n in range(slow)] + [("quick", first + 100 + n) for n in range(quick)]
        return {
            Key("storm", "sim", variant, "default", seed): RunFacts(
                outcome="passed", file="storm.py", means={"claim": draw.gauss(100 if variant == "slow" else 10, 1)}
            )
            for variant, seed in seeds
        }

    told = compared(of(0, 10, 40), of(1000, 40, 10))
    assert {each.kind for each in told.differences} == {NO_WORSE}
    alone = compared(of(0, 20, 0), of(1000, 0, 20))
    assert (alone.differences, alone.exit_code) == ((), 2)


def test_more_operations_are_neither_good_nor_bad() -> None:
    before, now = {seed: 10.0 + seed for seed in range(20)}, {seed: 20.0 + seed for seed in range(20)}
    told = compared(runs(before, measure="operations"), runs(now, measure="operations"))
    assert [each.kind for each in told.differences] == [DIFFERENT, DIFFERENT]
    assert told.exit_code == 0


def test_a_seed_that_fails_now_is_worse_in_virtual_time() -> None:
    told = compared(outcomes("pppppppfp"), outcomes("ppppfpppp"))
    assert [(each.seed, each.now, each.again) for each in told.new_failures] == [(4, "failed", "run 4")]
    assert [each.seed for each in told.fixed] == [7]
    assert (told.failed_before, told.failed_now, told.exit_code) == (1, 1, 1)


def test_a_failure_in_the_real_world_may_be_chance() -> None:
    assert compared(outcomes("pppppppp", "real"), outcomes("pppppppf", "real")).exit_code == 2
    assert compared(outcomes("pppppppp", "real"), outcomes("ffffffff", "real")).exit_code == 1


def test_an_outcome_that_is_unknown_now_cannot_be_judged() -> None:
    told = compared(outcomes("pppppppp"), outcomes("pppppppu"))
    assert ([each.seed for each in told.new_unknown], told.exit_code) == ([7], 2)


def test_a_repair_is_an_answer_though_no_measure_can_be_compared() -> None:
    def unmeasured(told: str, world: str = "sim") -> Runs:
        return {key: msgspec.structs.replace(run, means={}) for key, run in outcomes(told, world).items()}

    told = compared(unmeasured("ffffffff"), unmeasured("pppppppp"))
    assert (len(told.fixed), told.differences, told.exit_code) == (8, (), 0)
    told = compared(unmeasured("uu"), unmeasured("pu"))
    assert ([each.seed for each in told.no_longer_unknown], told.fixed, told.exit_code) == ([0], (), 0)
    assert compared(unmeasured("ffff"), unmeasured("ffff")).exit_code == 2
    assert compared(unmeasured("fffp"), unmeasured("pppu")).exit_code == 2
    assert compared(unmeasured("fffp"), unmeasured("pppf")).exit_code == 1
    assert compared(unmeasured("fffp", "real"), unmeasured("pppf", "real")).exit_code == 2


def with_settings(told: Runs, **settings: str) -> Runs:
    return {key: msgspec.structs.replace(run, settings=settings) for key, run in told.items()}


def test_the_settings_in_which_pairs_differ_are_told() -> None:
    before, now = with_settings(outcomes("ppp"), h="60", t="1"), with_settings(outcomes("ppp"), h="75", t="1", new="x")
    now = {**now, **{key: before[key] for key in before if key.seed == 2}}
    assert compared(before, before).settings == ()
    assert [(each.name, each.pairs, each.before, each.now) for each in compared(before, now).settings] == [
        ("h", 2, ("60",), ("75",)), ("new", 2, ("",), ("x",)),
    ]  # fmt: skip
    assert compared(outcomes("ppp"), now).settings == ()
    assert compared(before, with_settings(outcomes("ppp", script="form"), h="75")).settings == ()


def test_a_pair_does_not_differ_by_a_check_that_is_not_told_on_one_side() -> None:
    key = Key("storm", "real", "", "fast", 1)
    blind = {key: RunFacts(outcome="passed", untold=("claims",))}
    red = {key: RunFacts(outcome="failed", checks=("claims",))}
    also = {key: RunFacts(outcome="failed", checks=("claims", ""))}
    unclear = {key: RunFacts(outcome="unknown", checks=("claims",), untold=("claims",))}
    passed = {key: RunFacts(outcome="passed")}
    assert (compared(blind, red).new_failures, compared(red, blind).fixed) == ((), ())
    assert (compared(passed, unclear).new_unknown, compared(blind, unclear).new_unknown) == ((), ())
    assert len(compared(passed, red).new_failures) == len(compared(blind, also).new_failures) == 1


def test_what_only_one_has_run_is_told_and_its_failures_are_tested_as_shares() -> None:
    before = {**outcomes("p" * 20), **outcomes("p" * 10, script="older")}
    now = {
        **outcomes("p" * 8),
        **{Key("storm", "sim", "", "default", 100 + n): RunFacts(outcome="failed") for n in range(12)},
    }
    told = compared(before, now)
    assert (told.pairs, told.only_before, told.only_now) == (8, 22, 12)
    assert (told.scripts_only_before, told.scripts_only_now) == (("older",), ())
    assert (told.without_pair.failed_now, told.without_pair.runs_before, told.without_pair.worse) == (12, 12, True)
    assert told.exit_code == 1


def test_failures_are_tested_by_draws_and_within_their_cells() -> None:
    """Under six variants one seed fails six times; and a variant that often fails was played more often."""

    def of(first: int, failing: dict[str, int], passing: dict[str, int]) -> Runs:
        return {
            Key("storm", "sim", variant, "default", first + 100 * place + n): RunFacts(outcome=outcome, file="storm.py")
            for outcome, counts in (("failed", failing), ("passed", passing))
            for place, (variant, count) in enumerate(counts.items(), 10 if outcome == "failed" else 0)
            for n in range(count)
        }

    mixed = compared(of(0, {"hard": 5}, {"hard": 5, "easy": 40}), of(5000, {"hard": 20}, {"hard": 20, "easy": 10}))
    assert not mixed.without_pair.worse
    really = compared(of(0, {"hard": 5}, {"hard": 35, "easy": 40}), of(5000, {"hard": 25}, {"hard": 15, "easy": 10}))
    assert really.without_pair.worse
    seeds = [
        {
            Key("storm", "sim", str(variant), "default", seed): RunFacts(
                outcome="failed" if seed == 10 else "passed", file="storm.py"
            )
            for seed in seeds
            for variant in range(6)
        }
        for seeds in (range(8), range(10, 18))
    ]
    once = compared(seeds[0], seeds[1])
    assert (once.without_pair.failed_now, once.without_pair.worse) == (6, False)


def test_chance_alone_rarely_makes_a_campaign_worse() -> None:
    """The same code in another world, many measures of many scripts: at most one comparison in twenty may cry wolf."""
    draw = random.Random(3)

    def drawn() -> Runs:
        return {
            Key(script, "real", "", "fast", seed): RunFacts(
                outcome="passed", means={name: draw.lognormvariate(3, 0.3) for name in ("claim", "join", "heal")}
            )
            for script in ("one", "two", "three")
            for seed in range(12)
        }

    assert sum(compared(drawn(), drawn()).exit_code == 1 for _ in range(40)) <= 2


def test_another_version_of_a_system_makes_a_pair_and_another_system_none() -> None:
    ours, older, newer = outcomes("pp"), of_other("5.3", outcomes("pp")), of_other("5.7", outcomes("pf"))
    told = compared(older, newer)
    assert (told.pairs, told.only_before, told.only_now, len(told.new_failures)) == (2, 0, 0, 1)
    assert (told.systems_before, told.systems_now, told.apart) == (("Other 5.3",), ("Other 5.7",), ())
    none = compared(ours, newer)
    assert (none.pairs, none.only_before, none.only_now, none.without_pair.runs_now) == (0, 2, 2, 0)
    assert [(each.what, each.before, each.now) for each in none.apart] == [("system", ("",), ("other",))]


def test_times_of_two_systems_are_never_compared() -> None:
    draw = random.Random(4)
    ours = runs({seed: draw.gauss(100, 10) for seed in range(40)})
    others = of_other("5.7", runs({seed: draw.gauss(130, 10) for seed in range(40)}))
    assert compared(ours, others).differences == ()
    slower = {key: msgspec.structs.replace(run, means={"claim": 1000.0}) for key, run in others.items()}
    told = compared({**ours, **others}, {**ours, **slower})
    assert [(each.script, each.system, each.kind) for each in told.differences] == [
        (None, "", NO_WORSE), ("storm", "", NO_WORSE), (None, "Other", WORSE), ("storm", "Other", WORSE),
    ]  # fmt: skip
