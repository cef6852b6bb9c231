"""What real members of JGroups 5.4.8 have told, and the events that are made of it, kept side by side."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.conftest import AsWritten

from shaketable.harness.systems.jgroups import facts
from shaketable.harness.systems.jgroups.facts import AnyFact, fact_decoder
from shaketable.harness.systems.jgroups.telling import TELLS, Telling
from shaketable.node.events import Event, Suspected, SuspicionEnded
from shaketable.node.messages import Member
from shaketable.node.why import Why

LINES = sorted((Path(__file__).parents[3] / "data" / "systems" / "jgroups").glob("*/*.jsonl"))
ME, PEER, THIRD = (f"127.0.0.1:{port}" for port in (1, 3, 5))


@pytest.mark.parametrize("lines", LINES, ids=lambda lines: lines.stem)
def test_lines_of_real_members(lines: Path, as_written: AsWritten) -> None:
    told = [fact_decoder.decode(line) for line in lines.read_bytes().splitlines()]
    as_written(lines.with_suffix(".txt"), "".join(events_of(told)))


def events_of(told: list[AnyFact]) -> Iterator[str]:
    views = (fact for fact in told if isinstance(fact, facts.View))
    telling = Telling(next(address for address, uuid in next(views).members if uuid == told[-1].uuid))
    for fact in told:
        for time, incarnation, event in telling.hear(fact):
            assert incarnation == told[-1].uuid
            said = [(name, getattr(event, name)) for name in event.__struct_fields__]
            fields = " ".join(f"{name}={shown(value)}" for name, value in said if (name, value) != ("inferred", ()))
            yield f"{(time - told[0].t) / 1_000_000:.3f} {type(event).__name__} {fields}".rstrip() + "\n"


def shown(value: object) -> str:
    match value:
        case Member(address=address, uuid=uuid):
            return f"{address}/{uuid[:8]}"
        case tuple():
            return f"[{' '.join(map(shown, value))}]"
        case Why():
            return value.value
    return str(value)


def test_between_them_they_tell_every_kind_but_those_of_a_bad_end() -> None:
    told = {line.split()[1] for lines in LINES for line in lines.with_suffix(".txt").read_text().splitlines()}
    assert told == {kind.__name__ for kind in TELLS} - {"Failed", "SuspicionEnded"}


def hear(*told: AnyFact) -> list[Event]:
    telling = Telling(ME)
    return [event for fact in told for _, _, event in telling.hear(fact)]


def view(version: int, *members: str, merged: bool = False) -> facts.View:
    return facts.View(1, ME, version, ME, merged, tuple((address, address) for address in members))


def suspected(peer: str, why: str = "silence") -> facts.Suspected:
    return facts.Suspected(1, ME, (peer, peer), why)


def trusted(peer: str) -> facts.Trusted:
    return facts.Trusted(1, ME, (peer, peer))


def suspicions(*told: AnyFact) -> list[tuple[type[Event], str, Why]]:
    return [
        (type(event), event.peer.address, event.why)
        for event in hear(facts.Started(1, ME), *told)
        if isinstance(event, Suspected | SuspicionEnded)
    ]


def test_a_suspicion_is_told_once_and_ends_once() -> None:
    assert suspicions(
        view(1, ME, PEER), suspected(PEER), suspected(PEER, "connection"), trusted(PEER), trusted(PEER), suspected(PEER)
    ) == [
        (Suspected, PEER, Why.NO_HEARTBEAT),
        (SuspicionEnded, PEER, Why.HEARTBEAT),
        (Suspected, PEER, Why.NO_HEARTBEAT),
    ]


def test_a_member_that_is_off_the_view_is_suspected_no_more_and_not_anew() -> None:
    assert suspicions(
        view(1, ME, PEER, THIRD), suspected(PEER, "connection"), view(2, ME, THIRD), suspected(PEER), trusted(PEER)
    ) == [(Suspected, PEER, Why.CONNECTION_LOST)]


def test_one_that_comes_back_by_a_merge_can_be_suspected_again() -> None:
    told = suspicions(view(1, ME, PEER), suspected(PEER), view(2, ME), view(3, ME, PEER, merged=True), suspected(PEER))
    assert [kind for kind, _, _ in told] == [Suspected, Suspected]


def test_all_that_it_tells_can_be_written_down() -> None:
    for event in hear(facts.Started(1, ME), view(1, ME), facts.Failed(2, ME, "it"), facts.Left(3, ME)):
        msgspec.msgpack.encode(event)
        assert type(event) in TELLS
