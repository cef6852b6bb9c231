"""A recorded run: the hash of a history, and the one reading of it that all checks share."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.notation.notation import Writer, history_of, member
from tests.where import ROOT

from shaketable.harness import records as h
from shaketable.harness.history.history import History
from shaketable.harness.records import tells
from shaketable.node.events import Merging, ViewInstalled

STORY = """
n1 installs v1 [n1]
n1 installs v2 [n1 n2]
n1 publishes v2 [n1 n2]
n2 installs v2 by n1 [n1 n2]
fault 1: kill n2
n2 is killed
n1 installs v3 [n1]
"""


def test_what_was_told_of_one_kind_is_all_of_that_kind_in_its_order() -> None:
    history = History(history_of(STORY))
    assert [record.event.version for record in history.of(ViewInstalled)] == [1, 2, 2, 3]
    assert all(tells(record, ViewInstalled) for record in history.of(ViewInstalled))
    assert history.has(Merging, ViewInstalled)
    assert not history.has(Merging)
    assert history.of(Merging) == []


# The hash and the order


@settings(deadline=None)
@given(st.integers(0, 2**32))
def test_the_order_of_arrival_changes_nothing(seed: int) -> None:
    records = history_of(STORY)
    shuffled = random.Random(seed).sample(records, len(records))
    assert History(shuffled).records == History(records).records
    assert History(shuffled).hash == History(records).hash


def test_every_field_of_an_event_counts_in_the_hash() -> None:
    hashes = {History(history_of(STORY)).hash}
    for old, new in (
        ("v3 [n1]", "v4 [n1]"),
        ("kill n2", "kill n3"),
        ("by n1 [n1 n2]", "by n1 [n2 n1]"),
        ("fault 1", "fault 2"),
    ):
        hashes.add(History(history_of(STORY.replace(old, new))).hash)
    assert len(hashes) == 5


def test_the_hash_is_the_same_in_another_process_with_another_hash_seed() -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from tests.notation.notation import history_of\nfrom shaketable.harness.history.history import History\n"
        f"print(History(history_of({STORY!r})).hash)"
    )
    for seed in ("1", "77"):
        answer = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert answer.stdout.strip() == History(history_of(STORY)).hash


def test_the_link_fabric_and_the_place_of_the_script_are_not_in_the_hash() -> None:
    writer = Writer()
    began = writer.records[0].event
    assert isinstance(began, h.RunBegan)
    elsewhere = msgspec.structs.replace(began, fabric="toxiproxy 9", script=f"some/where/{began.script}")
    moved = [writer.records[0]._replace(event=elsewhere), *writer.records[1:]]
    assert History(moved).hash == History(writer.records).hash


# The reading of it


def test_the_system_is_ours_unless_the_beginning_names_another_one() -> None:
    assert History(()).system == History(Writer().records).system == h.OURS
    began = h.RunBegan("kill", "real", "", 1, "fast", {}, h.UnderTest(name="other"))
    assert History([h.Record(0, "", "", 0, began)]).system.name == "other"


def test_calm_begins_with_the_receipt_of_the_last_fault() -> None:
    assert (
        History(history_of("n1 installs v1 [n1]\n@30s\nfault 1: cut n1->n2\n@40s\nfault 1 ends\n@90s")).calm
        == 40_001_000
    )
    assert History(history_of("n1 installs v1 [n1]\n@30s\nn1 is killed\n@90s")).calm == 30_001_000
    assert History(history_of("@30s\nfault 1 is asked: cut n1->n2\n@40s")).calm == 0


def test_a_restart_makes_a_second_process_of_the_node() -> None:
    history = History(history_of("n1 starts\nn1 is killed\nn1' starts"))
    first, second = history.processes.values()
    assert (first.node, first.alive, second.node, second.alive) == ("n1", False, "n1", True)
    assert (history.name(first), history.name(second)) == ("n1#aa01", "n1#bb01")


def test_names_are_short_while_an_address_has_one_life() -> None:
    history = History(history_of("n1 starts"))
    assert history.names.member(member("n1")) == "n1"
    assert history.names.member(member("n1'")) == "n1#bb01"
    assert history.names.spoken("127.0.0.1:5701 and 127.0.0.1:57011") == "n1 and 127.0.0.1:57011"


def test_paused_and_held_nodes_execute_nothing() -> None:
    history = History(history_of("n1 starts\nn2 starts\nn3 starts\nfault 1: pause n1\nn2 holds\nn3 holds\nn3 goes on"))
    assert [history.executing(process) for process in history.processes.values()] == [False, False, True]


def test_a_merge_ends_one_process_of_a_node_with_its_last_word_and_the_next_goes_on() -> None:
    history = History(history_of("n1 installs v1 [n1]\nn1 goes over to n2\nn1' starts"))
    first, second = history.processes.values()
    assert (first.alive, second.alive, second.node) == (False, True, "n1")
    assert first.ended is not None
    assert isinstance(first.ended.event, Merging)
    cut_off = History(history_of("n1 installs v1 [n1]\nn1 goes over to n2\nn1 is killed"))
    assert [process.ended.event for process in cut_off.processes.values() if process.ended] == [Merging(member("n2"))]
