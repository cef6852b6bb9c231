"""The member list as it is written to the log: byte for byte the text's own examples."""

from shaketable.node.cluster.service.views import describe
from shaketable.node.messages import Member, MemberList

LEGACY = """\
Members [3] {
    Member [127.0.0.1]:5701 - c1ccc8d4-a549-4bff-bf46-9213e14a9fd2 this
    Member [127.0.0.1]:5702 - 33a82dbf-85d6-4780-b9cf-e47d42fb89d4
    Member [127.0.0.1]:5703 - 813ec82f-9d9e-4712-bae1-6c95b32d6d7d
}"""

NEW = """\
Members {size:3, ver:3} [
    Member [127.0.0.1]:5701 - e40081de-056a-4ae5-8ffe-632caf8a6cf1 this
    Member [127.0.0.1]:5702 - 93e82109-16bf-4b16-9c87-f4a6d0873080
    Member [127.0.0.1]:5703 - 06fb4e61-9757-443b-a19f-7af1f3966f30
]"""


def written_in(text: str) -> MemberList:
    uuids = [line.split(" - ")[1].split()[0] for line in text.splitlines()[1:-1]]
    members = tuple(Member(f"127.0.0.1:{5701 + i}", uuid) for i, uuid in enumerate(uuids))
    return MemberList(3, members[0].uuid, members)


def test_the_new_format_has_the_version() -> None:
    view = written_in(NEW)
    assert describe(view, view.members[0]) == NEW


def test_the_legacy_format_has_none() -> None:
    view = written_in(LEGACY)
    assert describe(view, view.members[0], legacy=True) == LEGACY


def test_this_is_on_the_own_line_alone() -> None:
    view = written_in(NEW)
    lines = describe(view, view.members[2]).splitlines()
    assert [line.endswith(" this") for line in lines] == [False, False, False, True, False]
