"""A run that has failed opens at its violation, and what is said then covers neither that nor anything else."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest
from tests.node.process.process_helpers import in_loop
from tests.tui.model.conftest import written
from tests.tui.showing import Heard, drawn, panel, until

from shaketable.chaos.legacy.legacy_faults import legacy_missed_removal
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.tui.source import Recorded


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Guarantees are broken in it, and its verdict does not expect that."""
    run = run_simulated(legacy_missed_removal, Options("sim", seed=3, preset="fast"))
    folder = written(run, tmp_path_factory.mktemp("failed") / "run")
    verdict = msgspec.json.decode((folder / "verdict.json").read_bytes())
    verdict["outcome"], verdict["expects_violation"] = "failed", None
    verdict["reasons"] = [{"outcome": "failed", "about": "check", "text": "settled is broken: " + "so it is " * 30}]
    (folder / "verdict.json").write_bytes(msgspec.json.encode(verdict))
    return folder


@pytest.mark.parametrize("damaged", [False, True])
@pytest.mark.parametrize(("width", "height"), [(80, 24), (100, 30), (120, 40)])
def test_the_violation_stands_in_sight_while_it_is_said(
    failed: Path, tmp_path: Path, width: int, height: int, damaged: bool
) -> None:
    folder = Path(shutil.copytree(failed, tmp_path / "run"))
    if damaged:
        with (folder / "events" / "n2.jsonl").open("ab") as file:
            file.write(b"{\n" * 5)

    @in_loop
    async def opened() -> None:
        app = Heard(Recorded(folder))
        async with app.run_test(size=(width, height), notifications=True) as pilot:

            def text() -> str:
                strips = app.screen._compositor.render_strips()
                return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)

            await until(pilot, lambda: "failed: settled is broken" in text())
            assert len(app.heard) == (4 if damaged else 1)
            assert app.session.cursor == app.session.violations()[0]
            proof = app.session.store[app.session.cursor - 1]
            assert app.session.chosen.node == proof.node, "the node whose event proves it is chosen"
            events = panel(pilot, "last")
            await until(pilot, lambda: any(row.startswith("▸") for row in drawn(events)))
            present = next(row for row in drawn(events) if row.startswith("▸"))
            assert present in text(), "the event at which it is broken"
            assert [row for row in drawn(events) if row not in text()] == []
            assert len([row for row in drawn(events) if row.strip()]) >= 3

    opened()
