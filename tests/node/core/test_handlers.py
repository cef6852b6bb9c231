"""Each kind of message has a handler in each family that may get it, found by what the handler says it takes."""

from __future__ import annotations

import pytest
from tests.node.gms.test_any_group_message import Watched as InAGroup
from tests.node.messages.messages_by_chance import member
from tests.node.messages.test_any_message import Watched
from tests.reasons import reason_in

from shaketable.node.config import DETECTIONS, ELECTIONS
from shaketable.node.core.handlers import handlers_of
from shaketable.node.messages import (
    DATA_MESSAGES,
    GROUP_MESSAGES,
    KINDS,
    ClaimAccepted,
    ClaimRefused,
    LeaveRequest,
    Message,
)


def test_every_kind_is_there_once_and_each_family_handles_its_own() -> None:
    assert len(set(KINDS)) == len(KINDS)
    assert {kind.__module__.rpartition(".")[2] for kind in KINDS} == {
        "cluster", "gms", "merging", "partition", "splitbrain", "swim"
    }  # fmt: skip
    cluster = Watched([]).member
    assert set(cluster._handlers) == set(KINDS)
    assert set(cluster.partitions._handlers_now()) == set(DATA_MESSAGES)
    assert set(InAGroup(DETECTIONS[0], ELECTIONS[0]).member._handlers) == set(GROUP_MESSAGES)


class Hears:
    def __init__(self) -> None:
        self.heard: list[Message] = []

    def on_leave(self, message: LeaveRequest) -> None:
        self.heard.append(message)

    def on_answer(self, message: ClaimAccepted | ClaimRefused) -> None:
        self.heard.append(message)


def test_a_handler_gets_the_kinds_that_its_signature_names() -> None:
    one, other = Hears(), Hears()
    handlers, others = (handlers_of(each.on_leave, each.on_answer) for each in (one, other))
    assert list(handlers) == [LeaveRequest, ClaimAccepted, ClaimRefused]
    refused = ClaimRefused(member(1), 1, True, reason_in(""))
    handlers[ClaimRefused](refused)
    assert (one.heard, other.heard, len(others)) == ([refused], [], 3)


def test_two_for_one_kind_are_none() -> None:
    with pytest.raises(AssertionError, match="LeaveRequest"):
        handlers_of(Hears().on_leave, Hears().on_leave)
