"""The parts of the clique search, each against all subsets: its rules, its bound, its branching; and that it is fast.

Speed is counted in work, which no machine changes: a rule that is lost here shows at once."""

from __future__ import annotations

import inspect
import random
import sys

import pytest
from tests.node.cluster.cliques.cliques_by_hand import case_by_chance, names, racks_by_chance

from shaketable.node.cluster.cliques import WORK_PER_SECOND, Question, Resolution, search
from shaketable.node.cluster.cliques.age import unique
from shaketable.node.cluster.cliques.bound import Bound
from shaketable.node.cluster.cliques.graph import Graph, bits, part_of, parts
from shaketable.node.cluster.cliques.reduction import reduce, unavoidable
from shaketable.node.cluster.cliques.search import Answer, Meter, Run, best

Edges = list[int]


def graph_by_chance(rng: random.Random, *, most: int = 11) -> tuple[Edges, list[int]]:
    """Some sparse, some dense; weights all alike, alike but for little (as ours are), or anything."""
    count = rng.randint(1, most)
    rivals = [0] * count
    chance = rng.choice([0.15, 0.3, 0.5, 0.8])
    for a in range(count):
        for b in range(a):
            if rng.random() < chance:
                rivals[a] |= 1 << b
                rivals[b] |= 1 << a
    base, spread = rng.choice([(1, 0), (1, 1), (1000, 3), (1, 1000), (1000, 1000)])
    return rivals, [base + rng.randint(0, spread) for _ in range(count)]


def all_answers(rivals: Edges, weights: list[int], among: int = -1) -> list[Answer]:
    answers = [Answer(0, 0)]
    for v, near in enumerate(rivals):
        if among >> v & 1:
            answers += [
                Answer(one.weight + weights[v], one.chosen | 1 << v) for one in answers if not one.chosen & near
            ]
    return answers


def fresh(rivals: Edges, weights: list[int]) -> Graph:
    return Graph(list(rivals), list(weights), (1 << len(rivals)) - 1)


def found(rivals: Edges, weights: list[int], floor: int = -1) -> Answer | None:
    run = Run(best(fresh(rivals, weights), floor, Meter()))
    while run.step():
        pass
    return run.answer


def check(rivals: Edges, weights: list[int]) -> None:
    answers = all_answers(rivals, weights)
    most = max(answer.weight for answer in answers)
    answer = found(rivals, weights)
    assert answer is not None
    assert answer in answers, "its weight is that of who is chosen, and no two of them are rivals"
    assert answer.weight == most
    assert found(rivals, weights, most) is None
    assert found(rivals, weights, most - 1) is not None


@pytest.mark.parametrize("hundred", range(30))
def test_the_search_finds_the_greatest_weight_whatever_the_weights(hundred: int) -> None:
    for seed in range(100):
        check(*graph_by_chance(random.Random(f"{hundred} {seed}")))


@pytest.mark.parametrize("hundred", range(5))
def test_branching_alone_finds_it_as_well(hundred: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the reductions each small graph is searched, which the cases with them hardly ever are."""

    def only_who_has_no_rivals(graph: Graph, most: int) -> int:
        graph.take(sum(1 << v for v in bits(graph.alive) if not graph.rivals[v]))
        graph.stale = 0
        return 0

    monkeypatch.setattr(search, "reduce", only_who_has_no_rivals)
    for seed in range(100):
        check(*graph_by_chance(random.Random(f"{hundred} {seed}"), most=9))


@pytest.mark.parametrize("hundred", range(20))
def test_the_reductions_keep_the_greatest_weight_and_lead_back_to_an_answer(hundred: int) -> None:
    for seed in range(100):
        rng = random.Random(f"{hundred} {seed}")
        rivals, weights = graph_by_chance(rng)
        graph = fresh(rivals, weights)
        while graph.stale:
            reduce(graph, rng.randint(1, 20))
        part = part_of(graph.rivals, graph.alive)
        rest = max(all_answers(part.rivals, [graph.weight[v] for v in part.old], part.everybody))
        answers = all_answers(rivals, weights)
        assert graph.gain + rest.weight == max(answers).weight
        assert Answer(graph.gain + rest.weight, graph.answer(part.in_whole(rest.chosen))) in answers


@pytest.mark.parametrize("hundred", range(10))
def test_who_is_unavoidable_is_in_every_best_answer_or_there_is_one_without_the_vertex(hundred: int) -> None:
    for seed in range(100):
        rivals, weights = graph_by_chance(random.Random(f"{hundred} {seed}"))
        answers = all_answers(rivals, weights)
        best_ones = [answer.chosen for answer in answers if answer.weight == max(answers).weight]
        for v in range(len(rivals)):
            needed = unavoidable(fresh(rivals, weights), v)
            if all(chosen >> v & 1 for chosen in best_ones):
                assert needed >> v & 1
                assert all(chosen & needed == needed for chosen in best_ones)


@pytest.mark.parametrize("hundred", range(20))
def test_the_bound_is_never_below_the_greatest_weight(hundred: int) -> None:
    for seed in range(100):
        rng = random.Random(f"{hundred} {seed}")
        rivals, weights = graph_by_chance(rng)
        most = max(all_answers(rivals, weights)).weight
        graph = fresh(rivals, weights)
        everybody = graph.alive
        assert Bound(graph, everybody).reckon() >= most
        floor = rng.randint(0, sum(weights))
        quick = Bound(graph, everybody).reckon(floor)
        assert quick >= most
        assert (quick > floor) == (Bound(graph, everybody).reckon() > floor), "it is in a hurry only where it may be"


def test_the_bound_counts_what_a_heavy_vertex_has_left_when_its_turn_is_over() -> None:
    """Its turn ends with its lighter partner, and it has two others, whose turns are over, too."""
    pairs = "01 03 07 09 12 14 16 23 25 29 34 36 38 47 49 56 58 67"
    rivals = [0] * 10
    for a, b in (map(int, pair) for pair in pairs.split()):
        rivals[a] |= 1 << b
        rivals[b] |= 1 << a
    weights = [3, 1, 4, 2, 4, 4, 3, 9, 1, 3]
    graph = fresh(rivals, weights)
    assert Bound(graph, graph.alive).reckon() >= max(all_answers(rivals, weights)).weight == 19


def ring(count: int) -> Edges:
    return [1 << (v + 1) % count | 1 << (v - 1) % count for v in range(count)]


def test_the_bound_knows_cliques_and_rings_of_five() -> None:
    assert Bound(Graph(ring(3), [1] * 3, 0b111), 0b111).reckon() == 1
    assert Bound(Graph(ring(5), [1] * 5, 0b11111), 0b11111).reckon() == 2
    assert Bound(Graph(ring(6), [1] * 6, 0b111111), 0b111111).reckon() == 3
    assert Bound(Graph([0b111111 ^ 1 << v for v in range(6)], [2, 2, 2, 2, 2, 3], 0b111111), 0b111111).reckon() == 3


def test_parts_hang_together_and_the_smallest_comes_first() -> None:
    rivals = [0b10, 0b01, 0b11000, 0b10100, 0b01100, 0]
    assert parts(rivals, 0b111111) == [0b100000, 0b000011, 0b011100]
    assert parts(rivals, 0b101001) == [0b000001, 0b001000, 0b100000]


# Speed: the most is half as much again as it takes now

LIMIT = 5 * WORK_PER_SECOND
"""what the default of five seconds comes to"""


def work_of(question: Question) -> int:
    resolution = Resolution(question, LIMIT)
    while resolution.step(LIMIT):
        pass
    assert resolution.decision is not None, "out of budget"
    return resolution.work


def at_random(count: int, pairs: int, seed: int) -> Question:
    case = case_by_chance(random.Random(seed), count, pairs)
    return Question(case.members, case.broken)


def test_disjoint_pairs_of_500_members() -> None:
    members = names(500)
    assert work_of(Question(members, list(zip(members[1::2], members[2::2], strict=False)))) < 1_200


@pytest.mark.parametrize(("racks", "most"), [(2, 800), (3, 550), (5, 300)])
def test_two_racks_cut_of_500_members(racks: int, most: int) -> None:
    case = racks_by_chance(random.Random(1), 500, racks, 0)
    assert work_of(Question(case.members, case.broken)) < most


def test_as_many_random_pairs_as_500_members() -> None:
    assert sum(work_of(at_random(500, 500, seed)) for seed in range(4)) < 28_000


def test_twice_as_many_random_pairs_as_500_members() -> None:
    assert sum(work_of(at_random(500, 1000, seed)) for seed in range(4)) < 850_000


def test_twice_as_many_random_pairs_as_250_members_that_hold_any_number_of_replicas() -> None:
    """Without the rule for two rivals of different weight it is 621,000."""
    work = 0
    for seed in (0, 3):
        case = case_by_chance(random.Random(seed), 250, 500)
        rng = random.Random(seed)
        replicas = {name: rng.randint(0, 100) for name in case.members}
        work += work_of(Question(case.members, case.broken, (), replicas))
    assert work < 580_000


def test_three_times_as_many_random_pairs_as_150_members() -> None:
    assert sum(work_of(at_random(150, 450, seed)) for seed in range(4)) < 630_000


def test_two_racks_cut_with_as_many_random_pairs_as_500_members() -> None:
    case = racks_by_chance(random.Random(1), 500, 3, 500)
    assert work_of(Question(case.members, case.broken)) < 310_000


def test_the_depth_of_the_search_costs_no_stack() -> None:
    question = at_random(500, 2500, 1)
    meter = Meter()
    run = Run(unique(question.rivals, question.weights(), question.open, meter))
    while run.depth < 40:
        assert run.step()
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 30)
    try:
        while meter.work < 500_000:
            assert run.step()
    finally:
        sys.setrecursionlimit(before)
