"""A kind of fault that is none of ours for each thing that one can be done to, and one that is over by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from shaketable.harness.faults.link_kinds import CUT, LOSE_DATAGRAMS, RESET, SLOW, SPLIT
from shaketable.harness.faults.links import LinkState
from shaketable.harness.faults.node_kinds import DROP, LOAD, PAUSE
from shaketable.harness.faults.table import DatagramFault, LinkFault, Load, MessageFault, Pause
from shaketable.harness.faults.verb import LINKS, FaultKind

CUT_OFF: Final = LinkState(cut=True)

MUD: FaultKind = replace(
    SLOW,
    verb="mud",
    sentence="the link is muddy",
    hardness=3,
    plainer=CUT,
    make=lambda links, latency, jitter=0: LinkFault(MUD, links, LinkState(latency=latency, jitter=jitter)),
)
JERK: FaultKind = replace(
    RESET,
    verb="jerk",
    sentence="the link is jerked",
    hardness=3,
    plainer=CUT,
    make=lambda links: LinkFault(JERK, links, CUT_OFF),
)
MARSH: FaultKind = replace(
    MUD,
    verb="marsh",
    sentence="all links between them are muddy",
    of=LINKS,
    plainer=None,
    make=lambda links, latency, jitter=0: LinkFault(MARSH, links, LinkState(latency=latency, jitter=jitter)),
)
SPILL: FaultKind = replace(
    LOSE_DATAGRAMS,
    verb="spill",
    sentence="datagrams are spilled",
    hardness=3,
    plainer=LOSE_DATAGRAMS,
    make=lambda links, percent: DatagramFault(SPILL, links, percent),
)
MUTE: FaultKind = replace(
    DROP,
    verb="mute",
    sentence="the node is mute",
    hardness=3,
    plainer=DROP,
    make=lambda sender, to, kind, count=None: MessageFault(sender, MUTE, (kind,), to, count),
)
DUMB: FaultKind = replace(
    DROP,
    verb="dumb",
    sentence="the node says nothing at all",
    parameters=(),
    make=lambda sender, to: MessageFault(sender, DUMB, (), to),
)
RIFT: FaultKind = replace(
    SPLIT,
    verb="rift",
    sentence="a rift goes through the nodes",
    parameters=(),
    by=(),
    plainer=SPLIT,
    marks={"": "a rift went through the nodes"},
    make=lambda links: LinkFault(RIFT, links, CUT_OFF),
)
NAP: FaultKind = replace(
    PAUSE,
    verb="nap",
    sentence="the node takes a nap",
    hardness=3,
    plainer=PAUSE,
    undone=None,
    make=lambda node: Pause(node, NAP),
)
FOG: FaultKind = replace(
    LOAD, verb="fog", sentence="fog lies on all", hardness=3, plainer=LOAD, make=lambda busy: Load(busy, FOG)
)

NEW = (MUD, JERK, MARSH, SPILL, MUTE, DUMB, RIFT, NAP, FOG)
