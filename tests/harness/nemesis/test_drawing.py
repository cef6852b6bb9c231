"""Plans are drawn by their seed alone, swarm style, of deeds that can be done when their time comes."""

from __future__ import annotations

import msgspec
import pytest
from tests.harness.nemesis.climates import STORIES

from shaketable.chaos.storms.nemesis import WHOLE
from shaketable.harness.errors import UserError
from shaketable.harness.faults.verb import ALL, LINK, LINKS, PARTS
from shaketable.harness.nemesis.deeds import AT_ONCE, HIDE, JOIN, KINDS, Standing, moments_of, why_not
from shaketable.harness.nemesis.drawing import draw
from shaketable.harness.nemesis.plan import Deed, Plan, from_json, to_json
from shaketable.node.config import DEFAULT

SEEDS = range(40)


@pytest.mark.parametrize("story", STORIES)
def test_a_seed_draws_one_plan_and_json_keeps_it(story: str) -> None:
    climate, settings = STORIES[story]
    plans = [draw(climate, settings, seed) for seed in SEEDS]
    assert plans == [draw(climate, settings, seed) for seed in SEEDS]
    assert plans == [from_json(to_json(plan)) for plan in plans]
    assert len({to_json(plan) for plan in plans}) == len(plans)


@pytest.mark.parametrize("story", STORIES)
def test_what_is_drawn_is_in_order_of_the_family_and_ends_with_the_storm(story: str) -> None:
    climate, settings = STORIES[story]
    for plan in (draw(climate, settings, seed) for seed in SEEDS):
        assert [deed.at for deed in plan.deeds] == sorted(deed.at for deed in plan.deeds)
        assert all(plan.family in KINDS[deed.verb].families for deed in plan.deeds)
        assert all(moment.at <= plan.storm for moment in moments_of(plan))
        assert climate.nodes[0] <= len(plan.nodes) <= climate.nodes[1]
        assert len(plan.deeds) <= climate.deeds[1] + len(climate.always) + len(AT_ONCE)


def test_a_sleeper_hears_that_something_is_over_when_it_awakes() -> None:
    """A node that is paused carries out no order: nothing that it is to end itself ends before it is continued."""

    def ends(*deeds: Deed, storm: int = 9) -> list[tuple[int, int]]:
        plan = Plan(family="gms", nodes=("n1", "n2"), deeds=deeds, storm=storm, ending="one group")
        return [(moment.at, moment.deed) for moment in moments_of(plan) if not moment.first]

    filter_ = Deed(1, "drop", ("n1",), (), 4, {"kind": "heartbeat"})
    assert ends(filter_, Deed(3, "pause", ("n1",), (), 3)) == [(6, 1), (6, 0)]
    assert ends(filter_, Deed(3, "pause", ("n2",), (), 3)) == [(5, 0), (6, 1)], "another one sleeps"
    assert ends(filter_, Deed(5, "pause", ("n1",), (), 3)) == [(5, 0), (8, 1)], "it falls asleep only then"
    assert ends(filter_, Deed(3, "pause", ("n1",), (), 2)) == [(5, 1), (5, 0)], "both at one time"
    assert ends(filter_, Deed(3, "pause", ("n1",), (), 3), storm=4) == [(4, 1), (4, 0)], "the storm is over"
    assert ends(Deed(1, "cut", ("n1",), ("n2",), 4), Deed(3, "pause", ("n1",), (), 3)) == [(5, 0), (6, 1)]


@pytest.mark.parametrize("story", STORIES)
def test_each_seed_uses_some_kinds_and_all_seeds_use_all(story: str) -> None:
    climate, settings = STORIES[story]
    kinds = [set(draw(climate, settings, seed).kinds) for seed in range(150)]
    assert set().union(*kinds) == {verb for verb, weight in climate.weights.items() if weight}
    assert all(len(used) < len(climate.weights) for used in kinds)


@pytest.mark.parametrize("story", STORIES)
def test_so_many_stay_up_and_awake_and_nothing_is_done_to_the_dead(story: str) -> None:
    climate, settings = STORIES[story]
    for plan in (draw(climate, settings, seed) for seed in SEEDS):
        out: dict[str, tuple[str, int]] = {}
        known = list(plan.nodes)
        for deed in plan.deeds:
            now = {name: how for name, (how, until) in out.items() if until > deed.at}
            if KINDS[deed.verb].of == "a node" and deed.verb != JOIN:
                assert now.get(deed.on[0]) != "down", (deed, now)
            if deed.verb == JOIN:
                assert deed.on[0] not in known
                known.append(deed.on[0])
            if deed.verb in ("kill", "leave", "crash_at", "pause", "hold"):
                how = "asleep" if deed.verb in ("pause", "hold") else "down"
                for_good = how == "down" and deed.lasts is None
                out[deed.on[0]] = how, plan.storm + 1 if for_good else plan.ends(deed)
                now[deed.on[0]] = how
            assert len(known) - len(now) >= climate.awake, (deed, now)


@pytest.mark.parametrize("forgetting", [False, True])
def test_addresses_are_hidden_at_once_and_who_is_named_where_all_forget_returns(forgetting: bool) -> None:
    settings = DEFAULT.with_values({"address_retention_seconds": 60}) if forgetting else DEFAULT
    hidden = 0
    for plan in (draw(WHOLE, settings, seed) for seed in range(150)):
        hides = [deed for deed in plan.deeds if deed.verb == HIDE]
        assert plan.deeds[: len(hides)] == tuple(hides)
        assert all(deed.at == 0 and len(deed.to) == forgetting for deed in hides)
        named = [name for deed in hides for name in deed.to]
        stops = [deed for deed in plan.deeds if KINDS[deed.verb].ends == "restart"]
        gone = [deed.on[0] for deed in stops if deed.lasts is None or deed.verb == "leave"]
        assert not set(named) & set(gone)
        hidden += len(hides)
    assert 40 < hidden < 110


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", "this is no fault plan"),
        ("no json", "this is no fault plan"),
        (to_json(Plan(schema=99, family="cluster", nodes=("n1",), storm=0, ending="x")), "has schema 99"),
    ],
)
def test_what_is_no_plan_is_refused_in_words(text: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        from_json(text)


@pytest.mark.parametrize("story", STORIES)
@pytest.mark.parametrize(("nodes", "awake"), [((2, 3), 1), ((1, 2), 1), ((1, 3), 0)])
def test_no_deed_for_two_is_drawn_among_one(story: str, nodes: tuple[int, int], awake: int) -> None:
    climate, settings = STORIES[story]
    few = msgspec.structs.replace(climate, nodes=nodes, awake=awake, deeds=(20, 40))
    for plan in (draw(few, settings, seed) for seed in SEEDS):
        assert all(KINDS[deed.verb].of == ALL or deed.on for deed in plan.deeds)
        assert all(deed.to for deed in plan.deeds if KINDS[deed.verb].of in (LINK, LINKS, PARTS))


def test_nobody_is_isolated_from_nobody() -> None:
    assert why_not(Deed(0, "isolate", ("n1",)), Standing(["n1"], ["n1"])) == "there is nobody but n1"
    assert why_not(Deed(0, "isolate", ("n1",)), Standing(["n1", "n2"], ["n1"])) == ""
