"""Breaking things by hand: the menu of faults, undo, heal all, nodes that come and go, saving it all as a script."""

from __future__ import annotations

from shaketable.tui.doing.base import Doing


class Breaking(Doing):
    pass
