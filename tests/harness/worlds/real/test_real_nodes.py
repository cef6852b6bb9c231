"""Processes come, are shaken, and go: each with its receipt, and with what it said in its own order."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.harness.worlds.real.world_helpers import stage
from tests.reasons import gone, reason_in
from tests.waiting import HANG

from shaketable.harness.conditions.cluster import agree, has_ended
from shaketable.harness.errors import UserError
from shaketable.harness.faults.actions import Kill, Leave, NoEffect, Restart, Start
from shaketable.harness.faults.link_kinds import CUT
from shaketable.harness.faults.links import LinkState
from shaketable.harness.faults.node_kinds import DROP
from shaketable.harness.faults.table import ClockFault, Hold, LinkFault, MessageFault, Pause
from shaketable.harness.records import (
    Ending,
    FabricRestored,
    FabricTrouble,
    HarnessLate,
    NodeEnded,
    NodeNamed,
    NodeSpawned,
    NotUnderstood,
)
from shaketable.harness.worlds.real.meeting_point import MeetingPoint
from shaketable.harness.worlds.real.world import RealWorld
from shaketable.node.config import FAST
from shaketable.node.events import FilterMatched, FramesLate, Held, Released, RoundLate, Started, StoodStill, Stopped
from shaketable.node.messages import Member
from shaketable.node.process import control
from shaketable.node.process.lateness import LATE


async def test_three_nodes_form_a_cluster_and_tell_it_without_a_gap(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.form("n1", "n2", "n3")
        named = [(e.peer, e.address) for e in s.events(kind=NodeNamed) if isinstance(e, NodeNamed)]
        assert named == [(f"n{n}", f"127.0.0.1:{5700 + n}") for n in (1, 2, 3)]
        assert [e.peer for e in s.events(kind=NodeSpawned) if isinstance(e, NodeSpawned)] == ["n1", "n2", "n3"]
        for name in ("n1", "n2", "n3"):
            sequence = [r.sequence for r in s.records if r.node == name]
            assert sequence == list(range(1, len(sequence) + 1))
            times = [r.time for r in s.records if r.node == name]
            assert times == sorted(times)
        for name, vitals in s.world.vitals().items():
            assert vitals.alive
            assert psutil.Process(vitals.pid).name() == f"shaketable-{name}", "as ps calls it"
            assert vitals.rss < 35 << 20


async def test_a_node_that_is_spawned_and_not_run_looks_like_no_process_at_all(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.act(Start(("n1", "n2"), ("n1", "n2"), run=False))
        listening = [c for c in psutil.Process(s.pid("n1")).net_connections("tcp") if c.status == psutil.CONN_LISTEN]
        assert listening == []
        assert s.events("n1") == []


async def test_kill_and_restart(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.form("n1", "n2", "n3")
        with pytest.raises(NoEffect, match="n3 still runs"):
            await s.act(Restart("n3"))
        before = s.pid("n3")
        assert await s.act(Kill("n3")) == "the process is reaped"
        assert not psutil.pid_exists(before)
        assert s.events()[-1] == NodeEnded("n3", *gone("killed"))
        with pytest.raises(NoEffect, match="n3 is not running"):
            await s.act(Kill("n3"))
        await s.met(agree(("n1", "n2")))
        await s.act(Restart("n3"))
        await s.met(agree(("n1", "n2", "n3")))
        first, second = [e.member for e in s.events("n3", Started) if isinstance(e, Started)]
        assert first.address == second.address
        assert first.uuid != second.uuid


async def test_a_node_that_is_refused_for_good_ends_and_says_why(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.form("n1")
        await s.act(Start(("n2",), ("n1", "n2"), {"partition_count": 7}))
        await s.met(has_ended("n2"))
        await s.until(lambda: s.events(kind=NodeEnded))
        assert s.events(kind=NodeEnded) == [NodeEnded("n2", *gone("refused"))]
        why = "refused by 127.0.0.1:5701: the partition count of this cluster is 271, not 7"
        assert agree(("n2",)).ask(s.world.observed) == f"n2 is not running ({why})"


async def test_leave(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.form("n1", "n2")
        assert await s.act(Leave("n2")) == "it said so and its process ended"
        assert s.events()[-1] == NodeEnded("n2", *gone("left"))
        await s.met(agree(("n1",)))


async def outcomes(*acts: Coroutine[Any, Any, str]) -> list[str]:
    return sorted(str(each) for each in await asyncio.gather(*acts, return_exceptions=True))


async def test_of_two_kills_or_leaves_at_once_one_is_refused(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.form("n1", "n2", "n3")
        kills = await outcomes(s.act(Kill("n3")), s.act(Kill("n3")), s.act(Leave("n3")))
        assert kills == ["n3 is being killed already"] * 2 + ["the process is reaped"]
        leaves = await outcomes(s.act(Leave("n2")), s.act(Leave("n2")))
        assert leaves == ["it said so and its process ended", "n2 is leaving already"]


def abort_and_wait(pid: int) -> None:
    """Blocks the loop: the harness must not hear of the end before it is asked to kill."""
    process = psutil.Process(pid)
    process.send_signal(signal.SIGABRT)
    with contextlib.suppress(psutil.NoSuchProcess):
        while process.status() != psutil.STATUS_ZOMBIE:
            time.sleep(0.01)


async def test_a_kill_that_comes_too_late_is_not_the_cause(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.form("n1", "n2")
        abort_and_wait(s.pid("n2"))
        (refusal,) = await outcomes(s.act(Kill("n2")))
        assert refusal in ("n2 is not running", "it ended otherwise: died")
        await s.until(lambda: isinstance(s.events()[-1], NodeEnded))
        end = s.events()[-1]
        assert isinstance(end, NodeEnded)
        assert (end.peer, end.reason, end.why) == ("n2", *gone("died"))
        assert end.more.startswith("by SIGABRT")


async def test_who_has_said_its_last_words_is_started_again_when_it_is_gone(tmp_path: Path) -> None:
    """A script may have seen that a node left a moment before its process has ended."""
    async with stage(tmp_path) as s:
        await s.form("n1")
        s.world._cast.nodes["n1"].saw(Stopped(*reason_in("as if it had been asked to")))
        restart, another = (asyncio.create_task(s.world._cast.restart("n1")) for _ in range(2))
        await asyncio.sleep(0)
        assert not restart.done()
        s.world._launcher.processes["n1"].signal(signal.SIGKILL)
        assert await restart == "the new process says that it runs"
        with pytest.raises(NoEffect, match="n1 runs again already"):
            await another


async def test_who_no_longer_waits_for_an_end_disturbs_nobody_else(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.form("n1")
        kill = asyncio.create_task(s.world._shaking.kill("n1"))
        await asyncio.sleep(0)
        kill.cancel()
        await s.until(lambda: s.events()[-1] == NodeEnded("n1", *gone("killed")))
        await s.act(Start(("n2",), ("n1", "n2"), run=False))
        node, process = s.world._cast.nodes["n2"], s.world._launcher.processes["n2"]
        process.alive = False  # as in the moment between its end and its last words
        restart = asyncio.create_task(s.world._cast.restart("n2"))
        await asyncio.sleep(0)
        process.alive = True
        restart.cancel()
        await asyncio.gather(kill, restart, return_exceptions=True)
        process.signal(signal.SIGKILL)
        assert await asyncio.wait_for(node.ended, HANG) == "never ran"
        assert await s.act(Restart("n2")) == "the new process says that it runs"


async def test_a_node_without_a_log_runs_and_says_nothing_on_the_terminal(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "n1.log").mkdir()
    async with stage(tmp_path) as s:
        await s.form("n1", "n2")
        await s.act(Leave("n1"))
    assert capfd.readouterr() == ("", "")


async def test_a_process_that_ends_before_it_runs_is_one_sentence(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async with stage(tmp_path) as s:
        s.world._launcher._control = str(tmp_path / "nobody")
        with pytest.raises(NoEffect, match=r"^the process of n1 ended before it ran \(exit code 3\)$"):
            await s.act(Start(("n1",), ("n1",)))
        end = s.events()[-1]
        assert isinstance(end, NodeEnded)
        assert end.why is Ending.NEVER_RAN
        said = (
            "ended before it ran (exit code 3); its log, n1.log in the folder of the run, ends with: the harness cannot"
        )
        assert end.reason.startswith(said)
    assert capfd.readouterr() == ("", "")


def test_the_control_socket_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = tmp_path / "run"
    RealWorld(1, FAST, folder=folder, sink=lambda record: None)
    if sys.platform == "linux":
        assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(sys, "platform", "darwin")
    there = MeetingPoint()
    assert Path(there.address).parent.is_dir()
    there.remove()
    (tmp_path / ("long" * 20)).mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / ("long" * 20)))
    with pytest.raises(UserError, match="too long a path for a socket"):
        MeetingPoint()
    assert list((tmp_path / ("long" * 20)).iterdir()) == []


async def test_a_node_that_dies_unasked_is_noticed(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.form("n1", "n2")
        psutil.Process(s.pid("n2")).send_signal(signal.SIGKILL)
        await s.until(lambda: s.events()[-1] == NodeEnded("n2", *gone("died"), "by SIGKILL"))


async def test_pause_and_resume(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.form("n1", "n2")
        number, how = await s.begin(Pause("n2"))
        assert how == "its process is stopped"
        assert psutil.Process(s.pid("n2")).status() == "stopped"
        other, how = await s.begin(Pause("n2"))
        assert how == "its process is stopped already"
        assert await s.end(other) == "another fault keeps it paused"
        await asyncio.sleep(2)
        assert await s.end(number) == "its process answers again"
        await s.until(lambda: s.events("n2", RoundLate))
        await s.met(agree(("n1", "n2")))


async def test_a_process_that_does_not_get_to_run_tells_it_and_how_late_the_frames_to_it_came(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.form("n1", "n2")
        process = psutil.Process(s.pid("n2"))
        process.suspend()
        await asyncio.sleep(1.5)
        process.resume()
        await s.until(lambda: s.events("n2", StoodStill) and s.events("n2", FramesLate))
        (stood,) = s.events("n2", StoodStill)
        assert isinstance(stood, StoodStill)
        assert stood.lasted >= LATE
        late = s.events("n2", FramesLate)[0]
        assert isinstance(late, FramesLate)
        assert late.address == "127.0.0.1:5701"


async def test_a_harness_that_does_not_get_to_run_tells_it(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.form("n1")
        time.sleep(1)  # noqa: ASYNC251 - on purpose
        await s.until(lambda: s.events(kind=HarnessLate))


async def test_a_paused_node_can_be_killed_and_takes_its_faults_along(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.form("n1", "n2")
        number, _ = await s.begin(Pause("n2"))
        await s.act(Kill("n2"))
        assert await s.end(number) == "it ended with its node"
        await s.act(Restart("n2"))
        await s.met(agree(("n1", "n2")))


async def test_the_clock_jumps(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.form("n1")
        await s.begin(ClockFault("n1", jump=60_000_000))
        await s.until(lambda: any(isinstance(e, RoundLate) and e.lateness > 50_000_000 for e in s.events("n1")))


async def test_a_filter_does_its_work_and_its_end_is_answered(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.form("n1", "n2")
        number, how = await s.begin(MessageFault("n1", DROP, ("heartbeat",), ("n2",)))
        assert how == "n1 says that it does so"
        await s.until(lambda: s.events("n1", FilterMatched))
        assert s.events("n1", FilterMatched) == [FilterMatched(number, "heartbeat", "127.0.0.1:5702")]
        await s.end(number)


async def test_a_hold_is_released_or_killed_when_what_left_has_arrived(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.form("n1", "n2", "n3")
        never, _ = await s.begin(Hold("n1", "ClaimStarted"))
        with pytest.raises(NoEffect, match="never came"):
            await s.end(never)
        number, _ = await s.begin(Hold("n1", "ViewPublished", after=1))
        await s.until(lambda: s.events("n1", Held))
        await s.end(number)
        await s.until(lambda: s.events("n1", Released))
        await s.begin(Hold("n1", "ViewPublished", after=1))
        await s.until(lambda: len(s.events("n1", Held)) == 2)
        how = await s.act(Kill("n1"))
        assert how == "the process is reaped; before that 2 of its 2 links were seen to be drained"
        await s.met(agree(("n2", "n3")))


async def test_a_port_that_is_taken_meanwhile_is_one_clear_sentence(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.act(Start(("n1", "n2"), ("n1", "n2"), run=False))
        port = s.world._cast.nodes["n1"].port
        with socket.socket() as thief:
            thief.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            thief.bind(("127.0.0.1", port))
            thief.listen()
            with pytest.raises(NoEffect) as refusal:
                await s.act(Start(("n1",), ("n1", "n2")))
        assert str(refusal.value) == f"127.0.0.1:5701 cannot listen at port {port}: Address already in use"


async def test_a_stranger_at_the_control_socket_is_hung_up_on(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.form("n1")
        for first in (
            control.encode_record(control.Ready(b"guessed", "n1", 1)),
            control.encode_record(control.Stop()),
            b"GET / HTTP/1.1\r\n\r\n",
        ):
            reader, writer = await asyncio.open_unix_connection(s.world._observer.path)
            writer.write(first)
            assert await reader.read() == b""
            writer.close()
        assert s.world.vitals()["n1"].alive


async def test_a_node_that_says_what_no_node_says_is_killed_and_the_run_told_why(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.form("n1", "n2")
        peer = s.world._cast.nodes["n2"].peer
        assert peer is not None
        gap = control.Reported(s.world.now(), "uuid", 10_000, control.raw_event(Started(Member("a", "uuid"))))
        peer.data_received(control.encode_record(gap))
        await s.until(lambda: s.events()[-1] == NodeEnded("n2", *gone("not understood")))
        (odd,) = s.events(kind=NotUnderstood)
        assert isinstance(odd, NotUnderstood)
        assert odd.reason.startswith("event 10000 came where")
        assert odd.reason.endswith(" was due; so the harness kills it")
        assert not s.events(kind=FabricTrouble)


async def test_a_link_server_that_is_killed_comes_back_and_the_cluster_with_it(tmp_path: Path, choice: str) -> None:
    async with stage(tmp_path, choice) as s:
        await s.form("n1", "n2", "n3")
        (server,) = [p for p in psutil.Process().children() if "relay" in str(p.cmdline()) or "toxiproxy" in p.name()]
        number, _ = await s.begin(LinkFault(CUT, (("n1", "n2"),), LinkState(cut=True)))
        server.kill()
        await s.until(lambda: s.events(kind=FabricRestored))
        assert s.events(kind=FabricTrouble)
        await s.end(number)
        await s.until(lambda: s.world.observed.nodes["n1"].links_up == {f"127.0.0.1:570{n}": True for n in (2, 3)})
