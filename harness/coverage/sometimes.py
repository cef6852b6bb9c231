"""Combinations that no single event tells, and that a campaign should have seen now and then.

As in "sometimes assertions": none of them is right or wrong, but a campaign that never saw one has not tested what the
texts say of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from shaketable.harness.coverage.mark import BOTH, Mark
from shaketable.node.config import CLUSTER, GMS

MARKS: Final[Mapping[str, Mark]] = {
    "sometimes: two masters at once": Mark(BOTH, "two members led a list of two or more each at the same time"),
    "sometimes: three masters at once": Mark(BOTH, "three members led a list of two or more each at the same time"),
    "sometimes: overlapping lists": Mark(BOTH, "two masters had a member in common in their lists"),
    "sometimes: the master was killed": Mark(BOTH, "who led a list of two or more was killed"),
    "sometimes: the master was paused": Mark(BOTH, "who led a list of two or more was paused"),
    "sometimes: master and successor died": Mark(BOTH, "another member was killed before anybody followed the master"),
    "sometimes: two died at once": Mark(BOTH, "two were killed before the first of them was missed"),
    "sometimes: killed while links were broken": Mark(BOTH, "a node was killed while a link was silent"),
    "sometimes: five faults at once": Mark(BOTH, "five faults or more lasted at the same time"),
    "sometimes: a one-way break": Mark(BOTH, "a link was silent in one direction alone"),
    "sometimes: mutual suspicion": Mark(BOTH, "two members suspected each other at the same time"),
    "sometimes: a false suspicion": Mark(BOTH, "a suspicion ended: its member had not died"),
    "sometimes: two candidates at once": Mark(CLUSTER, "two members claimed the mastership at the same time"),
    "sometimes: a candidate died": Mark(CLUSTER, "a candidate was killed in mid-claim"),
    "sometimes: a claim was given up": Mark(CLUSTER, "a candidate came to follow somebody else in mid-claim"),
    "sometimes: a candidate learnt of members": Mark(
        CLUSTER, "an answer to a claim named a member that the candidate's own list lacks"
    ),
    "sometimes: a candidate ended alone": Mark(CLUSTER, "nobody accepted a claim, and its list has one member"),
    "sometimes: two largest cliques": Mark(CLUSTER, "a decision who stays had more than one largest answer"),
    "sometimes: three left by one decision": Mark(CLUSTER, "a decision made three or more leave"),
    "sometimes: decided beside an unsettled pair": Mark(CLUSTER, "a decision left a flapping pair out of account"),
    "sometimes: a master died while migrating": Mark(CLUSTER, "a master was killed while a migration was under way"),
    "sometimes: rolled back after a master crash": Mark(CLUSTER, "a new master rolled a migration back"),
    "sometimes: committed after a master crash": Mark(CLUSTER, "a new master completed a migration"),
    "sometimes: another had the newest table": Mark(CLUSTER, "a new master found a newer table than its own"),
    "sometimes: a master died in its search": Mark(CLUSTER, "a new master was killed before its search had ended"),
    "sometimes: several migrations at once": Mark(CLUSTER, "two migrations were under way at the same time"),
    "sometimes: an operation was repeated": Mark(CLUSTER, "an operation was acknowledged after several attempts"),
    "sometimes: three parts became one": Mark(CLUSTER, "two masters went over to the same one"),
    "sometimes: killed while it went over": Mark(CLUSTER, "a node was killed between its merge and its arrival"),
    "sometimes: a merged entry was kept": Mark(CLUSTER, "an entry that came with a merge was kept"),
    "sometimes: a merged entry was lost": Mark(CLUSTER, "a policy preferred what was there to what came with a merge"),
    "sometimes: a merged entry was there": Mark(CLUSTER, "an entry that came with a merge was there already"),
    "sometimes: a merged entry was changed": Mark(CLUSTER, "a policy made something else of two entries"),
    "sometimes: a rejoin within the detection window": Mark(
        GMS, "a member was added whose former incarnation nobody had missed"
    ),
    "sometimes: a start of a group without some": Mark(GMS, "a group's start ended, and some had not come"),
    "sometimes: heartbeats were spared": Mark(GMS, "other messages stood for heartbeats"),
}
