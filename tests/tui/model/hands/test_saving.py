"""A session's calls by hand become a script that a person can read, and that says what it leaves out."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.harness.systems.toy import TOY
from tests.where import DOCS

from shaketable.harness.errors import UserError
from shaketable.harness.records import AnsweredByHand, AskedByHand, NodeNamed, Record, StepBegan, StepKind
from shaketable.harness.scripting.scripts import load_scripts
from shaketable.harness.systems.hazelcast.system import HAZELCAST
from shaketable.node.config import FAST
from shaketable.node.core.env import MILLISECOND, SECOND
from shaketable.node.events import Event
from shaketable.tui.model.hands.calls import FROM_HERE, HEAL, Call
from shaketable.tui.model.hands.repeating import command_of_script
from shaketable.tui.model.hands.saving import save, script_of
from shaketable.tui.model.run_facts import RunFacts

FACTS = RunFacts("", "sim", "simulated", 1, "fast", {**FAST.outside(), "partition_count": 7})
BODY = """\
    await at(500)
    fault_1 = await cluster.slow("n1", "n2", 1_500 * MILLISECOND, one_way=True)
    # left out: cluster.pause("n9"): n9 is not a node
    work_3 = await cluster.work("n2", pause=3 * SECOND)
    fault_2 = await cluster.hold("n1", "ViewInstalled")
    await at(2_000)
    await cluster.heal(fault_1)
    await cluster.heal(fault_2)
    await cluster.split(["n1"], ["n2"], how="cut")
    await at(3_000)
    await cluster.start("n3")
    await at(4_000)
    await cluster.stop_work(work_3)
    await cluster.heal_all()
    await cluster.calm()
    await cluster.expect(cluster.that.settled(), within=cluster.bounds.settle())
"""


def history(late: int = 0) -> list[Record]:
    """`late`: seconds by which the last call came later."""
    told: list[tuple[int, Event]] = [
        (0, NodeNamed("n1", "127.0.0.1:1")),
        (0, NodeNamed("n2", "127.0.0.1:2")),
        (SECOND, StepBegan(FROM_HERE, means=StepKind.BY_HAND)),
    ]
    calls = [
        (1500, Call("slow", ("n1", "n2", 1500 * MILLISECOND), {"one_way": True}), 1, ""),
        (1500, Call("pause", ("n9",)), None, "n9 is not a node"),
        (1500, Call("work", ("n2",), {"pause": 3 * SECOND}), None, ""),
        (1500, Call("hold", ("n1", "ViewInstalled")), 2, ""),
        (3000, Call("heal", (1,)), None, ""),
        (3000, Call("heal", (2,)), None, "its end: it never came to hold there"),
        (3000, Call("split", (("n1",), ("n2",)), {"how": "cut"}), 3, ""),
        (4000 + late * 1000, Call("start", ("n3",)), None, ""),
    ]
    for number, (millis, call, fault, trouble) in enumerate(calls, 1):
        told.append((millis * MILLISECOND, AskedByHand(number, str(call))))
        told.append((millis * MILLISECOND, AnsweredByHand(number, fault, trouble, call.verb == HEAL and bool(trouble))))
    told += [((4 + late) * SECOND, NodeNamed("n3", "127.0.0.1:3")), ((5 + late) * SECOND, StepBegan("at the end"))]
    return [Record(time, "", "", number, event) for number, (time, event) in enumerate(told)]


def test_it_reads_like_a_script_that_was_written(tmp_path: Path) -> None:
    path = tmp_path / "Night 2.py"
    text = script_of(history(), FACTS, path)
    head, _, body = text.partition("cluster.seen.now()))\n\n")
    assert body == BODY
    assert '    shaketable run \'Night 2.py\' --world sim --preset fast"""\n' in head
    assert "from shaketable import MILLISECOND, SECOND, Cluster, script\n" in head
    assert "@script(about=[\"settled\"], settings={'partition_count': 7})\nasync def night_2(" in head
    assert '    await cluster.form("n1", "n2")\n    formed = cluster.seen.now()\n' in head
    assert save(history(), FACTS, path) == ""
    (script,) = load_scripts([path])
    assert (script.name, script.title) == ("night-2", "Driven by hand: slow, work, hold, heal, heal, split …")


REPEATED = [
    (FACTS, "mine.py", 0, "shaketable run mine.py --world sim --preset fast"),
    (FACTS, "a b/c d.py", 0, "shaketable run 'a b/c d.py' --world sim --preset fast"),
    (replace(FACTS, preset="", seed=7), "mine.py", 0, "shaketable run mine.py --world sim --seed 7"),
    (replace(FACTS, world="real"), "mine.py", 100, "shaketable run mine.py --world real --preset fast"),
    (
        replace(FACTS, world="real", system=TOY.under_test),
        "mine.py",
        0,
        "shaketable run mine.py --world real --system toy:1 --preset fast",
    ),
    # 3/2 of 172 s, and of twice the 15.5 s in which it settles, are more than the 300 s of the real world
    (replace(FACTS, world="real"), "mine.py", 172, "shaketable run mine.py --world real --preset fast --limit 360"),
    (replace(FACTS, world="real"), "mine.py", 443, "shaketable run mine.py --world real --preset fast --limit 720"),
]


@pytest.mark.parametrize(("facts", "path", "late", "expected"), REPEATED)
def test_the_command_that_does_it_again_has_the_settings_and_the_time_of_the_session(
    facts: RunFacts, path: str, late: int, expected: str
) -> None:
    assert command_of_script(history(late), facts, Path(path)) == expected
    name = Path(path).name
    said = expected.replace(shlex.quote(path), shlex.quote(name))
    assert f'    {said}"""\n' in script_of(history(late), facts, Path(path))


def test_the_manual_has_that_command_too() -> None:
    manual = (DOCS / "terminal-ui.md").read_text()
    assert f"    {command_of_script(history(), FACTS, Path('mine.py'))}\n" in manual


def test_the_settings_that_a_system_comes_with_are_not_the_script_s() -> None:
    told = replace(FACTS, world="real", system=HAZELCAST.under_test, settings={**FAST.outside(), **HAZELCAST.settings})
    assert '@script(about=["settled"])\n' in script_of(history(), told, Path("mine.py"))
    other = replace(told, settings={**told.settings, "partition_count": 7})
    assert "settings={'partition_count': 7}" in script_of(history(), other, Path("mine.py"))


@pytest.mark.parametrize("name", ["1.py", "test_me.py", "class.py", "....py", 'a"b.py', "a\\xb.py", '""".py', "{x}.py"])
def test_any_name_of_a_file_will_do(name: str, tmp_path: Path) -> None:
    assert save(history(), FACTS, tmp_path / name) == ""
    assert len(load_scripts([tmp_path / name])) == 1


def test_what_cannot_be_saved_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nothing was done by hand"):
        script_of(history()[:3], FACTS, tmp_path / "x.py")
    assert save(history(), FACTS, tmp_path / "x.txt") == f"{tmp_path / 'x.txt'}: a chaos script ends in .py"
    (tmp_path / "file").write_text("")
    assert save(history(), FACTS, tmp_path / "file" / "x.py") == f"{tmp_path}/file/x.py cannot be written: file exists"
    assert save(history(), FACTS, tmp_path / "x.py") == ""
    assert save(history(), FACTS, tmp_path / "x.py") == f"there is a file {tmp_path}/x.py already: give another name"
