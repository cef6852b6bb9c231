"""A simulated run in an engine: it is the run that `shaketable run` makes, at any speed; by hand anything can be done
to it; and what was done is saved as a script that does it again."""

from __future__ import annotations

import asyncio
import resource
from pathlib import Path

import pytest
from tests.tui.engine.driving import Driving, drive, recorded
from tests.waiting import HANG

from shaketable.harness.checks.registry import CHECKS
from shaketable.harness.errors import UserError
from shaketable.harness.records import FaultAsked, FaultEnded, NodeSpawned, Record, StepBegan
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.scripts import Script, load_scripts
from shaketable.node.core.env import SECOND
from shaketable.node.events import Started
from shaketable.tui.engine import client
from shaketable.tui.engine.client import Engine
from shaketable.tui.engine.facts import look_at
from shaketable.tui.engine.protocol import Begin
from shaketable.tui.model.hands.calls import FROM_HERE, Call
from shaketable.tui.model.run_facts import RunFacts
from shaketable.tui.source import Recorded

SCRIPT = """\
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import script

@script(about=["settled"])
async def story(cluster: Cluster) -> None:
    '''A cut, and its end.'''
    await cluster.form("n1", "n2", "n3")
    fault = await cluster.cut("n2", "n3")
    await cluster.heal(fault)
    await cluster.calm()
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(client, "PATIENCE", HANG)  # on a busy machine an engine begins late, and so ends late


def faults(records: list[Record]) -> list[tuple[str, tuple[str, ...], tuple[str, ...], str]]:
    asked = [record.event for record in records if isinstance(record.event, FaultAsked)]
    return [(event.verb, event.nodes, event.links, event.detail) for event in asked]


def story(folder: Path) -> Script:
    (folder / "story.py").write_text(SCRIPT)
    return load_scripts([folder / "story.py"])[0]


@pytest.mark.parametrize("speed", [None, 5_000.0], ids=["as fast as it can", "at a speed"])
def test_a_script_has_the_history_and_the_verdict_of_a_run(speed: float | None, tmp_path: Path) -> None:
    script = story(tmp_path)
    expected = judged(run_simulated(script, Options(seed=3)))

    async def watch(driving: Driving) -> None:
        refused: list[str] = []
        driving.engine.do(Call("kill", ("n1",)), refused.append)
        await driving.until(lambda: driving.engine.session.ended)
        assert refused
        assert refused[0]

    driving = drive(Begin(world="sim", seed=3, script="story.py::story", speed=speed), watch)
    session = driving.engine.session
    assert session.ended is not None
    assert (session.ended.outcome, session.live, session.checked) == ("passed", False, len(session.store))
    assert session.checks == expected.checks
    run = recorded(tmp_path)
    assert run.verdict is not None
    assert run.verdict.history_hash == expected.history_hash
    assert session.facts.directory == str(run.directory.relative_to(tmp_path))
    assert driving.said == []


def test_a_session_by_hand_whose_nodes_are_all_gone_waits_for_another_one() -> None:
    """However fast it may go: nothing would come to pass but the years."""

    async def by_hand(driving: Driving) -> None:
        await driving.until(lambda: FROM_HERE in [event.step for event in driving.told(StepBegan)])
        driving.engine.set_speed(None)
        assert await driving.do(Call("kill", ("n1",))) == [""]
        await asyncio.sleep(0.5)
        assert driving.engine.session.now < 3_600 * SECOND
        assert await driving.do(Call("start")) == [""]
        await driving.until(lambda: len(driving.told(Started)) == 2)
        assert driving.engine.session.live

    drive(Begin(world="sim", seed=3, nodes=1, preset="fast", speed=50.0), by_hand)


def test_a_session_by_hand_is_recorded_and_its_script_does_the_same_again(tmp_path: Path) -> None:
    path = tmp_path / "again.py"

    async def by_hand(driving: Driving) -> None:
        engine = driving.engine
        await driving.until(lambda: FROM_HERE in [event.step for event in driving.told(StepBegan)])
        asked = [
            Call("slow", ("n1", "n2", 300_000), {"one_way": True}),
            Call("work", ("n3",), {"keys": 4}),
            Call("kill", ("n9",)),
            Call("kill", ("n1", "n2")),
            Call("start"),
            Call("pause", ("n2",)),
        ]
        done = await driving.do(*asked)
        assert done == [
            "", "", "n9 is not a node of this run (n1, n2, n3)", "kill takes a node, and was given 2 values", "", "",
        ]  # fmt: skip
        engine.set_speed(50.0)
        await driving.until(lambda: engine.session.now > 3_000_000)
        healed = await driving.do(
            Call("heal", (1,)), Call("heal", (8,)), Call("resume", ("n2",)), Call("kill", ("n3",))
        )
        assert healed == ["", "there is no fault 8", "", ""]
        await driving.until(lambda: len(driving.told(FaultEnded)) == 2)
        await driving.until(lambda: engine.session.checked)  # by the third process, while the run goes on
        assert engine.session.live
        assert {check.name for check in engine.session.checks} == {check.name for check in CHECKS}
        saved: list[str] = []
        engine.save(path, saved.append)
        engine.save(path, saved.append)
        assert saved == ["", f"there is a file {path} already: give another name"]

    driving = drive(Begin(world="sim", seed=3, nodes=3), by_hand)
    store = driving.engine.session.store
    before = [store[place] for place in range(len(store))]
    run = recorded(tmp_path)
    assert run.info.exit == "passed"
    assert faults(before) == faults(list(run.records))
    assert [verb for verb, *_ in faults(before)] == ["slow", "pause", "kill"]
    (script,) = load_scripts([path])
    again = run_simulated(script, Options(seed=3, preset="fast"))
    assert faults(list(again.records)) == faults(before)
    assert judged(again).outcome == "passed"
    assert [type(record.event) for record in again.records].count(NodeSpawned) == 4
    # A recording can be saved as well as the session that it is of.
    replayed = Recorded(run.directory).session
    assert [replayed.store[place] for place in range(len(replayed.store))] == sorted(run.records, key=lambda r: r[:4])


def test_halted_it_goes_on_by_single_events(tmp_path: Path) -> None:
    async def halted(driving: Driving) -> None:
        engine, session = driving.engine, driving.engine.session
        engine.step_on(1)
        await driving.until(lambda: len(session.store) > 0)
        for _ in range(5):
            before = len(session.store)
            engine.step_on(1)
            await driving.until(lambda before=before: len(session.store) > before)  # type: ignore[misc]
            assert len(session.store) <= before + 10  # what happens in one step of a node comes together
        halted_at = len(session.store)
        assert await driving.do(Call("heal_all")) == [""]
        assert len(session.store) <= halted_at + 3
        engine.set_speed(-1.0)
        await driving.until(lambda: driving.said)
        assert driving.said == [("a speed is 0 or more virtual seconds a second, not -1.0", True)]

    drive(Begin(world="sim", seed=3, nodes=3, speed=0.0), halted)


def test_what_cannot_begin_is_said_in_one_sentence(tmp_path: Path) -> None:
    async def ended(driving: Driving) -> None:
        await driving.until(lambda: driving.engine.session.ended)

    driving = drive(Begin(world="sim", seed=3, script="nowhere.py::story"), ended)
    assert driving.engine.session.ended is not None
    assert driving.engine.session.ended.reasons == ("there is no file or folder nowhere.py",)


def test_a_disk_that_is_full_ends_the_recording_and_not_the_session(tmp_path: Path) -> None:
    async def filled(driving: Driving) -> None:
        await driving.until(lambda: driving.said)
        at_that_time = len(driving.events)
        await driving.until(lambda: len(driving.events) > at_that_time + 100)

    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, usual[1]))  # the engine inherits it
    try:
        driving = drive(Begin(world="sim", seed=3, nodes=9, speed=None), filled)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    ((sentence, trouble),) = driving.said
    assert trouble
    assert "file too large" in sentence
    assert recorded(tmp_path).records


@pytest.mark.parametrize("world", ["real", "sim"])
def test_who_opens_and_closes_at_once_leaves_a_whole_recording_and_no_process(world: str, tmp_path: Path) -> None:
    processes = []

    async def nothing(driving: Driving) -> None:
        processes.append(driving.engine._process)

    drive(Begin(world=world, seed=3, nodes=3), nothing)
    assert [process.returncode for process in processes if process is not None] == [0]
    run = recorded(tmp_path)
    assert run.info.exit == "unknown"
    assert (run.directory / "engine.log").read_text() == ""


def test_a_run_is_opened_by_its_script_or_by_hand(tmp_path: Path) -> None:
    story(tmp_path)

    def facts(script: str) -> RunFacts:
        begin = Begin(world="sim", seed=7, script=script)
        return Engine(begin, look_at(begin)).session.facts

    assert (facts("story.py").script, facts("story.py").preset) == ("story", "default")
    assert facts("story.py").again == "shaketable tui --script story.py --world sim --seed 7"
    assert facts("").again == "shaketable tui --nodes 5 --world sim --seed 7"
    assert facts("").settings["family"] == facts("story.py").settings["family"] == "cluster"
    assert facts("group-kill-ring").settings["family"] == "gms", "so the first frame has the screen of a group"
    with pytest.raises(UserError, match="there is no nobody here"):
        facts("nobody")


def test_without_a_folder_to_record_in_the_session_goes_on(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("in the way")

    async def begun(driving: Driving) -> None:
        await driving.until(lambda: driving.told(Started))

    driving = drive(Begin(world="sim", seed=3, nodes=2), begun)
    assert [trouble for _, trouble in driving.said] == [True]
    assert driving.said[0][0].startswith("the run cannot be recorded: ")


def test_what_goes_wrong_before_anybody_listens_is_said_as_soon_as_somebody_does(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("in the way")

    async def whole() -> list[tuple[str, bool]]:
        driving = Driving(Engine(Begin(world="sim", seed=3, nodes=2)))
        await driving.engine.start()
        begun = driving.engine._process
        assert begun is not None
        await driving.engine.open(driving.say)
        assert driving.engine._process is begun, "it was begun once"
        await driving.engine.close()
        return driving.said

    ((said, trouble),) = asyncio.run(whole())
    assert said.startswith("the run cannot be recorded: ")
    assert trouble
