"""What goes to the agent in a JGroups member, and what is made of what it says."""

import json
from typing import Any

import msgspec
import pytest

from shaketable.harness.systems.jgroups.dialogue import Dialogue
from shaketable.node.config import Settings
from shaketable.node.core.commands import TakeStockCommand
from shaketable.node.events import Failed, Started
from shaketable.node.messages import Member
from shaketable.node.process import control
from shaketable.node.shaking.filters import FilterAct

ME, OTHER = "127.0.0.1:12001", "127.0.0.1:12003"
UUID = "7f7e2a49-3b26-4c7b-9f0d-5d1c6c1f6f4e"


def run(**settings: Any) -> control.Run:
    values = {"heartbeat_interval_seconds": 0.25, "heartbeat_timeout_seconds": 3, **settings}
    return control.Run(
        address=ME,
        addresses=(ME, OTHER),
        settings=Settings().with_values(values).with_secrets(),
        seed="1",
        process=0,
        port=12001,
        links={OTHER: 12003},
        hosts={OTHER: "127.1.1.2"},
    )


def fact(kind: str, uuid: str = UUID, **fields: object) -> bytes:
    return json.dumps({"t": 5, "uuid": uuid, "kind": kind, **fields}).encode() + b"\n"


def running() -> Dialogue:
    dialogue = Dialogue()
    dialogue.order(run())
    dialogue.heard(fact("started") + fact("running"))
    return dialogue


def test_the_order_to_run_names_addresses_links_and_times() -> None:
    sent, answers = Dialogue().order(run(merging=False, join_patience_seconds=1, max_join_seconds=20))
    does, *words = sent.decode().rstrip("\n").split("\t")
    assert (does, answers) == ("run", ())
    assert words == [
        f"address={ME}",
        f"ask={ME}",
        f"ask={OTHER}",
        f"link={OTHER}=127.1.1.2",
        "cluster=dev",
        "interval=250",
        "timeout=3000",
        "verify=2500",
        "join=1000",
        "join-attempts=20",
        "merge-least=0",
        "merge-most=0",
    ]


def test_parts_are_looked_for_as_often_as_the_settings_say() -> None:
    sent, _ = Dialogue().order(run(merge_next_run_delay_seconds=6))
    assert {b"merge-least=3000", b"merge-most=6000"} <= set(sent.rstrip(b"\n").split(b"\t"))


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"lite_member": True}, "a JGroups member is never a lite one"),
        ({"failure_detector": "phi-accrual"}, "a JGroups member has no failure detector phi-accrual"),
        (
            {"partial_disconnection_heartbeat_count": 5},
            "a JGroups member leaves nobody out for a link that is broken between two others",
        ),
        ({"cluster_name": "a\tb"}, "the name of a JGroups cluster is of printable characters here"),
    ],
)
def test_what_it_cannot_have_is_refused_before_it_is_told(settings: dict[str, object], why: str) -> None:
    assert Dialogue().order(run(**settings)) == (b"", (control.CannotRun(why),))


def test_it_runs_once() -> None:
    assert running().order(run()) == (b"", (control.CannotRun("it runs already"),))


@pytest.mark.parametrize(
    ("order", "sent"),
    [
        (
            control.AddLinks(0, {OTHER: 12003}, hosts={OTHER: "127.1.1.2", ME: "127.1.1.1"}),
            f"link\tlink={OTHER}=127.1.1.2",
        ),
        (control.LeaveGracefully(0), "leave"),
        (control.TakeSnapshot(7), "ping\tnumber=7"),
        (control.Stop(), "stop"),
    ],
)
def test_an_order_is_one_line(order: control.Order, sent: str) -> None:
    assert running().order(order)[0] == sent.encode() + b"\n"


def test_a_longer_handshake_is_nothing_that_it_has_to_know() -> None:
    assert running().order(control.AddLinks(3, {}, 2_000_000)) == (b"", (control.Done(3),))


@pytest.mark.parametrize(
    ("order", "why"),
    [
        (control.ArmHold(4, 1, "ViewInstalled"), "a JGroups member holds nowhere"),
        (control.Release(4, 1), "a JGroups member holds nowhere"),
        (control.ArmFilter(4, 1, FilterAct.DROP), "a JGroups member lets nobody stop single messages"),
        (control.DisarmFilter(4, 1), "a JGroups member lets nobody stop single messages"),
        (control.SetClock(4, 5, 0), "a JGroups member has the clock of its machine alone"),
        (control.Command(4, TakeStockCommand()), "a JGroups member knows no TakeStockCommand"),
    ],
)
def test_what_no_such_member_can_do_is_refused(order: control.Order, why: str) -> None:
    assert running().order(order) == (b"", (control.Done(4, why),))


def test_a_probe_is_never_sent() -> None:
    assert running().order(control.Probe(9, OTHER)) == (b"", (control.ProbeSent(9, None),))


def test_it_listens_and_is_told_so_by_its_word_alone() -> None:
    dialogue = Dialogue()
    assert dialogue.heard(fact("ready", uuid="", pid=4)) == [control.Ready(b"", "", 4)]
    dialogue.order(run())
    started, listens = dialogue.heard(fact("started") + fact("running"))
    assert isinstance(started, control.Reported)
    assert (started.time, started.incarnation, started.sequence) == (5, UUID, 1)
    assert decoded(started) == Started(Member(ME, UUID))
    assert listens == control.Running()
    assert dialogue.heard(fact("pong", number=7)) == [control.Snapshot(7, 5, {}, 0, {})]


def test_a_line_may_come_in_parts() -> None:
    dialogue, line = running(), fact("leaving")
    for at in range(len(line) - 1):
        assert dialogue.heard(line[at : at + 1]) == []
    (left,) = dialogue.heard(line[-1:])
    assert isinstance(left, control.Reported)
    assert left.sequence == 2


def test_one_that_never_listened_cannot_run_and_one_that_did_has_failed() -> None:
    dialogue = Dialogue()
    dialogue.order(run())
    assert dialogue.heard(fact("failed", reason="BindException: taken")) == [control.CannotRun("BindException: taken")]
    (failed,) = running().heard(fact("failed", reason="OutOfMemoryError: heap"))
    assert isinstance(failed, control.Reported)
    assert decoded(failed) == Failed("OutOfMemoryError: heap")


def test_what_it_was_unable_to_do_makes_the_run_unknown() -> None:
    dialogue = running()
    assert dialogue.heard(fact("unable", reason="link: x")) == []
    assert dialogue.take_troubles() == ["it could not do what it was told: link: x"]
    assert dialogue.take_troubles() == []


@pytest.mark.parametrize(
    "line",
    [
        b"Exception in thread main\n",
        b"\n",
        b"{}\n",
        b'{"t":1,"uuid":"","kind":"nothing"}\n',
        b'{"t":1,"uuid":"","kind":"running","more":1}\n',
        b'{"t":1,"uuid":"","kind":"view","version":"x","author":"","merged":false,"members":[]}\n',
        b"\xff\xfe\n",
        b"[" * 100_000 + b"\n",
    ],
)
def test_garbage_ends_the_reading(line: bytes) -> None:
    with pytest.raises(control.BrokenStream):
        running().heard(line)


def test_a_view_of_nobody_ends_the_reading() -> None:
    with pytest.raises(control.BrokenStream):
        running().heard(fact("view", version=1, author=UUID, merged=False, members=[]))


def test_a_line_without_an_end_ends_the_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shaketable.harness.systems.dialogue.Lines.longest", 100)
    with pytest.raises(control.BrokenStream, match="a line of more than 100 bytes"):
        running().heard(b" " * 101)


def decoded(said: control.Reported) -> object:
    return control.event_decoder.decode(msgspec.msgpack.encode(said.event))
