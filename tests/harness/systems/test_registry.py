"""Systems by their names: ours, those that are built in, and those of other packages."""

from collections.abc import Iterator
from importlib.metadata import EntryPoint

import pytest

from shaketable.harness.errors import UserError
from shaketable.harness.records import OURS, UnderTest
from shaketable.harness.systems import registry
from shaketable.harness.systems.ours import SHAKETABLE, OurMembers
from shaketable.harness.systems.system import System

THEIRS = System(UnderTest(name="theirs", version="2", title="Theirs"), lambda under_test: OurMembers(), ("1", "2"))
NO_SYSTEM = "not a system"


@pytest.fixture
def _registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    here = "tests.harness.systems.test_registry"
    entries = [
        EntryPoint("theirs", f"{here}:THEIRS", registry.GROUP),
        EntryPoint("odd", f"{here}:NO_SYSTEM", registry.GROUP),
        EntryPoint("gone", f"{here}:NOTHING", registry.GROUP),
    ]
    monkeypatch.setattr(registry, "entry_points", lambda group: entries)
    registry._entries.cache_clear()
    yield
    registry._entries.cache_clear()


def test_without_a_name_it_is_ours() -> None:
    assert registry.chosen("") == registry.chosen("shaketable") == (SHAKETABLE, OURS)


@pytest.mark.usefixtures("_registered")
def test_another_package_s_system_is_found_by_its_name() -> None:
    assert registry.names()[0] == "shaketable"
    assert {"hazelcast", "theirs"} <= set(registry.names())
    assert registry.chosen("theirs").under_test.full_name == "Theirs 2"
    assert registry.chosen("theirs:1").under_test.full_name == "Theirs 1"
    assert registry.named("hazelcast").under_test.title == "Hazelcast"


@pytest.mark.usefixtures("_registered")
@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("nobody", "--system nobody: there is no such system; there are shaketable, "),
        ("theirs:3", "--system theirs:3: Theirs can be had as 1, 2"),
        ("theirs:", "--system theirs: no version comes after the colon: Theirs can be had as 1, 2"),
        ("hazelcast:", "--system hazelcast: no version comes after the colon: Hazelcast can be had as 5.3.8, "),
        (":5.7.0", "--system :5.7.0: no name comes before the colon: give one, as in hazelcast:5.7.0"),
        ("shaketable:1", "--system shaketable:1: Shaketable can be had as it is, without a version"),
        ("odd", "--system odd: tests.harness.systems.test_registry:NO_SYSTEM is no System"),
        ("gone", "--system gone: tests.harness.systems.test_registry:NOTHING cannot be loaded: AttributeError: "),
    ],
)
def test_what_cannot_be_had_is_said_in_a_sentence(asked: str, sentence: str) -> None:
    with pytest.raises(UserError) as told:
        registry.chosen(asked)
    assert str(told.value).startswith(sentence)
