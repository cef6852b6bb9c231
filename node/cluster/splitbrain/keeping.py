"""How long a part keeps itself for another one that it has told to come: it goes nowhere meanwhile.

No longer than a member asks its target to admit it. And for half of the time between two searches at most: else who
asks at each of them, and never comes, for it cannot hear the answer, would keep everybody from going anywhere."""

from __future__ import annotations

from shaketable.node.config import Settings
from shaketable.node.core.env import Micros


def kept(settings: Settings) -> Micros:
    return min(settings.max_join_merge_target, settings.merge_next_run_delay // 2)
