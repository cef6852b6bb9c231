"""Of the check "group detection": how long a silence may last whose first probe was answered.

No event tells of a probe that is answered. A member that gets no heartbeat probes in each round, and an answer does not
end the silence, because it is no heartbeat. So a probe may be answered where the two and the links between them are
sound for a moment, and silenced again before the next heartbeat, or where the suspect ends before that. The probe that
fails begins a period after that moment at most."""

from __future__ import annotations

from shaketable.harness.checks.shared.circumstances import FOR_EVER, Circumstances, both_ways
from shaketable.node.core.env import Micros
from shaketable.node.messages import Uuid


def may_be_answered_until(
    all_: Circumstances, suspect: Uuid, nodes: tuple[str, str], begin: Micros, end: Micros, period: Micros
) -> Micros | None:
    """The last moment between two faults that silence one of these nodes, or a link between them; the suspect's own end
    is such a fault too. If the two lie more than a period apart, a heartbeat came between them, and the silence has
    another cause. `end`: when the probe began that failed."""
    links = both_ways(*nodes)
    process = all_.history.by_uuid.get(suspect)
    silences = [(span.begin, span.end) for span in all_.spans if span.silences and span.touches(nodes, links)]
    if process is not None and process.ended is not None:
        silences.append((process.ended.time, FOR_EVER))
    last: Micros | None = None
    until: Micros | None = None
    for begun, ended in sorted(silences):
        if ended < begin or begun > end:
            continue
        if until is not None and until < begun <= until + period:
            last = begun
        until = ended if until is None else max(until, ended)
    return last
