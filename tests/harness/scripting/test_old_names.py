"""Conditions and what is looked at were names of the cluster itself: those go on for one release, with a warning."""

from __future__ import annotations

import subprocess
import sys
from inspect import getmembers, isfunction
from pathlib import Path
from typing import Any

import pytest
from tests.harness.scripting.staging import play

from shaketable.harness.scripting.cluster import RENAMED, Cluster
from shaketable.harness.scripting.seen import Seen
from shaketable.harness.scripting.that import That
from shaketable.node.core.env import SECOND

SCRIPT = """
from shaketable import SECOND, Cluster, script

@script(about=["settled"])
async def old(cluster: Cluster) -> None:
    await cluster.form("n1", "n2")
    for _ in range(3):
        await cluster.until(cluster.agree("n1", "n2"), within=SECOND)
    await cluster.calm()
"""


def test_an_old_name_makes_the_condition_of_today_and_warns_at_the_line_that_uses_it() -> None:
    def old(cluster: Any) -> Any:
        return cluster.holds("n1", version=1, members=["n1"])

    async def script(cluster: Cluster) -> None:
        await cluster.form("n1")
        with pytest.warns(
            DeprecationWarning, match=r"^cluster.holds will not work .*: write cluster.that.has_list "
        ) as warned:
            condition = old(cluster)
        assert (warned[0].filename, warned[0].lineno) == (__file__, here_in(old))
        assert condition.label == cluster.that.has_list("n1", version=1, members=["n1"]).label
        await cluster.until(condition, within=0)

    assert play(script).outcome.kind == "done"


@pytest.mark.parametrize("name", [name for name, _ in getmembers(Seen, isfunction) if not name.startswith("_")])
def test_what_is_looked_at_warns_likewise(name: str) -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form("n1")
        with pytest.warns(DeprecationWarning, match=rf"^cluster.{name} will not work .*: write cluster.seen.{name} "):
            assert getattr(cluster, name) == getattr(cluster.seen, name)

    assert play(script).outcome.kind == "done"


def here_in(function: Any) -> int:
    return int(function.__code__.co_firstlineno) + 1


def test_a_name_that_never_was_is_no_attribute() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form("n1")
        for name in ("agre", "_known_to_nobody", "finish", "formation", "plays"):
            with pytest.raises(AttributeError, match=f"'Cluster' object has no attribute '{name}'"):
                getattr(cluster, name)
        await cluster.sleep(SECOND)

    assert play(script).outcome.kind == "done"


def test_what_has_another_name_is_there_and_nothing_is_both_a_verb_and_a_condition() -> None:
    conditions = {name for name, _ in getmembers(That, isfunction) if not name.startswith("_")}
    assert {*RENAMED.values()} <= conditions
    looks = {name for name, _ in getmembers(Seen, isfunction) if not name.startswith("_")}
    assert not conditions & {*dir(Cluster)}
    assert not looks & ({*dir(Cluster)} | conditions)
    assert not {*RENAMED} & ({*dir(Cluster)} | conditions)


def test_every_public_name_says_what_it_is() -> None:
    mute = [
        f"{kind.__name__}.{name}"
        for kind in (Cluster, Seen, That)
        for name, value in getmembers(kind, isfunction)
        if not name.startswith("_") and not value.__doc__
    ]
    assert mute == []


def test_the_command_tells_of_an_old_name_once_a_line(tmp_path: Path) -> None:
    file = tmp_path / "old.py"
    file.write_text(SCRIPT)
    command = [sys.executable, "-m", "shaketable", "run", str(file), "--world", "sim", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (
        done.stderr.count(
            "DeprecationWarning: cluster.agree will not work in the next release: write cluster.that.agree"
        )
        == 1
    )
    assert f"{file}:8" in done.stderr
