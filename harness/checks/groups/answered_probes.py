"""Of the check "group detection": how long a silence may last whose first probe was answered.

No event tells of a probe that is answered. A member that gets no heartbeat probes in each round, and an answer does not
end the silence, because it is no heartbeat. So a probe may be answered where the two and the links between them are
sound for a moment, and silenced again before the next heartbeat. The probe that fails begins a period after that moment
at most."""

from __future__ import annotations

from shaketable.harness.checks.shared.circumstances import Circumstances, both_ways
from shaketable.node.core.env import Micros


def may_be_answered_until(
    all_: Circumstances, nodes: tuple[str, str], begin: Micros, end: Micros, period: Micros
) -> Micros | None:
    """The last moment between two faults that silence one of these nodes, or a link between them. If the two faults lie
    more than a period apart, a heartbeat came between them, and the silence has another cause. `end`: when the probe
    began that failed."""
    links = both_ways(*nodes)
    last: Micros | None = None
    until: Micros | None = None
    for span in sorted(all_.spans, key=lambda span: span.begin):
        if not span.silences or not span.touches(nodes, links) or span.end < begin or span.begin > end:
            continue
        if until is not None and until < span.begin <= until + period:
            last = span.begin
        until = span.end if until is None else max(until, span.end)
    return last
