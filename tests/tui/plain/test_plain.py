"""`--plain`: a session as sentences, orders as lines, and no order so bad that the session ends."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from tests.harness.systems.toy import REFUSALS, TOY
from tests.tui.acting import RING, Living
from tests.waiting import HANG

from shaketable.harness.cli import main
from shaketable.harness.errors import UserError
from shaketable.harness.scripting.scripts import load_scripts
from shaketable.harness.scripting.verbs.nodes import MESSAGE_KINDS
from shaketable.tui.engine import client
from shaketable.tui.engine.client import Engine
from shaketable.tui.engine.protocol import Begin
from shaketable.tui.model.hands.saving import written
from shaketable.tui.plain import text
from shaketable.tui.plain.live import Plain
from shaketable.tui.plain.orders import call_of, help_lines

STATUS = """\
time 0.006 s of 0.006 s, live: by hand, world sim, seed 7, preset fast
cluster: 3 of 4 nodes run, all have one list
n1: joined, master, list version 4 [n1 n2 n3 n4]
n2: joined, follower, list version 4 [n1 n2 n3 n4], follows n1
n3: paused, follower, list version 4 [n1 n2 n3 n4], follows n1
n4: crashed
faults on: 1
fault 1: pause n3 since 0.005 s
checks: not judged yet"""


def test_how_all_stands_is_said_in_sentences() -> None:
    assert list(text.status(Living().session)) == STATUS.split("\n")


OF_A_GROUP = """\
time 0.008 s of 0.008 s, live: by hand, world sim, seed 7, preset fast
group: 3 of 3 members run, all have one view, 1 in doubt
master: n1, leads from notification 1 on: said so; its newest notification is 2
heartbeats: ring
n1: alive, master, view 1 [n1 n2 n3], sends to n2, watches n3, doubts n3, told its application last: \
JOINED_AND_READY of n2
n2: ready, follower, view 1 [n1 n2 n3], follows n1, sends to n3, watches n1, told its application last: \
JOINED_AND_READY of n2
n3: alive, follower, view 1 [n1 n2 n3], follows n1, sends to n1, watches n2, doubted by n1, told its application last: \
GROUP_LEADERSHIP of n1
doubts that go on: 1
doubt of n3 since 0.008 s by n1: not announced
notifications: 2
notification 1 of n1 at 0.001 s: master change, taken by n2 n3
notification 2 of n1 at 0.006 s: joined and ready of n2, taken by n2, not taken yet by n3
n3 has 1 of n1; the newest is 2
faults on: none
checks: not judged yet"""


def group(**settings: str) -> Living:
    return Living(settings={"family": "gms", "gms_detection": "ring", **settings}, story=RING)


def test_how_a_group_stands_is_said_in_its_own_words() -> None:
    assert list(text.status(group().session)) == OF_A_GROUP.split("\n")


def test_of_a_group_it_is_said_who_leads_whose_doubts_are_over_and_who_is_gone() -> None:
    more = "n1 announces that n3 is dead\nn1 tells 3: failure of n3 [n1 n2]\nn2 takes 3 of n1\nn3 is killed"
    said = list(text.status(Living(settings={"family": "gms"}, story=f"{RING}\n{more}").session))
    assert said[1] == "group: 2 of 3 members run, all have one view"
    assert "n3: crashed, taken to have failed by n1 n2" in said
    assert said[said.index("doubts that go on: none") + 1].startswith("doubt of n3 since 0.008 s: dead by n1 0.009 s")


def test_the_last_events_are_named_as_why_takes_them() -> None:
    said = list(text.last_events(Living().session, 2))
    assert said[0] == "the last 2 events of note:"
    assert said[2].endswith(" s n4 is gone (killed)")
    assert any(" (n4:" in each for each in text.last_events(Living().session))


@pytest.mark.parametrize(
    ("order", "call"),
    [
        ("kill n2", 'cluster.kill("n2")'),
        ("cut n1 n2", 'cluster.cut("n1", "n2")'),
        ("cut n1 n2 one_way", 'cluster.cut("n1", "n2", one_way=True)'),
        ("slow n1 n2 latency=200", 'cluster.slow("n1", "n2", 200 * MILLISECOND, jitter=0)'),
        ("split n1 n2 | n3", 'cluster.split(["n1", "n2"], ["n3"], how="cut")'),
        ("put n1 k1 v1", 'cluster.put("n1", "k1", "v1", map="data")'),
        ("heal 1", "cluster.heal(1)"),
        ("heal all", "cluster.heal_all()"),
        ("start", "cluster.start()"),
    ],
)
def test_an_order_is_a_call(order: str, call: str) -> None:
    assert written(call_of(order.split(), Living().session)) == call


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ("kil n2", "there is no order kil: did you mean kill? help lists all"),
        ("kill", "kill is done to a node: kill NODE"),
        ("kill n9", "there is no node n9: there are n1 n2 n3"),
        ("kill n1 n2", "kill does not take n2: kill NODE"),
        ("cut n1", "cut is done to two nodes: cut NODE NODE [one_way]"),
        ("cut n1 n2 hard=1", "cut takes no hard: cut NODE NODE [one_way]"),
        ("kill n1 one_way", "kill takes no one_way: kill NODE"),
        ("resume n3 x=1", "resume takes no x: resume NODE"),
        ("heal", "heal takes the number of a fault, or the word all"),
        ("heal n1", "heal takes the number of a fault, or the word all"),
        ("clock n1 jump=much", "clock: the jump in s is a number, not 'much'"),
    ],
)
def test_a_bad_order_is_one_sentence(order: str, said: str) -> None:
    with pytest.raises(UserError) as refused:
        call_of(order.split(), Living().session)
    assert str(refused.value) == said


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ("drop n1 membersupdate", f"drop: {REFUSALS['drop']}"),
        ("cut n1 n2 one_way", f"cut: {REFUSALS['cut one_way']}"),
        ("hold n1 Joined", f"hold: {REFUSALS['hold Joined']}"),
    ],
)
def test_what_members_of_another_system_cannot_do_is_refused_with_the_reason(order: str, said: str) -> None:
    session = Living("real", system=TOY.under_test, cannot=REFUSALS).session
    with pytest.raises(UserError) as refused:
        call_of(order.split(), session)
    assert str(refused.value) == said
    assert written(call_of(["hold", "n1", "Started"], session)) == 'cluster.hold("n1", "Started", nth=1)'


def test_help_lists_what_a_hand_can_do() -> None:
    lines = list(help_lines(Living().session))
    assert "kill NODE: a crash" in lines
    assert all(line.isprintable() for line in lines)


def test_help_offers_the_messages_of_the_family() -> None:
    of_cluster, of_ring, of_swim = (
        list(help_lines(each.session)) for each in (Living(), group(), group(gms_detection="swim"))
    )
    assert of_cluster[0] == "status: the nodes, the faults that are on, and the checks"
    assert of_ring[0].startswith("status: the masters, the members, the doubts, the last notifications, ")
    for lines, usual in ((of_cluster, "membersupdate"), (of_ring, "notified")):
        caught = [line.split()[:3] for line in lines if line.startswith(("drop ", "hold_back ", "delay "))]
        assert sorted(caught) == [[verb, "NODE", usual] for verb in ("delay", "drop", "hold_back")]
    cluster, ring, swim = (lines[-1] for lines in (of_cluster, of_ring, of_swim))
    assert cluster.startswith("messages that the nodes send: ")
    assert ring.startswith("messages that the members of a group send: ")
    kinds = [{*each.partition(": ")[2].split()} for each in (cluster, ring, swim)]
    assert "membersupdate" in kinds[0] - kinds[1]
    assert "notified" in kinds[1] - kinds[0]
    assert not kinds[0] & kinds[1]
    assert kinds[2] - kinds[1] == {"swimping", "swimack", "swimpingwanted", "swimpingtried", "doubtrefuted"}
    assert kinds[0] | kinds[2] == {*MESSAGE_KINDS}
    assert "start [settings=N] [knowing=N]: one more member; gms_member_type=spectator: it holds no data" in of_ring


def test_an_order_to_a_group_takes_a_message_of_a_group_where_none_is_named() -> None:
    assert written(call_of(["drop", "n1"], group().session)) == 'cluster.drop("notified", sender="n1")'
    assert written(call_of(["drop", "n1"], Living().session)) == 'cluster.drop("membersupdate", sender="n1")'


ORDERS = """\
kill n9
wait 0.3
kill n2
wait 3
status

nonsense
at much
at 0.9
why n2
why n7
speed -1
save saved.py
quit
kill n1
"""


def test_a_simulated_cluster_obeys_line_by_line_and_its_recording_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(client, "PATIENCE", HANG)  # a busy machine takes longer to end a run in order
    said: list[str] = []
    orders, typed = os.pipe()
    os.write(typed, ORDERS.encode())

    async def whole() -> Engine:
        engine = Engine(Begin(world="sim", seed=3, nodes=3, preset="fast", speed=20.0))
        try:
            await asyncio.wait_for(Plain(engine, said.append, orders).run(), HANG)
        finally:
            await engine.close()
        return engine

    session = asyncio.run(whole()).session
    os.close(typed)
    assert not session.live
    told = [line for line in said if line.startswith(("!", "done:", "saved:"))]
    assert told[0] == "! there is no node n9: there are n1 n2 n3"
    assert told[1].startswith('done: cluster.kill("n2"): the process is gone, at ')
    assert told[2].startswith("! there is no order nonsense: ")
    assert told[3] == "! a time is said as 12.5, 1:30, 500ms, +2, -0.1, 50% or end"
    assert told[4].startswith("! EVENT n7: no node n7 tells anything in this run")
    assert told[5:] == ["! speed -1: give 0 or more virtual seconds a second, or max", "saved: saved.py"]
    assert "n2: crashed" in said, "that is what status says three seconds later"
    assert any("(n1:" in line and "n1 suspects n2 (connection lost)" in line for line in said)
    assert any("fault 1: kill n2" in line for line in said[said.index("n2: crashed") :]), "it stood behind it"
    assert said[-1] == "verdict: stopped"
    assert len(load_scripts([tmp_path / "saved.py"])) == 1

    def replayed(*more: str) -> list[str]:
        assert main(["replay", session.facts.directory, "--plain", *more]) == 0
        return capsys.readouterr().out.splitlines()

    before, after = replayed("--at", "0.9"), replayed("--at", "end")
    assert "cluster: 3 of 3 nodes run, all have one list" in before
    assert "cluster: 2 of 3 nodes run, all have one list" in after
    assert "n2: crashed" in after
    assert any(line.endswith("from here on it is driven by hand") for line in before)
