"""The partition table as a screen shows it: what is kept from frame to frame is what would be made anew."""

from __future__ import annotations

import pytest
from tests.tui.panels.stories import session_of

from shaketable.tui.model.history.memo import Memo
from shaketable.tui.model.history.store import Store
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.tables import letters, table

SCENES = "tests/tui/panels/links_and_data.py"
STEP = 37
"""records between two looks: changes of the table, of the queue, of who runs, and none"""


@pytest.mark.parametrize(
    ("file", "name", "seed"),
    [
        (SCENES, "many-partitions", 1),
        ("chaos/migration/racks_with_data.py", "all-replicas-of-a-partition-are-lost", 3),
    ],
)
def test_a_table_that_was_kept_up_is_as_one_made_anew(file: str, name: str, seed: int) -> None:
    recorded = session_of(file, name, seed)
    grown, anew = (Session(recorded.facts, Store(recorded.store), live=False) for _ in range(2))
    states = set()
    for place in range(0, len(recorded.store) + STEP, STEP):
        grown.move(place)
        anew.store.memo = Memo()
        anew.move(place)
        found, expected = table(grown), table(anew)
        if found is None or expected is None:
            assert found is expected
            continue
        assert found.places == expected.places
        for mine, its in ((found.owned, expected.owned), (found.backed, expected.backed)):
            assert {uuid: count for uuid, count in mine.items() if count} == its
        states |= {each.state for each in found.places}
    assert len(states) >= 3, states


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        (["n2", "n1", "n10"], {"n1": "1", "n2": "2", "n10": "10"}),
        (["rome", "oslo"], {"oslo": "A", "rome": "B"}),
        (["a1", "b1"], {"a1": "A", "b1": "B"}),
        (["n100", "n7"], {"n7": "A", "n100": "B"}),
        ([], {}),
    ],
)
def test_each_node_has_a_short_label_of_its_own(names: list[str], labels: dict[str, str]) -> None:
    assert letters(names) == labels


def test_there_are_labels_for_many() -> None:
    names = [f"{chr(ord('a') + first)}{chr(ord('a') + second)}" for first in range(10) for second in range(10)]
    labels = letters(names)
    assert len(set(labels.values())) == len(names)
    assert max(map(len, labels.values())) == 2
