"""Members that are programs of their own: how they begin and end, and what is done where they do not behave."""

import asyncio
import signal
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from tests.harness.systems.toy import ToyDialogue, toy
from tests.harness.worlds.real.world_helpers import stage
from tests.waiting import until

from shaketable.harness.faults.actions import Begin, Command, Kill, Leave, NoEffect, Restart, Start
from shaketable.harness.faults.link_kinds import BLACKHOLE
from shaketable.harness.faults.links import LinkState
from shaketable.harness.faults.node_kinds import DROP
from shaketable.harness.faults.table import ClockFault, LinkFault, MessageFault, Pause
from shaketable.harness.history.history import History
from shaketable.harness.records import Ending, NodeEnded, NotUnderstood
from shaketable.harness.verdicts.reasons import reasons_of
from shaketable.node.config import FAST
from shaketable.node.core.commands import TakeStockCommand
from shaketable.node.core.env import SECOND
from shaketable.node.events import Leaving, Started, Stopped

BOTH = ("n1", "n2")
EARLY = r"the process of n2 ended before it ran \(exit code"


async def test_they_start_and_are_killed_paused_and_left(tmp_path: Path) -> None:
    async with stage(tmp_path, system=toy()) as it:
        assert await it.act(Start(BOTH, BOTH)) == "each node says that it runs"
        first = it.pid("n1")
        assert psutil.Process(first).cmdline()[1].endswith("toy_member.py"), "the process is the program itself"
        number, how = await it.begin(Pause("n1"))
        assert how == "its process is stopped"
        assert await it.end(number) == "its process answers again"
        assert await it.act(Kill("n1")) == "the process is reaped"
        assert await it.act(Restart("n1")) == "the new process says that it runs"
        assert it.pid("n1") != first
        assert await it.act(Leave("n2")) == "it said so and its process ended"
        assert [type(event) for event in it.events("n2")] == [Started, Stopped]
        ends = [event for event in it.events(kind=NodeEnded) if isinstance(event, NodeEnded)]
        assert [end.why for end in ends] == [Ending.KILLED, Ending.LEFT]


async def test_their_links_are_broken_and_seen_to_be(tmp_path: Path) -> None:
    async with stage(tmp_path, system=toy()) as it:
        await it.act(Start(BOTH, BOTH))
        asked = it.world.now()
        silence = LinkFault(BLACKHOLE, (("n1", "n2"),), LinkState(blackhole=True))
        receipt = await it.receipt(Begin(7, silence))
        assert receipt.how.endswith("bytes went in and none came out")
        assert receipt.made is not None
        assert asked <= receipt.made < receipt.at, "made at once, and seen when something was said"
        number, how = await it.link_fault(("n1", "n2"), ("n2", "n1"), state=LinkState(cut=True))
        assert how == "2 links: its port takes no connection, and none is left"
        assert "its port takes connections again" in await it.end(number)


async def test_what_such_a_member_cannot_do_is_refused(tmp_path: Path) -> None:
    async with stage(tmp_path, system=toy()) as it:
        await it.act(Start(BOTH, BOTH))
        with pytest.raises(NoEffect, match="n1: a toy has no clock"):
            await it.begin(ClockFault("n1", jump=1))
        with pytest.raises(NoEffect, match="it does something to single messages, and a toy sends none"):
            await it.begin(MessageFault("n1", DROP))


@pytest.mark.parametrize(
    ("does", "sentence"),
    [
        ("is not there", rf"{EARLY} 127\)$"),
        ("ends at once", rf"{EARLY} 1\)$"),
        ("cannot run", "my port is not to my liking"),
    ],
)
async def test_one_that_does_not_come_up_says_why(does: str, sentence: str, tmp_path: Path) -> None:
    async with stage(tmp_path, system=toy(n2=does)) as it:
        with pytest.raises(NoEffect, match=sentence):
            await it.act(Start(BOTH, BOTH))
        log = (tmp_path / "n2.log").read_text()
        assert log == {
            "is not there": "/nowhere/at/all cannot be started: No such file or directory\n",
            "ends at once": "there is no room for me\n",
        }.get(does, "")


async def test_the_end_of_one_that_never_ran_has_what_its_log_says_and_proves_nothing(tmp_path: Path) -> None:
    async with stage(tmp_path, system=toy(n2="ends at once")) as it:
        with pytest.raises(NoEffect):
            await it.act(Start(BOTH, BOTH))
        reasons = [reason for reason in reasons_of(History(it.records)) if reason.about != "script"]
        log = "its log, n2.log in the folder of the run, ends with: there is no room for me"
        assert [(reason.outcome, reason.about, reason.text) for reason in reasons] == [
            ("unknown", "node", f"the process of n2 ended before it ran (exit code 1); {log}")
        ]


async def test_one_that_dies_after_it_ran_has_what_its_log_says_at_its_end(tmp_path: Path) -> None:
    async with stage(tmp_path, system=toy(n2="dies")) as it:
        await it.act(Start(BOTH, BOTH))
        await it.act(Command("n2", TakeStockCommand()))
        await until(lambda: it.events(kind=NodeEnded))
        (reason,) = [reason for reason in reasons_of(History(it.records)) if reason.about != "script"]
        log = "its log, n2.log in the folder of the run, ends with: Terminating due to java.lang.OutOfMemoryError: Java"
        assert reason.text == f"the process of n2 died by itself: exit code 3; {log} heap space"
        assert (reason.outcome, reason.about) == ("failed", "node")
        assert it.world.observed.nodes["n2"].state == "died"


async def test_one_that_says_garbage_is_killed(tmp_path: Path) -> None:
    async with stage(tmp_path, system=toy(n2="garbage")) as it:
        await it.act(Start(BOTH, BOTH))
        await it.act(Command("n2", TakeStockCommand()))
        await until(lambda: it.events(kind=NodeEnded))
        reasons = [reason for reason in reasons_of(History(it.records)) if reason.about != "script"]
        said = "a line that is none of a toy's: b'Exception in thread main'; so the harness kills it"
        assert [(reason.outcome, reason.about, reason.text) for reason in reasons] == [
            ("unknown", "system", f"what n2 tells is not understood: {said}")
        ]
        assert it.events(kind=NodeEnded) == [NodeEnded("n2", "not understood", Ending.NOT_UNDERSTOOD)]


async def test_however_much_garbage_it_says_one_sentence_tells_of_it(tmp_path: Path) -> None:
    async with stage(tmp_path, system=toy(n2="much garbage")) as it:
        await it.act(Start(BOTH, BOTH))
        await it.act(Command("n2", TakeStockCommand()))
        await until(lambda: it.events(kind=NodeEnded))
        (odd,) = it.events(kind=NotUnderstood)
        assert isinstance(odd, NotUnderstood)
        assert len(odd.reason) < 500
        assert odd.reason.endswith("; so the harness kills it")


async def test_a_fact_that_nobody_understands_is_told(tmp_path: Path) -> None:
    async with stage(tmp_path, system=toy(n1="odd")) as it:
        await it.act(Start(BOTH, BOTH))
        await it.act(Command("n1", TakeStockCommand()))
        await until(lambda: it.events(kind=NotUnderstood))
        assert it.events(kind=NotUnderstood) == [NotUnderstood("n1", "a fact of the kind odd")]


async def test_what_is_held_back_at_the_end_of_a_run_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ToyDialogue, "ended", lambda self: [self.reported(1, "the uuid of n1", Leaving())])
    async with stage(tmp_path, system=toy()) as it:
        await it.act(Start(("n1",), ("n1",)))
        assert not it.events("n1", Leaving)
    assert it.events("n1", Leaving) == [Leaving()]


async def test_one_that_hangs_in_its_shutdown_is_killed_after_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage(tmp_path, system=toy(n2="never leaves")) as it:
        await it.act(Start(BOTH, BOTH))
        own, answers_within = FAST.graceful_shutdown_max_wait, toy().patience
        assert it.world._cast.leaves_within("n2") == own + answers_within
        monkeypatch.setattr(it.world._cast, "leaves_within", lambda name: SECOND)
        pid = it.pid("n2")
        said = r"^it had not ended 1 s after it was asked to, and the harness killed it$"
        with pytest.raises(NoEffect, match=said):
            await it.act(Leave("n2"))
        assert not psutil.pid_exists(pid)
        assert it.events(kind=NodeEnded) == [NodeEnded("n2", "killed", Ending.KILLED)]


async def test_one_that_is_paused_while_it_leaves_does_not_hang(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage(tmp_path, system=toy()) as it:
        await it.act(Start(BOTH, BOTH))
        monkeypatch.setattr(it.world._cast, "leaves_within", lambda name: SECOND)
        number, _ = await it.begin(Pause("n2"))
        leaving = asyncio.create_task(it.act(Leave("n2")))
        await asyncio.wait([leaving], timeout=1.2)
        assert not leaving.done()
        with suppress(NoEffect):  # it may end before it answers
            await it.end(number)
        assert await leaving == "it said so and its process ended"


async def test_one_that_hangs_in_its_shutdown_goes_with_the_run(tmp_path: Path) -> None:
    """No limit has to pass for that."""
    async with stage(tmp_path, system=toy(n2="never leaves")) as it:
        await it.act(Start(BOTH, BOTH))
        leaving = asyncio.create_task(it.act(Leave("n2")))
        await asyncio.wait([leaving], timeout=0.5)
        assert not leaving.done()
        leaving.cancel()


async def test_links_to_one_that_leaves_stay_open_until_it_is_gone(tmp_path: Path) -> None:
    async with stage(tmp_path, system=toy(n2="never leaves")) as it:
        await it.act(Start(BOTH, BOTH))
        leaving = asyncio.create_task(it.act(Leave("n2")))
        await until(lambda: it.events("n2", Leaving))
        await it.begin(Pause("n1"))  # so long the harness has time to do something
        _, writer = await asyncio.open_connection("127.1.1.2", it.world._cast.nodes["n2"].port)
        writer.close()
        leaving.cancel()


async def test_one_that_loses_its_line_is_no_orphan(tmp_path: Path) -> None:
    async with stage(tmp_path, system=toy()) as it:
        await it.act(Start(BOTH, BOTH))
        pid = it.pid("n1")
        await it.act(Command("n1", TakeStockCommand()))
        psutil.Process(pid).send_signal(signal.SIGSTOP)
    assert not psutil.pid_exists(pid)
