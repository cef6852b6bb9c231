"""Of all that can be done by hand it is known beforehand whether members of another system can do it."""

from __future__ import annotations

import pytest
from tests.harness.systems.toy import REFUSALS, TOY

from shaketable.harness.systems.hazelcast.system import HAZELCAST
from shaketable.harness.systems.jgroups.system import JGROUPS
from shaketable.harness.systems.ours import SHAKETABLE
from shaketable.harness.systems.system import BOTH_WAYS, System
from shaketable.node.config import DEFAULT
from shaketable.tui.engine.cannot import Idle, sample, what_cannot_be_done
from shaketable.tui.model.hands.calls import DEEDS

REST = {"rest_enabled": True, "rest_groups": "CLUSTER_READ CLUSTER_WRITE", "cluster_password": "let me"}
ASKS_FOR_NOTHING = {
    "note": "it is told to the history alone",
    "heal_all": "it ends what is on",
    "stop_work": "it is done to work that was begun",
}


@pytest.mark.parametrize("settings", [REST, {"family": "gms", "gms_udp": "both"}], ids=["cluster", "group"])
def test_every_deed_is_asked_about(settings: dict[str, object]) -> None:
    read = DEFAULT.with_values(settings)
    idle = Idle(read)
    for deed in DEEDS:
        if deed.family in ("", read.family):
            assert (idle.asked(sample(deed)) is None) == (deed.verb in ASKS_FOR_NOTHING), deed.verb


def test_what_no_value_makes_possible_is_said_of_the_verb_and_the_rest_of_its_value() -> None:
    cannot = what_cannot_be_done(TOY, DEFAULT)
    assert REFUSALS.items() <= cannot.items()
    assert {name for name in cannot if not name.startswith("hold ")} == {
        *("cut one_way", "flap one_way"),
        *("drop", "hold_back", "delay"),
    }
    assert "hold Started" not in cannot


def test_ours_can_do_all() -> None:
    assert what_cannot_be_done(SHAKETABLE, DEFAULT) == {}


@pytest.mark.parametrize(
    ("system", "verbs", "can"),
    [
        (HAZELCAST, ("clock", "drop", "member_list"), ("hold", "put", "work", "start", "kill", "hold ViewInstalled")),
        (JGROUPS, ("clock", "drop", "hold", "put", "work", "take_stock", "read_back"), ("start", "kill", "pause")),
    ],
    ids=["hazelcast", "jgroups"],
)
def test_each_that_is_built_in_says_what_it_cannot_do(
    system: System, verbs: tuple[str, ...], can: tuple[str, ...]
) -> None:
    cannot = what_cannot_be_done(system, DEFAULT)
    assert set(verbs) <= set(cannot)
    assert not set(can) & set(cannot)
    assert cannot["cut one_way"] == BOTH_WAYS
