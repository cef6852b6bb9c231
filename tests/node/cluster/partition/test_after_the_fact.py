"""What comes too late, and what a promotion leaves in doubt: on real members, by the words of the core's stories."""

from __future__ import annotations

import pytest
from tests.notation.interaction import Story

from shaketable.node.cluster.partition.state import PartitionState
from shaketable.node.cluster.partition.under_way import UnderWay
from shaketable.node.messages import Migration, MigrationInfo, MigrationRequest, StartCopy


def started(members: str, table: str, maps: str = "data=1", at_once: int = 1) -> Story:
    story = Story()
    story.run(f"set partition_count=1 maps={maps} max_parallel_migrations={at_once}")
    for name in members:
        story.run(f"given {name} v{len(members)}[{','.join(members)}] with t5[{table}]")
    return story


def state_of(story: Story, name: str) -> PartitionState:
    return story._nodes[name].member.partitions.state


def test_a_migration_that_has_ended_by_what_its_master_told_is_not_begun_again() -> None:
    """Its row may be the old one again, and everybody may have forgotten it: only its number tells."""
    story = started("ABC", "BA")
    a, b, c = (state_of(story, name).membership.me for name in "ABC")
    move = Migration("MOVE", b.uuid, 0, -1, c.uuid, -1, 0)
    info = MigrationInfo("m3", a.uuid, 0, move, 5, (b.uuid, a.uuid), 3)
    for name, message in (("C", StartCopy(b, 1, c.uuid, info)), ("B", MigrationRequest(a, 1, b.uuid, info))):
        for told, begins in (((a.uuid, (), 3), False), ((a.uuid, ("m3",), 3), True)):
            state = state_of(story, name)
            state.told = told
            story._nodes[name].member.receive(message)
            assert (0 in state.active) is begins
            state.active.clear()
    assert not state_of(story, "A").has_ended(info), "the master itself is told nothing"
    other = state_of(story, "C")
    other.told = (b.uuid, (), 3)
    assert not other.has_ended(info), "another master counts its own"


@pytest.mark.parametrize("gone", ["A", "B"])
def test_who_asked_for_a_copy_too_early_and_has_left_or_its_master_is_forgotten(gone: str) -> None:
    story = Story()
    story.run("set partition_count=2")
    for name in "MAB":
        story.run(f"given {name} v4[M,A,B,D] with t5[BA,AB]")
    story.run("given D v4[M,A,B,D] with t5[BA,AB]")
    story.run(f"B -> D: StartCopy info={gone if gone == 'A' else 'M'}1:p0:MOVE:B0>-:D->0:t6[BA]")
    early = story._nodes["D"].member.partitions.receiving._too_early
    assert list(early) == [0]
    story.run(f"crash {gone}")
    story.run("wait 0.5s")
    story.run('run until "D: ViewInstalled"')
    assert early == {}


def test_who_is_promoted_doubts_its_backups_until_they_have_said_what_they_have() -> None:
    story = started("MABC", "ABC", "data=2")
    story.run("put M k=v")
    story.run("run")
    b = story._nodes["B"].member.partitions
    assert b.antientropy.doubts == {}
    story.run("crash A")
    story.run("wait 0.3s")
    story.run('run until "B: ReplicaPromoted"')
    c = state_of(story, "C").membership.me
    assert b.antientropy.doubts == {}, "first C is asked what it has more"
    assert b.state.promoting == {0: True}
    story.run('run until "arrives: MoreHeld"')
    assert list(b.antientropy.doubts) == [(0, c.uuid)]


def test_a_clear_waits_while_a_commit_may_have_made_the_next_version() -> None:
    """Else one version had two contents: the destination's, with the commit, and the master's, with the CLEAR."""
    story = started("ABC", "ABC", at_once=2)
    partitions = story._nodes["A"].member.partitions
    control, state = partitions.control, partitions.state
    c = state.membership.view.members[2]
    clear = Migration("CLEAR", c.uuid, 2, -1, None, -1, -1)
    of_another = MigrationInfo("m0", state.me, 1, clear, 5, ())
    committing = UnderWay(of_another, destination=c, owner=c, committing=True)
    partitions.under_way.by_id["m0"] = committing
    control._queue.append(MigrationInfo("m1", state.me, 0, clear, 5, state.row(0)))
    control._go_on()
    assert (state.table.version, control.waits) == (5, 1)
    committing.committing = False
    control._go_on()
    assert (state.table.version, control.waits) == (6, 0)
    assert state.row(0) == tuple(m.uuid for m in state.membership.view.members[:2])
