"""Mistakes of a script: it raises, waits for the wrong thing, or never ends. The run is unknown, and says where."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.command.command_helpers import here, report, write

from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, run_real, run_simulated
from shaketable.harness.scripting.scripts import load_scripts

SIM = ("--world", "sim")

SCRIPTS = {
    "it raises": ('await cluster.form("n1")\nraise ValueError("no more")', "story.py:10: ValueError: no more"),
    "it exits": ('import sys\nsys.exit(0)', "story.py:10: SystemExit: 0"),
    "an unknown node": ('await cluster.form("n1")\nawait cluster.kill("n9")', "story.py:10: n9 is not a node"),
    "an unknown kind of message": (
        'await cluster.form("n1")\nawait cluster.drop("gossip", sender="n1")', "story.py:10: there is no message gossip"
    ),
    "an unknown event": (
        'await cluster.form("n1")\nawait cluster.hold("n1", "Bang")', "story.py:10: there is no event Bang"
    ),
    "an unknown event to wait for": (
        'await cluster.form("n1")\nawait cluster.until_held("n1", "Foo", within=SECOND)',
        "story.py:10: there is no event Foo to hold at; there are ",
    ),
    "caught by a fault that catches nothing": (
        'await cluster.form("n1", "n2")\nit = cluster.that.caught(await cluster.cut("n1", "n2"))\ncluster.always(it)',
        "story.py:10: cut catches no messages: only drop, hold_back, delay and the verbs of datagrams do",
    ),
    "caught by a number": (
        'await cluster.form("n1")\nawait cluster.until(cluster.that.caught(1), within=SECOND)',
        "story.py:10: caught takes what drop, hold_back, delay or a verb of datagrams gave when it was awaited, not 1",
    ),
    "a suspicion of oneself": (
        'await cluster.form("n1")\nawait cluster.until(cluster.that.suspects("n1", "n1"), within=SECOND)',
        "story.py:10: suspects needs two nodes: no node ever suspects itself",
    ),
    "a trust in oneself": (
        'await cluster.form("n1")\nawait cluster.until(cluster.that.trusts("n1", "n1"), within=SECOND)',
        "story.py:10: trusts needs two nodes: no node ever suspects itself",
    ),
    "a report on oneself": (
        'await cluster.form("n1", "n2")\nawait cluster.until(cluster.that.is_told("n1", by="n2", of="n2"), within=1)',
        "story.py:10: is_told needs three nodes: a master, who reports to it, and whom that one suspects",
    ),
    "a report to who reports it": (
        'await cluster.form("n1", "n2")\ncluster.always(cluster.that.is_not_told("n1", by="n1", of="n2"))',
        "story.py:10: is_not_told needs three nodes: a master, who reports to it, and whom that one suspects",
    ),
    "half a decision": (
        'await cluster.form("n1", "n2")\nawait cluster.until(cluster.that.has_resolved("n1", times=0.5), within=1)',
        "story.py:10: the number of decisions is a whole number (a time has microseconds: 5 * SECOND // 2), not 0.5",
    ),
    "a node that agrees with itself": (
        'await cluster.form("n1")\nawait cluster.until(cluster.that.agree("n1", "n1"), within=SECOND)',
        "story.py:10: agree was given n1 twice: name each node once",
    ),
    "settings of a node that are none": (
        'await cluster.form("n1")\nawait cluster.start("n2", settings="x")',
        "story.py:10: settings: give names with their values, {'heartbeat_interval_seconds': 1}, not 'x'",
    ),
    "settings of a node that are computed": (
        'await cluster.form("n1")\nawait cluster.start("n2", settings=len)',
        "story.py:10: settings: give names with their values, {'heartbeat_interval_seconds': 1}, not <built-in",
    ),
    "a forgotten await": (
        'await cluster.form("n1")\ncluster.kill("n1")\nawait cluster.sleep(SECOND)',
        "story.py:10: kill was called without await",
    ),
    "a foreign await": ("import asyncio\nawait asyncio.sleep(1)", "story.py:10: a script may only await"),
    "seconds for microseconds": ('await cluster.form("n1")\nawait cluster.sleep(0.5)', "story.py:10: the time"),
    "round and round": ("while True:\n    await cluster.sleep(0)", "goes round and round"),
}  # fmt: skip


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_mistake_in_a_script(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    body, sentence = SCRIPTS[name]
    write(tmp_path, body)
    ran = here(capsys, "run", "story.py", *SIM, "--report", "out")
    assert (ran.code, ran.err) == (2, "")
    assert "Traceback" not in ran.out
    (verdict,) = report(tmp_path / "out")["runs"]
    (reason, *_) = [r for r in verdict["reasons"] if r["about"] == "script"]
    assert reason["outcome"] == "unknown"
    assert sentence in reason["text"]
    assert sentence in " ".join(ran.out.split())


@pytest.mark.parametrize("world", ["sim", "real"])
def test_a_script_that_hangs_is_ended_by_the_limit_which_names_the_step(
    world: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "await cluster.sleep(4000 * SECOND)")  # no node is to start first: that may take long
    ran = here(capsys, "run", "story.py", "--world", world, "--preset", "fast", "--limit", 4, "--report", "out")
    assert ran.code == 2
    (verdict,) = report(tmp_path / "out")["runs"]
    assert "it did not end in time; it was at" in verdict["reasons"][0]["text"]
    assert "story.py:9 (a sleep of 4000 s)" in verdict["reasons"][0]["text"]
    assert "--limit 4" in verdict["again"]


@pytest.mark.parametrize("world", ["sim", "real"])
@pytest.mark.parametrize(
    "body", ["while True:\n    pass", "import time\ntime.sleep(1000)", "while True:\n    list(range(1000))"]
)
def test_a_script_that_never_awaits_is_ended_where_it_is(body: str, world: str, tmp_path: Path) -> None:
    (script,) = load_scripts([write(tmp_path, f'await cluster.form("n1")\n{body}')])
    options = Options(world=world, preset="fast", stuck=0.3)
    if world == "sim":
        verdict = judged(run_simulated(script, options))
    else:
        verdict = judged(run_real(script, options, folder=tmp_path))
    assert verdict.outcome == "unknown"
    assert "it ran for 0.3 s without awaiting anything" in verdict.reasons[0].text
    assert "story.py:" in verdict.reasons[0].text


def test_a_script_that_swallows_the_alarm_is_ended_by_the_next(tmp_path: Path) -> None:
    body = """
import time
for _ in range(2):
    try:
        time.sleep(1000)
    except Exception:
        pass
while True:
    pass
"""
    (script,) = load_scripts([write(tmp_path, body)])
    assert judged(run_simulated(script, Options(stuck=0.1))).outcome == "unknown"
