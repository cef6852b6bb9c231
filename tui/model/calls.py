"""What a hand can do to a run: the verbs of a chaos script, with their arguments. One table for menus, keys and saving.

A call is a line of a chaos script; so a session that was driven by hand can be saved as one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from shaketable.harness.scripting.calls import Argument as Value
from shaketable.harness.scripting.calls import Call
from shaketable.node.config import CLUSTER, GMS
from shaketable.node.env import MILLISECOND, SECOND
from shaketable.tui.model.groups import GROUPS, NODE, NODES

__all__ = ["BY_VERB", "DEEDS", "Call", "Deed", "Parameter", "Value", "heal"]

OF_A_LINK: Final = "link"
OF_A_NODE: Final = "node"
OF_ALL: Final = "all"


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    unit: str
    """what a user types is in this unit: "ms", "s", "bytes/s", "bytes", "%", "ppm", "times"; or it is a word: "kind",
    "event", "how", "text", "node", "nodes", "groups" """
    usual: str
    """where this is empty, nothing need be said"""
    factor: int = 1
    """of the unit in what the verb takes"""
    positional: bool = False


@dataclass(frozen=True, slots=True)
class Deed:
    """Something to be done by hand: an entry of the menu."""

    verb: str
    title: str
    of: str
    """what has to be chosen for it: "link", "node", "all" """
    parameters: tuple[Parameter, ...] = ()
    lasts: bool = False
    """it is on until it is healed"""
    one_way: bool = False
    """it may be done to one direction alone"""
    worlds: tuple[str, ...] = ("real", "sim")
    family: str = ""
    """of which family the nodes have to be; "": of any"""


SPLIT: Final = "split"
"""takes groups of nodes, as many as there are"""
_KIND: Final = Parameter("kind", "kind", "membersupdate", positional=True)
_COUNT: Final = Parameter("count", "times", "")
"""of messages of that kind: so many, or all"""
DEEDS: Final[tuple[Deed, ...]] = (
    Deed("cut", "connections drop, new ones are refused", OF_A_LINK, lasts=True, one_way=True),
    Deed("blackhole", "bytes vanish, connections look alive", OF_A_LINK, lasts=True, one_way=True),
    Deed(
        "slow",
        "everything takes longer",
        OF_A_LINK,
        (
            Parameter("latency", "ms", "200", MILLISECOND, positional=True),
            Parameter("jitter", "ms", "0", MILLISECOND),
        ),
        lasts=True,
        one_way=True,
    ),
    Deed(
        "thin",
        "at most so many bytes a second",
        OF_A_LINK,
        (Parameter("rate", "bytes/s", "10000", positional=True),),
        lasts=True,
        one_way=True,
    ),
    Deed(
        "flap",
        "cut and healed on a rhythm",
        OF_A_LINK,
        (
            Parameter("down", "ms", "500", MILLISECOND),
            Parameter("up", "ms", "500", MILLISECOND),
        ),
        lasts=True,
        one_way=True,
    ),
    Deed("reset", "connections drop once and may come back", OF_A_LINK, one_way=True),
    Deed("slice", "data arrives in small pieces", OF_A_LINK, lasts=True, one_way=True),
    Deed(
        "lose_datagrams",
        "so many of them never arrive",
        OF_A_LINK,
        (Parameter("percent", "%", "30"),),
        lasts=True,
        one_way=True,
        family=GMS,
    ),
    Deed(
        "delay_datagrams",
        "so many come later, each by a time of its own",
        OF_A_LINK,
        (Parameter("by", "ms", "500", MILLISECOND, positional=True), Parameter("percent", "%", "100")),
        lasts=True,
        one_way=True,
        family=GMS,
    ),
    Deed(
        "repeat_datagrams",
        "so many come twice",
        OF_A_LINK,
        (Parameter("percent", "%", "100"), Parameter("later", "ms", "10", MILLISECOND)),
        lasts=True,
        one_way=True,
        family=GMS,
    ),
    Deed("isolate", "all links of the node, both ways", OF_A_NODE, (Parameter("how", "how", "cut"),), lasts=True),
    Deed("pause", "a long GC pause", OF_A_NODE, lasts=True),
    Deed("resume", "ends every pause of the node", OF_A_NODE),
    Deed("kill", "a crash", OF_A_NODE),
    Deed("restart", "the same address, a new identity", OF_A_NODE),
    Deed("leave", "graceful shutdown", OF_A_NODE),
    Deed(
        "clock",
        "the node's clock jumps, or runs at another rate",
        OF_A_NODE,
        (Parameter("jump", "s", "10", SECOND), Parameter("rate_ppm", "ppm", "0")),
        lasts=True,
    ),
    Deed(
        "drop",
        "messages of a kind that the node sends are lost",
        OF_A_NODE,
        (_KIND, _COUNT),
        lasts=True,
    ),
    Deed(
        "hold_back",
        "they wait until this is healed, and come after their successors",
        OF_A_NODE,
        (_KIND, _COUNT),
        lasts=True,
    ),
    Deed(
        "delay",
        "they leave later, and their successors do not wait",
        OF_A_NODE,
        (_KIND, Parameter("by", "ms", "500", MILLISECOND, positional=True), _COUNT),
        lasts=True,
    ),
    Deed(
        "hold",
        "a crash point: the node holds at its next event of a kind",
        OF_A_NODE,
        (Parameter("event", "event", "ViewInstalled", positional=True), Parameter("after", "times", "")),
        lasts=True,
    ),
    Deed(
        SPLIT,
        "all links between groups of nodes, both ways",
        OF_ALL,
        (Parameter("groups", GROUPS, "n1 | n2", positional=True), Parameter("how", "how", "cut")),
        lasts=True,
    ),
    Deed("load", "a busy machine", OF_ALL, (Parameter("busy", "times", "4", positional=True),), lasts=True),
    Deed("start", "one more node", OF_ALL),
    Deed(
        "work",
        "a client of the node writes and reads on, each time another of its keys",
        OF_A_NODE,
        (
            Parameter("keys", "times", "10"),
            Parameter("size", "bytes", "0"),
            Parameter("writes_percent", "%", "50"),
            Parameter("pause", "ms", "50", MILLISECOND),
            Parameter("operations", "times", ""),
        ),
        family=CLUSTER,
    ),
    Deed("stop_work", "the clients of the node that were set to work stop", OF_A_NODE, family=CLUSTER),
    Deed(
        "put",
        "a client of the node writes one value",
        OF_A_NODE,
        (Parameter("key", "text", "k1", positional=True), Parameter("value", "text", "v1", positional=True)),
        family=CLUSTER,
    ),
    Deed("read_back", "a client of the node reads every key that was written", OF_A_NODE, family=CLUSTER),
    Deed(
        "talk",
        "its application sends something to all others this often; 0: no more",
        OF_A_NODE,
        (Parameter("every", "ms", "100", MILLISECOND),),
        family=GMS,
    ),
    Deed(
        "start_group",
        "it tells its master that a whole group starts, and who is still to come",
        OF_A_NODE,
        (Parameter("expected", NODES, "n2", positional=True),),
        family=GMS,
    ),
    Deed("stop_group", "it has the whole group shut down; a spectator stays itself", OF_A_NODE, family=GMS),
    Deed(
        "hint",
        "it tells all that another one has failed; only a watchdog is believed",
        OF_A_NODE,
        (Parameter("failed", NODE, "n2", positional=True),),
        family=GMS,
    ),
    Deed("heal_all", "ends every fault that lasts", OF_ALL),
)
DATAGRAMS: Final = ("lose_datagrams", "delay_datagrams", "repeat_datagrams")
BY_VERB: Final[Mapping[str, Deed]] = {deed.verb: deed for deed in DEEDS}
SENDER: Final = ("drop", "hold_back", "delay")
"""they name their node as the sender"""
FROM_HERE: Final = "from here on it is driven by hand"
"""the step of a history at which a cluster has formed and waits for hands"""
NO_EFFECT: Final = "it took no effect: "
"""so begins the trouble with what was done, and did nothing"""
HEAL: Final = "heal"
"""of one fault, by its number: no entry of the menu, for it is done to the fault"""


def heal(fault: int) -> Call:
    return Call(HEAL, (fault,))
