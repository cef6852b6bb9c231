"""The dialogue with the agent: orders and refusals, whole lines, half lines and garbage."""

from __future__ import annotations

import json
from typing import Any

import pytest

from shaketable.harness.systems.dialogue import BrokenAfter
from shaketable.harness.systems.hazelcast.dialogue import Dialogue, Note
from shaketable.node.core import commands
from shaketable.node.events import DisconnectionResolved, LinkUp, Started
from shaketable.node.messages import Member
from shaketable.node.process import control
from shaketable.node.shaking.filters import FilterAct

A = "11111111-1111-4111-8111-111111111111"
RUN = control.Run("n1:21001", ("n1:21001", "n2:21002"), {"heartbeat_interval_seconds": 1}, "seed", 0, 21001, {})


def new(note: Note = lambda *behind: None) -> Dialogue:
    return Dialogue(lambda address: "", note)


def running(note: Note = lambda *behind: None) -> Dialogue:
    dialogue = new(note)
    dialogue.order(RUN)
    return dialogue


def line(kind: str, **fields: Any) -> bytes:
    return json.dumps({"t": 1, "uuid": "", "kind": kind, **fields}).encode() + b"\n"


def ordered(dialogue: Dialogue, order: control.Order) -> dict[str, Any]:
    data, said = dialogue.order(order)
    assert data.endswith(b"\n")
    assert data.count(b"\n") == 1
    assert not said
    told: dict[str, Any] = json.loads(data)
    return told


def refused(dialogue: Dialogue, order: control.Order) -> str:
    data, said = dialogue.order(order)
    assert not data
    (answer,) = said
    assert isinstance(answer, control.Done)
    assert answer.order == 5
    return answer.refusal


class TestOrders:
    def test_run(self) -> None:
        told = ordered(new(), RUN)
        assert (told["do"], told["address"], told["port"]) == ("run", "n1:21001", 21001)
        assert told["join"] == ["n1:21001", "n2:21002"]
        assert told["properties"]["hazelcast.heartbeat.interval.seconds"] == "1"

    def test_a_second_run_is_refused(self) -> None:
        assert running().order(RUN) == (b"", (control.CannotRun("it runs already"),))

    @pytest.mark.parametrize("settings", [{"legacy_fault": "stale overwrite"}, {"heartbeat_interval_seconds": -1}])
    def test_settings_that_it_cannot_have(self, settings: dict[str, str | int | float | bool]) -> None:
        run = control.Run("n1:21001", (), settings, "", 0, 21001, {})
        data, (answer,) = new().order(run)
        assert not data
        assert isinstance(answer, control.CannotRun)
        assert next(iter(settings)).removesuffix("_seconds").replace("_", " ") in answer.reason.replace("_", " ")

    def test_leave(self) -> None:
        assert ordered(running(), control.LeaveGracefully(5)) == {"order": 5, "do": "leave"}

    def test_commands(self) -> None:
        dialogue = running()
        told = ordered(dialogue, control.Command(5, commands.OperateCommand("c", "put", "data", "k", "v")))
        assert told == {
            "order": 5,
            "do": "operate",
            "client": "c",
            "does": "put",
            "map": "data",
            "key": "k",
            "value": "v",
        }
        told = ordered(dialogue, control.Command(5, commands.ReadCommand("c", "data", ("k", "l"))))
        assert told == {"order": 5, "do": "read", "client": "c", "map": "data", "keys": ["k", "l"]}
        told = ordered(dialogue, control.Command(5, commands.WorkCommand("c", "data", operations=None, pause=7)))
        assert (told["do"], told["operations"], told["pause"], told["seed"]) == ("work", -1, 7, "seed")
        assert ordered(dialogue, control.Command(5, commands.StopWorkCommand("c")))["do"] == "stop-work"
        assert ordered(dialogue, control.Command(5, commands.TakeStockCommand()))["do"] == "take-stock"

    def test_a_word_of_any_alphabet_stays_one_line(self) -> None:
        command = commands.OperateCommand("c", "put", "data", "a\nb", "ключ \u2028 é")
        told = ordered(running(), control.Command(5, command))
        assert (told["key"], told["value"]) == ("a\nb", "ключ \u2028 é")

    def test_hold_and_release(self) -> None:
        dialogue = running()
        told = ordered(dialogue, control.ArmHold(5, 3, "ClaimStarted", nth=2))
        assert (told["order"], told["do"], told["fault"], told["nth"]) == (5, "hold", 3, 2)
        assert told["within"] == ""
        told = ordered(running(), control.ArmHold(5, 3, "ClaimFinished"))
        assert told["within"] == r"^MembershipManager\$DecideNewMembersViewTask\.innerRun$"
        assert ordered(dialogue, control.Release(5, 3)) == {"order": 5, "do": "release", "fault": 3}

    def test_what_it_cannot_do_is_refused_with_the_reason(self) -> None:
        dialogue = running()
        assert "single messages" in refused(dialogue, control.ArmFilter(5, 1, FilterAct.DROP))
        assert "single messages" in refused(dialogue, control.DisarmFilter(5, 1))
        assert "clock" in refused(dialogue, control.SetClock(5, 1, 0))
        assert "ChunkSent" in refused(dialogue, control.ArmHold(5, 1, "ChunkSent"))
        assert "TalkCommand" in refused(dialogue, control.Command(5, commands.TalkCommand(1)))

    def test_it_needs_no_links_and_sends_no_probes(self) -> None:
        dialogue = running()
        assert refused(dialogue, control.AddLinks(5, {"n2:21002": 1})) == ""
        assert dialogue.order(control.Probe(9, "n2:21002")) == (b"", (control.ProbeSent(9, None),))


class TestAnswers:
    def test_it_runs(self) -> None:
        assert running().heard(line("ready", pid=7)) == [control.Ready(b"", "", 7)]
        *reports, answer = running().heard(line("running", uuid=A))
        assert answer == control.Running()
        (report,) = reports
        assert isinstance(report, control.Reported)

    def test_it_cannot_run(self) -> None:
        assert running().heard(line("cannot-run", reason="no port")) == [control.CannotRun("no port")]

    def test_an_order_is_done_or_refused(self) -> None:
        dialogue = running()
        assert dialogue.heard(line("done", order=4, refusal="")) == [control.Done(4)]
        assert dialogue.heard(line("done", order=5, refusal="it cannot")) == [control.Done(5, "it cannot")]

    def test_an_order_without_a_number_that_is_refused_is_a_trouble(self) -> None:
        dialogue = running()
        assert dialogue.heard(line("done", order=0, refusal="it cannot")) == []
        assert dialogue.take_troubles() == ["it refuses an order: it cannot"]
        assert dialogue.take_troubles() == []

    def test_a_snapshot_has_its_number_and_its_time(self) -> None:
        dialogue = running()
        assert ordered(dialogue, control.TakeSnapshot(8)) == {"do": "ping", "number": 8}
        assert dialogue.heard(line("pong", number=8)) == [control.Snapshot(8, 1, {}, 0, {})]


class TestReports:
    def test_events_are_numbered_without_a_gap(self) -> None:
        dialogue = running()
        up = line("connection", up=True, address="n2:21002", id=1)
        said = dialogue.heard(up + line("running", uuid=A) + line("connection", up=True, address="n3:21003", id=2))
        reports = [each for each in said if isinstance(each, control.Reported)]
        assert [report.sequence for report in reports] == [1, 2, 3]
        events = [control.event_decoder.decode(report.event) for report in reports]
        assert events == [Started(Member("n1:21001", A)), LinkUp("n2:21002"), LinkUp("n3:21003")]
        assert {report.incarnation for report in reports} == {A}

    def test_a_line_that_no_pattern_knows_is_a_trouble_that_names_it(self) -> None:
        dialogue = running()
        text = "[n1]:21001 [dev] [6.0.0] Setting members of the cluster: n1, n2"
        dialogue.heard(line("log", uuid=A, **{"from": "MembershipManager"}, level="FINE", text=text))
        (trouble,) = dialogue.take_troubles()
        assert trouble.endswith("MembershipManager: Setting members of the cluster: n1, n2")

    def test_what_was_held_back_to_the_end_may_be_a_trouble(self) -> None:
        dialogue = running()
        decides = f"Removing Member [n2]:21002 - {A} because it has disconnected from some of the members!"

        def log(time: int, text: str) -> bytes:
            said = {"from": "MembershipManager", "level": "FINE", "text": f"[n1]:21001 [dev] [5.7.0] {text}"}
            return json.dumps({"t": time, "uuid": A, "kind": "log", **said}).encode() + b"\n"

        dialogue.heard(log(1, decides) + log(2, "Removing member nobody knows how"))
        assert dialogue.take_troubles() == []
        dialogue.ended()
        (trouble,) = dialogue.take_troubles()
        assert trouble.endswith("Removing member nobody knows how")

    def test_the_end_of_the_line(self) -> None:
        assert new().ended() == []
        dialogue = running()
        dialogue.heard(line("running", uuid=A) + b'{"t":1,"uuid')
        assert dialogue.ended() == []

    def test_lines_may_come_in_pieces(self) -> None:
        whole = line("ready", pid=7) + line("done", order=4, refusal="") + line("pong", number=8)
        for cut in range(len(whole)):
            dialogue = running()
            assert len(dialogue.heard(whole[:cut]) + dialogue.heard(whole[cut:])) == 3


def test_an_event_that_was_held_back_has_its_own_line_also_at_the_end() -> None:
    noted: list[tuple[str, int, str]] = []
    dialogue = running(lambda *behind: noted.append(behind))
    said = f"Removing Member [n2]:21002 - {A} because it has disconnected from some of the members!"
    log = {"from": "MembershipManager", "level": "FINE", "text": f"[n1]:21001 [dev] [5.7.0] {said}"}
    heard = dialogue.heard(json.dumps({"t": 1, "uuid": A, "kind": "log", **log}).encode() + b"\n")
    heard += dialogue.heard(json.dumps({"t": 1, "uuid": A, "kind": "lifecycle", "state": "STARTED"}).encode() + b"\n")
    assert not heard
    (decided,) = (each for each in dialogue.ended() if isinstance(each, control.Reported) and each.sequence == 1)
    assert isinstance(control.event_decoder.decode(decided.event), DisconnectionResolved)
    assert noted[:1] == [(decided.incarnation, 1, f"FINE MembershipManager: {log['text']}")]


class TestGarbage:
    @pytest.mark.parametrize(
        "garbage",
        [
            b"\n",
            b"hello\n",
            b"[1]\n",
            b"{}\n",
            b"\xff\xfe\n",
            b'{"t":1,"uuid":"","kind":"unheard of"}\n',
            b'{"t":"now","uuid":"","kind":"tick"}\n',
            b'{"t":1,"uuid":"","kind":"tick","more":1}\n',
            b'{"t":1,"uuid":"","kind":"tick"} {}\n',
            b"[" * 100_000 + b"\n",
        ],
        ids=range(10),
    )
    def test_it_ends_the_dialogue(self, garbage: bytes) -> None:
        with pytest.raises(control.BrokenStream):
            running().heard(line("ready", pid=7) + garbage)

    def test_what_came_before_it_is_good(self) -> None:
        dialogue = running()
        with pytest.raises(BrokenAfter) as broken:
            dialogue.heard(line("ready", pid=7) + line("done", order=4, refusal="") + b"hello\n" + line("tick"))
        assert broken.value.said == [control.Ready(b"", "", 7), control.Done(4)]

    def test_a_line_without_an_end(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("shaketable.harness.systems.dialogue.Lines.longest", 1000)
        dialogue = running()
        assert dialogue.heard(b"x" * 1000) == []
        with pytest.raises(control.BrokenStream):
            dialogue.heard(b"x")

    def test_a_line_that_is_too_long(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("shaketable.harness.systems.dialogue.Lines.longest", 1000)
        with pytest.raises(control.BrokenStream):
            running().heard(line("cannot-run", reason="x" * 1000))
