"""All that a key, a click or an entry of the palette does."""

from __future__ import annotations

from shaketable.tui.doing.breaking import Breaking
from shaketable.tui.doing.leaving import Leaving
from shaketable.tui.doing.looking import Looking
from shaketable.tui.doing.running import Running
from shaketable.tui.doing.searching import Searching


class DoingAll(Searching, Breaking, Running, Looking, Leaving):
    """The app itself adds only the screens, the frame and its tick."""
