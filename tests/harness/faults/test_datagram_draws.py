"""What is drawn for each datagram: by the run's seed, the link and the fault, and by nothing else."""

from __future__ import annotations

from shaketable.harness.faults.datagrams import Datagrams
from shaketable.harness.faults.link_kinds import DELAY_DATAGRAMS as DELAY
from shaketable.harness.faults.link_kinds import LOSE_DATAGRAMS as LOSE
from shaketable.harness.faults.link_kinds import REPEAT_DATAGRAMS as REPEAT
from shaketable.harness.faults.links import SOUND, LinkState
from shaketable.harness.faults.table import DatagramFault, FaultTable

FORTH, BACK = ("n1", "n2"), ("n2", "n1")
MANY = 2_000


def lose(percent: int, *links: tuple[str, str]) -> DatagramFault:
    return DatagramFault(LOSE, links or (FORTH,), percent)


def fates(datagrams: Datagrams, link: tuple[str, str] = FORTH, many: int = MANY) -> list[tuple[int, ...]]:
    return [datagrams.fate(link, SOUND).arrivals for _ in range(many)]


def on(faults: dict[int, DatagramFault], seed: int = 1) -> Datagrams:
    datagrams = Datagrams(seed)
    for number, fault in faults.items():
        datagrams.begin(number, fault)
    return datagrams


def test_without_a_fault_each_arrives_once_and_in_time() -> None:
    assert fates(Datagrams(1), many=3) == [(0,)] * 3


def test_as_many_as_were_asked_for_are_lost() -> None:
    datagrams = on({1: lose(30)})
    lost = fates(datagrams).count(())
    assert 0.27 < lost / MANY < 0.33
    assert datagrams.end(1).words() == f"{lost} of {MANY} datagrams were lost"
    assert fates(datagrams, many=3) == [(0,)] * 3
    assert fates(on({1: lose(100)}), many=100) == [()] * 100


def test_the_same_seed_link_and_fault_draw_the_same_and_any_other_something_else() -> None:
    first = fates(on({7: lose(50)}))
    assert first == fates(on({7: lose(50)}))
    assert first != fates(on({8: lose(50)}))
    assert first != fates(on({7: lose(50)}, seed=2))
    assert first != fates(on({7: lose(50, BACK)}), BACK)


def test_a_fault_that_is_taken_away_does_not_change_what_the_others_do() -> None:
    delay, repeat = DatagramFault(DELAY, (FORTH,), 40, 500), DatagramFault(REPEAT, (FORTH,), 40, 500)
    all_three = fates(on({1: lose(30), 2: delay, 3: repeat}))
    without_loss = fates(on({2: delay, 3: repeat}))
    assert [fate for fate in all_three if fate] == [
        other for fate, other in zip(all_three, without_loss, strict=True) if fate
    ]
    without_repeats = fates(on({1: lose(30), 2: delay}))
    assert [fate[:1] for fate in all_three] == without_repeats


def test_what_another_link_carries_changes_nothing_here() -> None:
    busy = on({1: lose(50, FORTH, BACK)})
    mixed = []
    for _ in range(MANY):
        mixed.append(busy.fate(FORTH, SOUND).arrivals)
        busy.fate(BACK, SOUND)
    assert mixed == fates(on({1: lose(50, FORTH, BACK)}))


def test_the_delayed_come_up_to_so_much_later_and_may_be_overtaken() -> None:
    late = [later for (later,) in fates(on({1: DatagramFault(DELAY, (FORTH,), 100, 500)}))]
    assert min(late) < 20
    assert 480 < max(late) <= 500
    assert late != sorted(late)
    some = [later for (later,) in fates(on({1: DatagramFault(DELAY, (FORTH,), 10, 500)}))]
    assert 0.85 < some.count(0) / MANY < 0.95


def test_of_several_delays_the_longest_wins_and_each_repetition_is_one_more_copy() -> None:
    short, long = DatagramFault(DELAY, (FORTH,), 100, 1), DatagramFault(DELAY, (FORTH,), 100, 10**6)
    assert fates(on({1: short, 2: long})) == [(max(later),) for later in zip(*each_alone(short, long), strict=True)]
    repeat = DatagramFault(REPEAT, (FORTH,), 100, 50)
    copies = fates(on({1: repeat, 2: repeat}))
    assert {len(fate) for fate in copies} == {3}
    assert all(fate[0] == 0 and 0 <= fate[1] <= 50 for fate in copies)


def each_alone(first: DatagramFault, second: DatagramFault) -> list[list[int]]:
    return [[later for (later,) in fates(on({number: fault}))] for number, fault in ((1, first), (2, second))]


def test_a_link_that_is_silent_passes_none_and_is_drawn_for_all_the_same() -> None:
    datagrams = on({1: lose(50)})
    for state in (LinkState(cut=True), LinkState(blackhole=True)):
        assert datagrams.fate(FORTH, state) == ((), ())
    assert datagrams.end(1).words() == "0 of 0 datagrams were lost"
    before, after = fates(on({1: lose(50)})), on({1: lose(50)})
    for _ in range(5):
        after.fate(FORTH, LinkState(cut=True))
    assert fates(after, many=MANY - 5) == before[5:]


def test_on_a_slow_link_all_are_late_each_by_a_jitter_of_its_own() -> None:
    datagrams = Datagrams(1)
    assert datagrams.fate(FORTH, LinkState(latency=300)).arrivals == (300,)
    late = [datagrams.fate(FORTH, LinkState(latency=300, jitter=100)).arrivals[0] for _ in range(MANY)]
    assert 200 <= min(late) < 210
    assert 390 < max(late) <= 400


def test_the_first_that_a_fault_does_something_to_is_told_once() -> None:
    datagrams = on({1: lose(50, FORTH, BACK)})
    told = [datagrams.fate(link, SOUND).caught_first for _ in range(20) for link in (FORTH, BACK)]
    assert [each for each in told if each] == [(1,)]


def test_the_table_of_faults_finds_them_by_their_links_and_no_link_is_worse_for_them() -> None:
    table = FaultTable()
    assert table.begin(1, lose(50)) == {}
    assert (table.link(FORTH), table.numbers(link=FORTH), table.numbers(link=BACK)) == (SOUND, [1], [])
    assert table.numbers(node="n1") == table.end_all_of("n1") == []
    assert table.end(1) == {}
    assert table.active == {}
