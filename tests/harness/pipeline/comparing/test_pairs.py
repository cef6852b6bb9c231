"""Which runs of two stores are pairs, and why there may be none."""

from __future__ import annotations

from shaketable.harness.pipeline.comparing.pairs import Key, apart, by_pairs

KEY = Key("storm", "real", "", "fast", 1, "other", "5.7")


def repeats(version: str, many: int) -> list[Key]:
    return [KEY._replace(version=version, repeat=number) for number in range(1, many + 1)]


def pairs(before: list[Key], now: list[Key]) -> dict[Key, Key]:
    """By the run of before that of now; what has no partner stands alone."""
    return by_pairs(before, {key: key for key in now})


def test_repeats_are_pairs_in_their_order_and_the_rest_is_alone() -> None:
    one, two, three = repeats("5.7", 3)
    assert pairs([one, two], [three, one, two]) == {one: one, two: two, three: three}


def test_a_run_of_the_same_version_comes_before_one_of_another() -> None:
    old, new = repeats("5.3", 3), repeats("5.7", 2)
    assert pairs([*old, *new], new) == {each: each for each in new}
    newer = repeats("5.8", 2)
    assert pairs([*old, *new], [*newer, new[0]]) == {new[0]: new[0], old[0]: newer[0], old[1]: newer[1]}


def test_no_run_is_lost_and_none_of_another_system_is_a_pair() -> None:
    ours = [KEY._replace(system="", version="", repeat=number) for number in (1, 2)]
    now = [*ours[:1], *repeats("5.3", 4)]
    told = pairs([*ours, *repeats("5.7", 2)], now)
    assert sorted(told.values()) == sorted(now)
    assert all(key.system == run.system for key, run in told.items())


def test_the_fewest_fields_are_named_that_keep_runs_apart() -> None:
    ours = KEY._replace(system="", version="")
    assert [each.what for each in apart([ours], [KEY])] == ["system"]
    elsewhere = ours._replace(world="sim", preset="default", seed=7)
    assert [each.what for each in apart([elsewhere], [KEY, KEY._replace(seed=7)])] == ["system", "preset", "world"]
    (preset,) = apart([ours, ours._replace(script="alone", preset="slow")], [ours._replace(preset="default")])
    assert (preset.what, preset.before, preset.now) == ("preset", ("fast",), ("default",))
    assert apart([KEY], [KEY._replace(script="another")]) == apart([], [KEY]) == ()
