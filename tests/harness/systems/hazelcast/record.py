"""Records anew what real members tell: tests/data/systems/hazelcast/VERSION/STORY.jsonl.

    python -m tests.harness.systems.hazelcast.record VERSION [STORY ...]

It needs that version (`shaketable systems install hazelcast:VERSION`). Then
`pytest tests/harness/systems/hazelcast --rewrite` writes the events beside it."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec
from tests.harness.systems.hazelcast.kept import FOLDER
from tests.harness.systems.hazelcast.stories import STORIES

from shaketable.harness.records import ScriptOutcome, UnderTest
from shaketable.harness.runs.run import Options, run_real
from shaketable.harness.scripting.scripts import Script
from shaketable.harness.systems.dialogue import Dialogue as AnyDialogue
from shaketable.harness.systems.hazelcast.dialogue import Dialogue
from shaketable.harness.systems.hazelcast.lines import UnknownLine, read
from shaketable.harness.systems.hazelcast.system import HazelcastMembers
from shaketable.harness.systems.hazelcast.words import without_prefix
from shaketable.harness.systems.registry import Chosen
from shaketable.harness.systems.system import Place
from shaketable.node.config import Settings
from shaketable.node.messages import Address, Uuid
from shaketable.node.process import control

WHOLE: Final = "form"
"""of the others the lines that nobody reads are left out"""
KEPT_ORDERS: Final = (
    control.Run,
    control.Command,
    control.LeaveGracefully,
    control.ArmHold,
    control.Release,
    control.TakeSnapshot,
)


class Recorder:
    def __init__(self, whole: bool) -> None:
        self.written = StringIO()
        self._whole = whole
        self._uuids: dict[Address, Uuid] = {}
        self._lives: dict[str, int] = {}

    def dialogue(self, node: str, address: Address) -> Recording:
        life = self._lives[node] = self._lives.get(node, -1) + 1
        return Recording(self, {"node": node, "process": life}, address, self._uuids)

    def keep(self, head: dict[str, Any], told: dict[str, Any]) -> None:
        if self._whole or told.get("kind") != "log" or _is_read(told):
            self.written.write(json.dumps({**head, **told}, ensure_ascii=False, separators=(",", ":")) + "\n")


def _is_read(told: dict[str, Any]) -> bool:
    try:
        return read(told["from"], without_prefix(told["text"])) is not None
    except UnknownLine:
        return True


class Recording(Dialogue):
    def __init__(self, recorder: Recorder, head: dict[str, Any], address: Address, uuids: dict[Address, Uuid]) -> None:
        super().__init__(lambda of: uuids.get(of, ""))
        self._recorder, self._head, self._address, self._uuids = recorder, head, address, uuids

    def order(self, order: control.Order) -> tuple[bytes, tuple[control.Said, ...]]:
        if isinstance(order, KEPT_ORDERS):
            kept = _of_any_machine(order) if isinstance(order, control.Run) else order
            self._recorder.keep(self._head, {"ordered": msgspec.to_builtins(kept)})
        return super().order(order)

    def hear(self, line: bytes) -> list[control.Said]:
        self._recorder.keep(self._head, json.loads(line))
        said = super().hear(line)
        for each in said:
            if isinstance(each, control.Reported):
                self._uuids[self._address] = each.incarnation
        return said


def _of_any_machine(run: control.Run) -> control.Run:
    usual = Settings().with_secrets()
    settings = {name: value for name, value in run.settings.items() if usual.get(name) != value}
    return msgspec.structs.replace(run, settings=settings, links={}, hosts={})


class RecordedMembers(HazelcastMembers):
    def __init__(self, under_test: UnderTest, recorder: Recorder) -> None:
        super().__init__(under_test)
        self._recorder = recorder

    def dialogue(self, place: Place) -> AnyDialogue:
        return self._recorder.dialogue(place.node, self.address(place))


@dataclass(frozen=True, slots=True)
class Recorded(Options):
    recorder: Recorder | None = None

    @property
    def chosen(self) -> Chosen:
        system, under_test = super(Recorded, self).chosen
        if self.recorder is None:
            return Chosen(system, under_test)
        recorder = self.recorder
        return Chosen(replace(system, members=lambda of: RecordedMembers(of, recorder)), under_test)


def with_ports_of_their_own(written: str) -> str:
    """n1 has 21001 on whichever machine it was recorded."""
    for name, port in dict.fromkeys(re.findall(r'"address":"n(\d+):(\d+)"', written)):
        written = re.sub(rf"\b{port}\b", f"{21_000 + int(name)}", written)
    return written


def record(version: str, story: Script) -> str:
    """How it went; its file is written if it came to its end."""
    recorder = Recorder(story.name == WHOLE)
    options = Recorded(world="real", preset="default", system=f"hazelcast:{version}", recorder=recorder)
    with TemporaryDirectory() as folder:
        outcome = run_real(story, options, folder=Path(folder)).outcome
    if outcome.kind is ScriptOutcome.DONE:
        file = FOLDER / version / f"{story.name}.jsonl"
        file.parent.mkdir(exist_ok=True)
        file.write_text(with_ports_of_their_own(recorder.written.getvalue()), encoding="utf-8")
    return f"{version} {story.name}: {outcome.kind} {outcome.reason}".rstrip()


def main(arguments: Sequence[str]) -> int:
    version, *names = arguments
    for story in STORIES:
        if not names or story.name in names:
            sys.stdout.write(f"{record(version, story)}\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
