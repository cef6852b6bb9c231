"""Where the cursor goes: pause and follow, step, jump to marks, to a time, to the next match of a filter."""

from __future__ import annotations

from shaketable.tui.doing.base import Doing


class TimeTravel(Doing):
    def action_halt_or_follow(self) -> None:
        if self.session.following:
            self.session.halt()
        else:
            self.session.follow()
        self.draw()

    def action_step(self, by: int) -> None:
        self.session.step(by)
        self.draw()

    def action_jump(self, forward: bool) -> None:
        if not self.session.jump(forward):
            self.say("there is no mark any more in that direction")
        self.draw()
