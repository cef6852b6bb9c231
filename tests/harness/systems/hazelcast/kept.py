"""What real members told, kept in tests/data, played through the dialogue."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from shaketable.harness.systems.hazelcast.dialogue import Dialogue
from shaketable.node.events import Event
from shaketable.node.messages import Address, Member, Uuid
from shaketable.node.process import control
from shaketable.node.why import Why

FOLDER = Path(__file__).parents[3] / "data" / "systems" / "hazelcast"
VERSIONS = ("5.3.8", "5.4.0", "5.5.0", "5.6.0", "5.7.0")


class Heard(NamedTuple):
    time: int
    node: str
    incarnation: Uuid
    event: Event
    line: str
    """of its log behind it"""


class Story:
    def __init__(self, file: Path) -> None:
        self.events: list[Heard] = []
        self.answers: list[tuple[str, control.Said]] = []
        self.troubles: list[str] = []
        self._uuids: dict[Address, Uuid] = {}
        self._dialogues: dict[tuple[str, int], Dialogue] = {}
        self._lines: dict[tuple[Uuid, int], str] = {}
        for line in file.read_text(encoding="utf-8").splitlines():
            self._play(json.loads(line))
        for (node, _), dialogue in self._dialogues.items():
            for each in dialogue.ended():
                self._take(node, each)

    def _play(self, kept: dict[str, Any]) -> None:
        node, process = kept.pop("node"), kept.pop("process")
        if (node, process) not in self._dialogues:
            self._dialogues[node, process] = Dialogue(lambda address: self._uuids.get(address, ""), self._note)
        dialogue = self._dialogues[node, process]
        if "ordered" in kept:
            _, said = dialogue.order(msgspec.convert(kept["ordered"], control.Order))
        else:
            said = tuple(dialogue.heard(json.dumps(kept).encode() + b"\n"))
        for each in said:
            self._take(node, each)
        self.troubles += [f"{node}: {trouble}" for trouble in dialogue.take_troubles()]

    def _note(self, incarnation: Uuid, sequence: int, line: str) -> None:
        self._lines[incarnation, sequence] = line

    def _take(self, node: str, said: control.Said) -> None:
        if not isinstance(said, control.Reported):
            self.answers.append((node, said))
            return
        event = control.event_decoder.decode(said.event)
        line = self._lines.get((said.incarnation, said.sequence), "")
        self.events.append(Heard(said.time, node, said.incarnation, event, line))
        if (member := getattr(event, "member", None)) is not None:
            self._uuids[member.address] = member.uuid

    def of(self, kind: type[Event], node: str = "") -> list[Any]:
        return [heard.event for heard in self.events if isinstance(heard.event, kind) and node in ("", heard.node)]

    def in_words(self) -> str:
        """Each event with all its fields; members and uuids by short names, times in milliseconds from the first."""
        first = self.events[0].time
        short = dict(self._short_names())
        lines = [
            f"{(heard.time - first) / 1000:9.1f}  {short[heard.incarnation]:5} {type(heard.event).__name__}{fields}"
            for heard in self.events
            for fields in [_fields(heard.event, short)]
        ]
        return "\n".join([*lines, *(self.troubles or ["no trouble"])]) + "\n"

    def _short_names(self) -> Iterator[tuple[Uuid, str]]:
        """n1 is the first identity of this node, n1' the second."""
        lives: dict[str, dict[Uuid, bool]] = {}
        for heard in self.events:
            lives.setdefault(heard.node, {})[heard.incarnation] = True
        for node, uuids in lives.items():
            for number, uuid in enumerate(uuids):
                yield uuid, node + "'" * number


def _fields(event: Event, short: dict[Uuid, str]) -> str:
    """That nothing was inferred goes without saying."""
    told = ((name, getattr(event, name)) for name in event.__struct_fields__ if name != "reason")
    said = [(name, value) for name, value in told if value is not None and (name, value) != ("inferred", ())]
    return "".join(f" {name}={_word(value, short)}" for name, value in said)


def _word(value: Any, short: dict[Uuid, str]) -> str:
    match value:
        case Member(address=address, uuid=uuid):
            return short.get(uuid, address)
        case Why():
            return str(value.value)
        case str():
            return short.get(value, value)
        case tuple() | list():
            return f"[{' '.join(_word(each, short) for each in value)}]"
        case msgspec.Struct():
            return f"({_fields_of(value, short)})"
        case None:
            return "-"
    return str(value)


def _fields_of(value: Any, short: dict[Uuid, str]) -> str:
    return " ".join(_word(getattr(value, name), short) for name in value.__struct_fields__)
