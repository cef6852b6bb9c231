"""Two campaigns side by side: what is said of runs that are made by hand."""

from __future__ import annotations

import random

import msgspec

from shaketable.harness.pipeline.comparing.comparing import (
    BETTER,
    DIFFERENT,
    SAME,
    TOO_FEW,
    WORSE,
    RunFacts,
    compared,
)
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
    assert [(each.script, each.kind, each.n) for each in told.differences] == [(None, WORSE, 40), ("storm", WORSE, 40)]
    overall = told.differences[0]
    assert 4 < overall.low < overall.percent < overall.high < 7
    assert told.exit_code == 1
    assert kinds(runs(now), runs(before)) == [(None, BETTER), ("storm", BETTER)]
    assert compared(runs(now), runs(before)).exit_code == 0


def test_what_is_the_same_or_a_trifle_is_said_to_be_the_same() -> None:
    before = {seed: 100.0 + seed for seed in range(30)}
    assert kinds(runs(before), runs(before)) == [(None, SAME), ("storm", SAME)]
    trifle = {seed: value * 1.001 for seed, value in before.items()}
    told = compared(runs(before), runs(trifle))
    assert [each.kind for each in told.differences] == [SAME, SAME]
    assert told.differences[0].chance < 0.01  # sure, and below one per cent
    one = {**before, 3: 900.0}
    assert kinds(runs(before), runs(one)) == [(None, SAME), ("storm", SAME)]


def test_too_few_is_said() -> None:
    few = dict.fromkeys(range(5), 100.0)
    slower = {seed: 200.0 + seed for seed in range(5)}
    told = compared(runs(few), runs(slower))
    assert {each.kind for each in told.differences} == {TOO_FEW}
    assert told.exit_code == 2
    assert compared({}, {}).exit_code == 2
    assert compared(runs(few), runs(slower, script="form")).exit_code == 2


def test_runs_of_other_seeds_are_compared_without_pairs() -> None:
    draw = random.Random(2)
    before = runs({seed: draw.gauss(100, 10) for seed in range(40)})
    now = runs({seed: draw.gauss(130, 10) for seed in range(100, 140)})
    (told,) = compared(before, now).differences
    assert (told.script, told.paired, told.kind) == ("storm", False, WORSE)
    assert 20 < told.low < told.high < 32


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

    assert sum(compared(drawn(), drawn()).exit_code == 1 for _ in range(20)) <= 3


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
        (None, "", SAME), ("storm", "", SAME), (None, "Other", WORSE), ("storm", "Other", WORSE),
    ]  # fmt: skip
