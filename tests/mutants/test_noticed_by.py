"""A rule of a check, a small bug that breaks it, and a story in which that check notices it."""

from __future__ import annotations

import pytest
from tests.mutants.judge import Try, judge
from tests.mutants.mutants import written

PARTITION = "node/cluster/partition"
SPLITBRAIN = "node/cluster/splitbrain"
CASES = [
    ("true reasons", "three-five-three-by-leaving", f"{PARTITION}/operations.py", "Operations._end",
     "or partition in self._unsure:", "or partition not in self._unsure:"),
    ("true reasons", "answers-that-come-when-backups-have-moved", f"{PARTITION}/operations.py", "holders_in",
     "row[: backups + 1]", "row[: backups + 2]"),
    ("true reasons", "nine-and-one-leaves", f"{PARTITION}/repartitioning/evening.py", "_Index._sort_out",
     "stays = index < len(row) and row[index] == member", "stays = index < len(row)"),
    ("true reasons", "the-merging-master-has-overslept", f"{SPLITBRAIN}/going.py", "Going.on_prepare_merge",
     "elif self._obeys(message):", "elif True:"),
    ("true reasons", "a-list-that-comes-after-a-restart", f"{SPLITBRAIN}/member_list.py",
     "MemberListChanges.on_take_addresses", "message.target != ms.me.uuid or not ms.joined", "not ms.joined"),
    ("true reasons", "the-smaller-part-migrates", f"{SPLITBRAIN}/merge.py", "Merge._try",
     "if ms.env.now() < latest:", "if False:"),
    ("true reasons", "a-move-of-a-backup-startcopyanswer-astray", f"{PARTITION}/receiving.py",
     "Receiving.on_start_copy", "active.info.id != info.id:  # else", "active.info.id == info.id:  # else"),
    ("true reasons", "a-wrong-configuration", "node/cluster/service/join.py", "Join.on_config_mismatch",
     "if self._merges:", "if True:"),
    ("true reasons", "all-but-one-leave-at-once-with-data", "node/cluster/service/leave.py", "Leave.stops_as_master",
     "and not self._partitions.may_go(ms.me)", "and self._partitions.may_go(ms.me)"),
    ("true reasons", "ten-joins-in-a-batch", "node/cluster/service/batches.py", "JoinBatches._close",
     "self._updates.add(joiners)", "pass"),
    ("true reasons", "clock-jump", "node/cluster/service/confirmation.py", "MasterConfirmations.check",
     "if lateness > self._timeout // 2:", "if False:"),
    ("true reasons", "one-of-two-whom-a-member-misses-crashes", "node/cluster/disconnection/reports.py",
     "Reports.forget", "if not self._suspected[reporter]:", "if self._suspected[reporter]:"),
    ("true reasons", "a-migration-is-given-up-before-its-owner-begins-it", f"{PARTITION}/sending.py",
     "Sending.decided", "if waiting is not None and waiting.info.id == info.id:", "if False:"),
    ("true reasons", "more-entries-than-go-at-once", f"{PARTITION}/merging/bringing.py", "cut",
     " or len(several[-1]) == MOST_MERGING", ""),
    ("true reasons", "a-new-master-looks-for-the-table-when-it-is-to-go", "node/cluster/partitions.py",
     "Partitions.before_a_merge", "if self.state.searching:", "if False:"),
    ("true reasons", "told-for-its-heartbeat", "node/cluster/member.py", "ClusterMember.start",
     "self.heartbeats.start()", "pass"),
    ("true reasons", "the-master-crashes-before-a-slow-commit-is-sent", f"{PARTITION}/promoting/asking.py",
     "Promoting._wait_for_its_table", "and now >= sought.until", "or now >= sought.until"),
    ("a member that falls over", "a-partition-crawls-for-too-long", f"{PARTITION}/streams/outgoing.py",
     "Link.cancel", "if self._streams and self._streams[0].name == name:", "if False:"),
    ("true reasons", "the-promoted-one-is-no-owner-any-more", f"{PARTITION}/promoting/asking.py",
     "Promoting.table_changed", "if not row or row[0] != self._state.me:", "if False:"),
    ("merged data", "each-policy-decides", f"{PARTITION}/merging/setting_aside.py", "owned",
     "if first == me or (first in silent and me in row)]", "]"),
    ("merged data", "a-member-crashes-and-a-follower-is-its-next", f"{SPLITBRAIN}/going.py",
     "Going.on_merge_clusters", "self._data.set_aside(message.going)", "pass"),
    ("merged data", "a-member-misses-tables-before-it-is-to-go", f"{PARTITION}/merging/setting_aside.py",
     "SettingAside.is_ready", "self._state.table.version >= table_version and not", "not"),
    ("merged data", "the-later-update-counts-after-slow-links", "node/cluster/service/heartbeat.py",
     "Heartbeats.on_heartbeat", "if from_master and not self._may_have_waited(now):", "if True:"),
    ("nothing waits", "nothing-that-a-member-brings-arrives", f"{PARTITION}/merging/bringing.py", "Bringing._bring",
     "if not self._asked:", "if False:"),
    ("nothing waits", "they-ask-in-vain-for-a-table", f"{PARTITION}/merging/bringing.py", "Bringing._bring",
     "self._timer = state.env.call_later(self._pause, self._again)", "pass"),
    ("nothing waits", "a-copy-is-all-that-is-left-to-clear", "node/cluster/partitions.py",
     "Partitions._on_table_acknowledged", "self.control.owners_serve()", "pass"),
    ("nothing waits", "a-vote-to-which-one-does-not-answer", "node/cluster/service/join.py", "Join._end_vote",
     "self._vote.clear()", "pass"),
    ("true reasons", "a-member-that-is-not-heard", f"{PARTITION}/operations.py", "Operations.members_changed",
     "self._wait_no_longer(write, [uuid for uuid in write.waits_for if uuid in gone])", "pass"),
    ("true reasons", "a-move-of-a-backup-cut-when-it-has-committed-long", f"{PARTITION}/finishing.py",
     "Finishing.finish", "and entry.successful and info.owner != me", "and info.owner != me"),
    ("true reasons", "a-rack-is-lost", f"{PARTITION}/planner.py", "prioritised",
     "range(1, len(order))", "range(2, len(order))"),
    ("true reasons", "a-move-of-a-backup-operationanswer-astray", f"{PARTITION}/operations.py", "Operations._write",
     "if number == last:", "if False:"),
    ("true reasons", "issue-20331", "node/cluster/service/addresses.py", "JoinAddresses.take_over",
     "if left is None", "if left is not None"),
    ("balanced", "each-policy-decides", f"{PARTITION}/repartitioning/evening.py", "_Index._hand_around",
     "if self._group_loads[other] <= self._group_loads[giver] - 2:", "if False:"),
    ("nothing waits", "a-newcomer-leaves-before-it-has-its-only-copy", f"{PARTITION}/control.py", "Control.gives_to",
     "planned or self._under_way.takes_part(member)", "planned"),
    ("true reasons", "graceful-leave", f"{PARTITION}/control.py", "Control.__init__", "self._wanted = False",
     "self._wanted = True"),
    ("nothing waits", "three-five-three-by-leaving", f"{PARTITION}/publishing.py", "Publishing.on_publish",
     "self._owes = sender\n        self.acknowledge()", "self._owes = sender"),
    ("no lost data", "each-backup-has-what-the-other-one-missed", f"{PARTITION}/held.py", "Held.apply",
     "self.newer[write.key] = version", "pass"),
    ("true reasons", "a-write-while-a-backup-is-mended", f"{PARTITION}/store.py", "MapStore.take",
     "noted.append(write)", "pass"),
    ("nothing waits", "the-word-that-lets-a-member-go-is-lost", f"{PARTITION}/leaving.py", "Leaving.may_go",
     "return True  # it was let go", "return False  # it was let go"),
    ("a member that falls over", "a-member-crashes-when-it-is-ready-to-go", f"{SPLITBRAIN}/going.py",
     "Going._send_all", "kept(ms.settings) // 4", "kept(ms.settings) / 4"),
    ("one direction", "a-member-crashes-when-its-part-is-to-go", f"{SPLITBRAIN}/merge.py", "Merge._try",
     "ms.view.version != self._version", "False"),
    ("true reasons", "issue-20331", "node/cluster/service/updates.py", "Updates.add",
     "if len(joiners) > 1 else", "if True else"),
    ("true reasons", "a-wrong-configuration", "node/cluster/service/join.py", "Join.on_config_mismatch",
     ", refused=True", ", refused=False"),
    ("true reasons", "protection-prevents-what-a-merge-would-lose", f"{PARTITION}/operations.py",
     "Operations.on_operation", 'message.does == "get" and (below', "False and (below"),
    ("true reasons", "a-write-while-a-backup-is-mended", f"{PARTITION}/store.py", "MapStore.sync_begins",
     "self._noted[partition] = []", "pass"),
    ("consequences", "issue-8137", f"{SPLITBRAIN}/answering.py", "Answering._judge",
     "self._part(asker, message)", "pass"),
    ("nothing waits", "admitted-by-a-master-that-has-overslept", "node/cluster/service/join.py", "Join._round",
     "self._request_join()\n        elif", "pass\n        elif"),
    ("nothing waits", "a-new-master-has-never-had-a-table", "node/cluster/service/mastership.py",
     "Mastership._on_answer", "self.heard_of_table or answer.has_table", "self.heard_of_table"),
    ("true reasons", "a-backup-never-learns-who-is-promoted", f"{PARTITION}/promoting/asking.py",
     "Promoting._wait_for_its_table", "if holder in sought.unheard and now >= sought.until:", "if False:"),
    ("true reasons", "a-copy-before-the-last-one-has-ended", f"{PARTITION}/receiving.py",
     "Receiving.on_start_copy", "if active is None or active.info.id != info.id:", "if active is None:"),
]  # fmt: skip


@pytest.mark.parametrize(("check", "story", "file", "function", "before", "after"), CASES, ids=[c[1] for c in CASES])
def test_the_check_notices_it_in_this_story(
    check: str, story: str, file: str, function: str, before: str, after: str
) -> None:
    found = judge(written(file, function, before, after), [Try(story, 0, "default")])
    assert found.by == check


@pytest.mark.long
def test_data_that_come_are_waited_for() -> None:
    """No story is so late that this shows: a random plan with some data on their way to a promoted owner."""
    mutant = written(f"{PARTITION}/promoting/fetching.py", "Fetching._is_stuck", "now() - last", "now() + last")
    found = judge(mutant, [Try("storm-between-followers-with-data", seed, "default") for seed in (5, 7, 15, 18)])
    assert found.by == "true reasons"
