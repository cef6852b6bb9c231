"""Lines of Hazelcast's log: known, of no interest, or nearly like one of ours."""

from __future__ import annotations

import json

import pytest
from tests.harness.systems.hazelcast.kept import FOLDER

from shaketable.harness.systems.hazelcast.lines import NAMES, UNNEEDED, UnknownLine, read
from shaketable.harness.systems.hazelcast.telling import HANDLED
from shaketable.harness.systems.hazelcast.words import address_in, between, list_in, members_in, without_prefix
from shaketable.node.messages import Member

A, B = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
N1, N2 = f"Member [n1]:21001 - {A}", f"Member [n2]:21002 - {B}"

REST = ("reason", "view", "caller", "message", "migration", "migrations", "statistics", "voters", "why")


def kept_logs() -> list[tuple[str, str]]:
    logs = {}
    for file in FOLDER.glob("*/*.jsonl"):
        for line in file.read_text(encoding="utf-8").splitlines():
            kept = json.loads(line)
            if kept.get("kind") == "log":
                logs[kept["from"], without_prefix(kept["text"])] = True
    return list(logs)


def test_each_text_is_handled() -> None:
    assert sorted(HANDLED) == sorted(NAMES)
    assert len(set(NAMES)) == len(NAMES)


def test_a_line_that_goes_on_is_not_the_line_that_is_known() -> None:
    known = [(source, text) for source, text in kept_logs() if read(source, text) is not None]
    assert len(known) > 100
    strict = [(source, text) for source, text in known if not _may_go_on(source, text)]
    assert len(strict) > len(known) // 2
    for source, text in strict:
        with pytest.raises(UnknownLine):
            read(source, f"{text} and more of it")


def _may_go_on(source: str, text: str) -> bool:
    """It ends with words of any kind."""
    line = read(source, text)
    return line is not None and any(said and text.endswith(said) for name, said in line.said.items() if name in REST)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("MembershipManager", f"Setting members [{N1} this, {N2}], version: four"),
        ("MembershipManager", f"Setting members [{N1} this, Node 2], version: 4"),
        ("MembershipManager", f"{N2} is suspected to be dead, says the detector"),
        ("MembershipManager", f"Removing {N2} of the list"),
        ("ClusterService", f"Resetting local member UUID. Previous: {A}, new: none"),
        ("MigrationManagerImpl", "partitionId=x is completely lost!"),
    ],
)
def test_a_line_that_is_nearly_ours_is_unknown(source: str, text: str) -> None:
    with pytest.raises(UnknownLine):
        read(source, text)


def test_a_known_line_that_says_nothing_is_passed_over() -> None:
    text = "Removing suspected address [n1]:21001, it's no longer a member."
    assert any(words in text for words in UNNEEDED["MembershipManager"])
    assert read("MembershipManager", text) is None


def test_a_line_of_another_logger_is_none_of_ours() -> None:
    assert read("SomethingElse", f"Setting members [{N1}], version: 4") is None


def test_the_migration_manager_has_two_names() -> None:
    for source in ("MigrationManager", "MigrationManagerImpl"):
        line = read(source, "partitionId=7 is completely lost!")
        assert line is not None
        assert line.said["partition"] == "7"


def test_members_and_lists() -> None:
    infos = (
        f"MembersView{{version=3, members=[MemberInfo{{address=[n1]:21001, uuid={A}, cpMemberUUID=null, "
        "liteMember=true, memberListJoinVersion=1}, "
        f"MemberInfo{{address=[n2]:21002, uuid={B}, cpMemberUUID=null, liteMember=false, memberListJoinVersion=2}}]}}"
    )
    assert list_in(infos) == (3, (Member("n1:21001", A), Member("n2:21002", B)))
    assert [member.lite for member in list_in(infos).members] == [True, False]
    printed = f"\n\nMembers {{size:2, ver:12}} [\n\t{N1} this\n\t{N2} lite\n]\n"
    assert list_in(printed) == (12, (Member("n1:21001", A), Member("n2:21002", B)))
    assert [member.lite for member in members_in(printed)] == [False, True]


def test_an_address_and_a_prefix() -> None:
    assert address_in("from [n1.example]:5701 and [n2]:5702") == "n1.example:5701"
    assert address_in("null") == ""
    assert without_prefix("[n1]:21001 [dev] [5.7.0] Starting join...") == "Starting join..."
    assert without_prefix("[LOCAL] [dev] [5.3.8] Words") == "Words"
    assert without_prefix("no prefix") == "no prefix"


def test_a_silence_over_midnight() -> None:
    assert between("2026-12-31 23:59:58.750", "2027-01-01 00:00:04.000") == 5_250_000
