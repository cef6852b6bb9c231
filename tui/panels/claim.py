"""A mastership claim while it runs: whom the node has asked, and what each has answered."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.harness.observed import NodeSeen
from shaketable.tui.model.picture import Picture
from shaketable.tui.text import Line, Span, line


def claim(picture: Picture, node: NodeSeen) -> Sequence[Line]:
    if not node.claiming or not node.running:
        return ()
    return [line(Span(" ◇ claims the mastership", "moving"))]
