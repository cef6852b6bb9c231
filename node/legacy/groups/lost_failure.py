"""Lost failure: master and successor die together, and only the successor's failure is told.

Acts out Shoal's `assignAndReportFailure` on the survivors: each silently removes the master and appoints the dead
successor, whose FAILURE alone is announced later (rulings 5.8, B8)."""

from __future__ import annotations

from shaketable.node.gms import GroupMember
from shaketable.node.gms.succession import Succession
from shaketable.node.messages import Seat
from shaketable.node.why import Because


class RemovesSilently(Succession):
    def take_over(self, former: Seat, reason: Because) -> None:
        skipped = [seat for seat in self._silent.values() if seat.member != former.member]
        if skipped:
            group = self._group
            group.set_view(tuple(seat for seat in group.view if seat.member != former.member))
            former = skipped[-1]
        super().take_over(former, reason)


class LostFailure(GroupMember):
    SUCCESSION = RemovesSilently
