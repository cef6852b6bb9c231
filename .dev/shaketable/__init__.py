"""What a chaos script imports: `from shaketable import Cluster, script`. Nothing below is promised to stay where it is.

Each name is fetched when it is first asked for: whoever imports `shaketable` to start the command, a node or one of its
parts pays for none of the others."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from shaketable.harness.bounds.cluster import Bounds
    from shaketable.harness.bounds.group import GroupBounds
    from shaketable.harness.checks.result import Check, CheckResult, Findings
    from shaketable.harness.conditions.cluster import Condition
    from shaketable.harness.faults.links import Slices
    from shaketable.harness.history import crash_points
    from shaketable.harness.history.history import History
    from shaketable.harness.nemesis import endings
    from shaketable.harness.nemesis.drawing import Climate, draw
    from shaketable.harness.nemesis.playing import play
    from shaketable.harness.records import Record
    from shaketable.harness.scripting.cluster import Cluster
    from shaketable.harness.scripting.fault_book import Injected
    from shaketable.harness.scripting.scripts import Body, Script, script
    from shaketable.harness.scripting.seen import Seen
    from shaketable.harness.scripting.targets import story
    from shaketable.harness.scripting.that import That
    from shaketable.harness.scripting.verbs.data import Reading, Result, Work
    from shaketable.harness.scripting.verbs.rest import Answer
    from shaketable.harness.seen.nodes import NodeSeen
    from shaketable.harness.seen.run import Observed
    from shaketable.node import events, messages
    from shaketable.node.cluster.member import ClusterMember
    from shaketable.node.cluster.partition.merging.policies import MergeEntry
    from shaketable.node.cluster.partition.services import PartitionMigrationEvent
    from shaketable.node.config import Settings
    from shaketable.node.core.env import MILLISECOND, SECOND, Micros
    from shaketable.node.events.partition import StockTaken
    from shaketable.node.gms import GroupMember
    from shaketable.node.messages.base import Member
    from shaketable.node.messages.partition import Migration
    from shaketable.node.why import Why

    __version__: str

__all__ = [
    "MILLISECOND",
    "SECOND",
    "Answer",
    "Body",
    "Bounds",
    "Check",
    "CheckResult",
    "Climate",
    "Cluster",
    "ClusterMember",
    "Condition",
    "Findings",
    "GroupBounds",
    "GroupMember",
    "History",
    "Injected",
    "Member",
    "MergeEntry",
    "Micros",
    "Migration",
    "NodeSeen",
    "Observed",
    "PartitionMigrationEvent",
    "Reading",
    "Record",
    "Result",
    "Script",
    "Seen",
    "Settings",
    "Slices",
    "StockTaken",
    "That",
    "Why",
    "Work",
    "__version__",
    "crash_points",
    "draw",
    "endings",
    "events",
    "messages",
    "play",
    "script",
    "story",
]

_FROM: Final = {
    "MILLISECOND": "node.core.env",
    "SECOND": "node.core.env",
    "Answer": "harness.scripting.verbs.rest",
    "Body": "harness.scripting.scripts",
    "Bounds": "harness.bounds.cluster",
    "Check": "harness.checks.result",
    "CheckResult": "harness.checks.result",
    "Climate": "harness.nemesis.drawing",
    "Cluster": "harness.scripting.cluster",
    "ClusterMember": "node.cluster.member",
    "Condition": "harness.conditions.cluster",
    "Findings": "harness.checks.result",
    "GroupBounds": "harness.bounds.group",
    "GroupMember": "node.gms",
    "History": "harness.history.history",
    "Injected": "harness.scripting.fault_book",
    "Member": "node.messages.base",
    "MergeEntry": "node.cluster.partition.merging.policies",
    "Micros": "node.core.env",
    "Migration": "node.messages.partition",
    "NodeSeen": "harness.seen.nodes",
    "Observed": "harness.seen.run",
    "PartitionMigrationEvent": "node.cluster.partition.services",
    "Reading": "harness.scripting.verbs.data",
    "Record": "harness.records",
    "Result": "harness.scripting.verbs.data",
    "Script": "harness.scripting.scripts",
    "Seen": "harness.scripting.seen",
    "Settings": "node.config",
    "Slices": "harness.faults.links",
    "StockTaken": "node.events.partition",
    "That": "harness.scripting.that",
    "Why": "node.why",
    "Work": "harness.scripting.verbs.data",
    "crash_points": "harness.history.crash_points",
    "draw": "harness.nemesis.drawing",
    "endings": "harness.nemesis.endings",
    "events": "node.events",
    "messages": "node.messages",
    "play": "harness.nemesis.playing",
    "script": "harness.scripting.scripts",
    "story": "harness.scripting.targets",
}
"""the modules of the names above; a name that ends its module's is the module itself"""


if not TYPE_CHECKING:  # a name that is none would have a type by it

    def __getattr__(name: str) -> object:
        if name == "__version__":
            value = import_module("shaketable.harness").version()
        elif name in _FROM:
            module = import_module(f"shaketable.{_FROM[name]}")
            value = module if module.__name__.endswith(f".{name}") else getattr(module, name)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
