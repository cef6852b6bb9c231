"""Faults of Shoal's code, each a small override of the real member.

They show that the checks catch what they are for. The setting `legacy_fault` chooses one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from shaketable.node.config.choices import (
    LOST_FAILURE,
    NO_ALL_CLEAR,
    NO_LEGACY_FAULT,
    SERIAL_SENDER,
    STALE_NOTIFICATIONS,
    SWAPPED_MASTERS,
    TWO_TIE_BREAKS,
    UNSTORED_NOTIFICATIONS,
    UNVERIFIED_DOUBTS,
)
from shaketable.node.gms import GroupMember
from shaketable.node.legacy.groups.lost_failure import LostFailure
from shaketable.node.legacy.groups.no_all_clear import NoAllClear
from shaketable.node.legacy.groups.serial_sender import SerialSender
from shaketable.node.legacy.groups.stale_notifications import StaleNotifications
from shaketable.node.legacy.groups.swapped_masters import SwappedMasters
from shaketable.node.legacy.groups.two_tie_breaks import TwoTieBreaks
from shaketable.node.legacy.groups.unstored_notifications import UnstoredNotifications
from shaketable.node.legacy.groups.unverified_doubts import UnverifiedDoubts

GROUP_MEMBERS: Final[Mapping[str, type[GroupMember]]] = {
    NO_LEGACY_FAULT: GroupMember,
    STALE_NOTIFICATIONS: StaleNotifications,
    UNSTORED_NOTIFICATIONS: UnstoredNotifications,
    UNVERIFIED_DOUBTS: UnverifiedDoubts,
    LOST_FAILURE: LostFailure,
    TWO_TIE_BREAKS: TwoTieBreaks,
    NO_ALL_CLEAR: NoAllClear,
    SWAPPED_MASTERS: SwappedMasters,
    SERIAL_SENDER: SerialSender,
}
