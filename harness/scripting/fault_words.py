"""A fault in words: what is done to whom, and what the verb alone does not say."""

from __future__ import annotations

from collections.abc import Iterable

from shaketable.harness.faults.links import LinkState
from shaketable.harness.faults.parameters import WORDS
from shaketable.harness.faults.table import (
    ClockFault,
    DatagramFault,
    Hold,
    Link,
    LinkFault,
    Load,
    MessageFault,
    arrow,
)
from shaketable.harness.faults.verb import Fault
from shaketable.node.core.env import MILLISECOND, SECOND


def arrows(links: Iterable[Link]) -> tuple[str, ...]:
    return tuple(arrow(link) for link in links)


def words_of(verb: str, nodes: Iterable[str], links: Iterable[Link]) -> str:
    return " ".join((verb, *nodes, *arrows(links)))


def detail_of(fault: Fault) -> str:
    """What the verb alone does not say, for people."""
    match fault:
        case LinkFault(state=LinkState(latency=latency, jitter=jitter)) if latency:
            return f"{latency / MILLISECOND:g} ms" + (f" +- {jitter / MILLISECOND:g} ms" if jitter else "")
        case LinkFault(state=LinkState(rate=int(rate))):
            return f"{rate} bytes/s"
        case DatagramFault(percent=percent, most=most):
            return f"{percent} %" + (f", by up to {most / MILLISECOND:g} ms" if most else "")
        case Load(busy=busy):
            return f"{busy} busy process{'es' * (busy > 1)} a core"
        case ClockFault(jump=jump, rate_ppm=rate):
            return ", ".join([f"jump {jump / SECOND:g} s"] * bool(jump) + [f"rate {rate:+d} ppm"] * bool(rate))
        case MessageFault(to=to, count=count, delay=delay):
            parts = [f"to {' '.join(to)}"] * bool(to)
            if count is not None:
                parts.append("the first one" if count == 1 else f"the first {count}")
            return ", ".join([f"by {delay / MILLISECOND:g} ms"] * bool(delay) + parts)
        case Hold(event=event, after=after, nth=nth, where=where):
            which = f" with {', '.join(f'{name} {value}' for name, value in where)}" if where else ""
            return f"{'before' if after is None else f'after {after} of'} the messages of {event}{which} number {nth}"
        case _:
            given = ((each, getattr(fault, each.name, None)) for each in fault.kind.parameters)
            return ", ".join(
                f"{each.name} {value}" if each.unit in WORDS else f"{each.name} {value / each.factor:g} {each.unit}"
                for each, value in given
                if value
            )


def values_of(fault: Fault) -> tuple[tuple[str, int], ...]:
    """What `detail_of` says of a bad state of links, for programs."""
    if not isinstance(fault, LinkFault):
        return ()
    state = fault.state
    told = ("latency", state.latency), ("jitter", state.jitter), ("rate", state.rate)
    return tuple((name, value) for name, value in told if value)


def came_upon_nothing(fault: Fault) -> str:
    """Of one that was to come upon something: why it took no effect."""
    match fault:
        case MessageFault():
            return f"no message matched: {fault.node} sent no such {' '.join(fault.kinds) or 'message'}"
        case DatagramFault(links=links):
            return f"it came upon no datagram of {', '.join(arrows(links))}"
        case Hold(node=node, event=event, where=where):
            having = " and ".join(f"{name} {value}" for name, value in where)
            return f"{node} never came to {event}" + (f" with {having}" if having else "")
    return f"it came upon no {fault.kind.comes_upon}"
