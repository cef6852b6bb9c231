"""An engine with members that others wrote: what it says of them, what they refuse, and how such a run is replayed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.harness.systems.toy import REFUSALS, TOY
from tests.lengths import LONG
from tests.tui.engine.driving import Driving, drive, recorded
from tests.where import ROOT

from shaketable.harness.records import StepBegan, StepKind
from shaketable.harness.systems import registry
from shaketable.tui.engine.protocol import Begin
from shaketable.tui.model.hands.calls import Call
from shaketable.tui.source import Recorded

pytestmark = LONG


@pytest.fixture
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As a package of its own would be, in the process of the engine as well."""
    package = tmp_path / "packages" / "toy-1.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1\n")
    (package / "entry_points.txt").write_text("[shaketable.systems]\ntoy = tests.harness.systems.toy:TOY\n")
    monkeypatch.syspath_prepend(str(package.parent))
    monkeypatch.setenv("PYTHONPATH", f"{package.parent}:{ROOT}")
    registry._entries.cache_clear()
    yield
    registry._entries.cache_clear()


@pytest.mark.usefixtures("_installed")
def test_it_says_whose_members_run_and_what_they_refuse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    troubles: list[str] = []

    async def shaken(d: Driving) -> None:
        session = d.engine.session
        assert session.facts.system == TOY.under_test, "before the engine says a word"
        await d.until(lambda: any(step.means is StepKind.BY_HAND for step in d.told(StepBegan)))
        assert session.facts.system == TOY.under_test
        assert REFUSALS.items() <= session.facts.cannot.items()
        troubles.extend(
            await d.do(
                Call("clock", ("n1",), {"jump": 1}),
                Call("drop", ("membersupdate",), {"sender": "n1"}),
                Call("pause", ("n1",)),
            )
        )

    drive(Begin(world="real", seed=1, nodes=1, system="toy"), shaken)
    assert troubles == [
        "it took no effect: n1: a toy has no clock",
        f"it took no effect: {REFUSALS['drop']}",
        "",
    ]
    run = recorded(tmp_path)
    assert run.info.system == TOY.under_test
    session = Recorded(run.directory).session
    assert session.facts.system == TOY.under_test
    assert all(check.status == "not told" for check in session.checks)
