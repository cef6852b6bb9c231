"""What a hand can do to a run: the verbs of a chaos script, with their arguments. One table for menus, keys and saving.

A call is a line of a chaos script; so a session that was driven by hand can be saved as one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from shaketable.harness.faults.kinds import KINDS
from shaketable.harness.faults.parameters import ADDRESSES, MAP, ONE_WAY, VALUES, YES_OR_NO, Parameter
from shaketable.harness.faults.verb import EVENT, HEAL, LINK, LINKS, NODE, PARTS, SENDER, STOP_WORK, FaultKind
from shaketable.harness.scripting.calls import Argument as Value
from shaketable.harness.scripting.calls import Call
from shaketable.node.config import CLUSTER, GMS
from shaketable.node.core.env import MILLISECOND
from shaketable.node.messages import LARGEST_VALUE
from shaketable.tui.model.hands import groups
from shaketable.tui.model.hands.groups import GROUPS, NODES

__all__ = ["BY_VERB", "DEEDS", "HEAL", "START", "STOP_WORK", "WORK", "Call", "Deed", "Parameter", "Value", "heal"]

START: Final = "start"
WORK: Final = "work"

OF_A_LINK: Final = "link"
OF_A_NODE: Final = "node"
OF_ALL: Final = "all"


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
    needs: str = ""
    """a setting that has to be on"""
    steps: bool = True
    """a script awaits it"""

    kind: FaultKind | None = None
    """what is known of it where it is a fault"""

    @property
    def of_sender(self) -> bool:
        """It names its node as the sender."""
        return self.kind is not None and self.kind.of == SENDER


_CHOSEN: Final[Mapping[str, str]] = {LINK: OF_A_LINK, LINKS: OF_A_LINK, NODE: OF_A_NODE, SENDER: OF_A_NODE}
_GROUPS: Final = Parameter("groups", GROUPS, "n1 | n2", positional=True)
"""of what takes groups of nodes, as many as there are"""


_KEY: Final = Parameter("key", "text", "k1", positional=True)
_MAP: Final = Parameter("map", MAP, "data")
_MEMBERS: Final = Parameter("addresses", ADDRESSES, "n1 n2", positional=True)
_CONFIGURED: Final = replace(_MEMBERS, name="what")
REST: Final = "rest_enabled"


def _of_faults() -> Iterator[Deed]:
    for kind in KINDS.values():
        asked = [*(each for each in kind.parameters if each.name != ONE_WAY), *_beside(kind)]
        if kind.of == PARTS:
            asked = [replace(parameter, positional=False) for parameter in asked]  # all that comes in order is groups
        ordered = sorted([*[_GROUPS] * (kind.of == PARTS), *asked], key=lambda each: not each.positional)
        yield Deed(
            kind.verb,
            kind.sentence,
            _CHOSEN.get(kind.of, OF_ALL),
            tuple(ordered),
            kind.lasts,
            kind.one_way,
            family=kind.families[0] if len(kind.families) == 1 else "",
            kind=kind,
        )
        if kind.undone is not None:
            yield Deed(*kind.undone, OF_A_NODE)


def _beside(kind: FaultKind) -> Iterator[Parameter]:
    """What its verb takes that is no value of the fault's row."""
    if kind.of == SENDER:
        yield Parameter("to", NODES, nothing="to all")
    if kind.comes_upon == EVENT and kind.make is None:
        yield Parameter("where", VALUES, nothing="any")
    if kind.comes_upon:
        yield Parameter("perhaps", YES_OR_NO, nothing="no")


# fmt: off
DEEDS: Final[tuple[Deed, ...]] = (
    *_of_faults(),
    Deed("heal_link", "ends every fault on the link, in either direction", OF_A_LINK),
    Deed(
        START,
        "one more node; lite_member=true: it holds no data",
        OF_ALL,
        (
            Parameter("settings", VALUES, nothing="those of the run"),
            Parameter("knowing", ADDRESSES, nothing="all that there are"),
        ),
    ),
    Deed(
        WORK,
        "a client of the node writes and reads on, each time another of its keys",
        OF_A_NODE,
        (
            _MAP,
            Parameter("clients", "times", "1"),
            Parameter("keys", "times", "10"),
            Parameter("size", "bytes", "0", least=0, most=LARGEST_VALUE),
            Parameter("writes_percent", "%", "50", least=0, most=100),
            Parameter("pause", "ms", "50", MILLISECOND, least=0),
            Parameter("operations", "times", ""),
        ),
        family=CLUSTER,
    ),
    Deed(STOP_WORK, "the clients of the node that were set to work stop", OF_A_NODE, family=CLUSTER),
    Deed(
        "put",
        "a client of the node writes one value",
        OF_A_NODE,
        (_KEY, Parameter("value", "text", "v1", positional=True), _MAP),
        family=CLUSTER,
    ),
    Deed("get", "a client of the node reads one value", OF_A_NODE, (_KEY, _MAP), family=CLUSTER),
    Deed("remove", "a client of the node removes one key", OF_A_NODE, (_KEY, _MAP), family=CLUSTER),
    Deed("read_back", "a client of the node reads every key that was written", OF_A_NODE, (_MAP,), family=CLUSTER),
    Deed("take_stock", "all nodes report what they hold", OF_ALL, family=CLUSTER),
    Deed("member_list", "its join configuration is read over HTTP", OF_A_NODE, family=CLUSTER, needs=REST),
    Deed(
        "set_member_list", "over HTTP: its cluster gets this member list", OF_A_NODE, (_MEMBERS,), family=CLUSTER,
        needs=REST,
    ),
    Deed(
        "update_config", "over HTTP: the same, by a document", OF_A_NODE, (_CONFIGURED,), family=CLUSTER, needs=REST
    ),
    Deed(
        "write_config_file", "the file of its configuration is written anew", OF_A_NODE, (_CONFIGURED,),
        family=CLUSTER, needs=REST,
    ),
    Deed("reload_config", "over HTTP: it reads that file again", OF_A_NODE, family=CLUSTER, needs=REST),
    Deed(
        "talk",
        "its application sends something to all others this often; 0: no more",
        OF_A_NODE,
        (Parameter("every", "ms", "100", MILLISECOND, least=0),),
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
        (Parameter("failed", groups.NODE, "n2", positional=True),),
        family=GMS,
    ),
    Deed("heal_all", "ends every fault that lasts", OF_ALL),
    Deed(
        "note", "a sentence of yours, in the history", OF_ALL, (Parameter("what", "text", "here", positional=True),),
        steps=False,
    ),
)
# fmt: on
BY_VERB: Final[Mapping[str, Deed]] = {deed.verb: deed for deed in DEEDS}
FROM_HERE: Final = "from here on it is driven by hand"
"""the step of a history at which a cluster has formed and waits for hands"""


def heal(fault: int) -> Call:
    """Of one fault, by its number: no entry of the menu, for it is done to the fault."""
    return Call(HEAL, (fault,))
