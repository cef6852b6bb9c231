"""A member whose agent tells fact by fact."""

from __future__ import annotations

import json
from typing import Any

from shaketable.harness.systems.hazelcast.facts import fact_decoder
from shaketable.harness.systems.hazelcast.telling import Telling
from shaketable.node.events import Event
from shaketable.node.messages import Member

UUIDS = {f"n{i}": f"{i}" * 8 + "-1111-4111-8111-" + f"{i}" * 12 for i in range(1, 6)}
MEMBERS = {name: Member(f"{name}:2100{name[1]}", uuid) for name, uuid in UUIDS.items()}


def said(name: str) -> str:
    return f"Member [{name}]:2100{name[1]} - {UUIDS[name]}"


def several(*names: str) -> str:
    return f"[{', '.join(map(said, names))}]"


class Play:
    """A member that is told of fact by fact."""

    def __init__(self, name: str) -> None:
        self.uuid = UUIDS[name]
        self.telling = Telling(MEMBERS[name].address, lambda address: "")
        self.time = 0
        self.told: list[Event] = []
        self.times: list[int] = []

    def hear(self, kind: str, after: int = 1000, **fields: Any) -> list[Event]:
        self.time += after
        fact = {"t": self.time, "uuid": self.uuid, "kind": kind, **fields}
        told = self.telling.hear(fact_decoder.decode(json.dumps(fact)))
        self.told += [each.event for each in told]
        self.times += [each.time for each in told]
        return [each.event for each in told]

    def log(self, text: str, source: str = "MembershipManager", after: int = 1000) -> list[Event]:
        fields = {"from": source, "level": "FINE", "text": f"[n1]:21001 [dev] [5.7.0] {text}"}
        return self.hear("log", after, **fields)

    def migrates(self, step: str, role: str, partition: int, source: str | None, destination: str) -> list[Event]:
        """The destination takes index 1 of the source, or has it as a copy."""
        return self.hear(
            "migration",
            step=step,
            role=role,
            id=f"id{partition}",
            partition=partition,
            successful=True,
            source=UUIDS[source] if source is not None else None,
            destination=UUIDS[destination],
            sourceNow=1 if source is not None else -1,
            sourceThen=-1,
            destinationNow=-1,
            destinationThen=1,
            version=2,
            versionThen=3,
        )

    def founds(self) -> None:
        self.log("This node is being set as the master", "ClusterJoinManager")

    def lists(self, version: int, *names: str) -> list[Event]:
        return self.log(f"Setting members {several(*names)}, version: {version}")

    def has(self, kind: type[Event]) -> list[Any]:
        return [event for event in self.told if isinstance(event, kind)]


def a_master(*others: str) -> Play:
    play = Play("n1")
    play.founds()
    play.lists(2, "n1", *others)
    return play


def a_follower(*all_of_them: str, name: str = "n2") -> Play:
    play = Play(name)
    play.log("Setting master address to [n1]:21001", "ClusterService")
    play.lists(5, *all_of_them)
    return play


def info(name: str) -> str:
    return (
        f"MemberInfo{{address=[{name}]:2100{name[1]}, uuid={UUIDS[name]}, liteMember=false, memberListJoinVersion=1}}"
    )
