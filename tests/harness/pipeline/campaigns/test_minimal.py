"""What a campaign does with failures of random plans: the first few become short scripts that fail again."""

from __future__ import annotations

from pathlib import Path

from tests.harness.nemesis.test_shrink import STORY
from tests.harness.pipeline.campaigns.campaigns import written

from shaketable.harness.pipeline.campaigns.cases import Cell
from shaketable.harness.pipeline.campaigns.minimal import shrunk
from shaketable.harness.pipeline.campaigns.summaries import Failing
from shaketable.harness.pipeline.campaigns.variants import Variant
from shaketable.harness.scripting.scripts import scripts_of

BROKEN = Variant("missed removal", values={"legacy_fault": "missed removal"})


def test_a_plan_that_fails_becomes_a_script_once_and_a_story_of_its_own_stays_as_it_is(tmp_path: Path) -> None:
    noisy_file = tmp_path / "noisy.py"
    noisy_file.write_text(STORY)
    (noisy,) = scripts_of(noisy_file)
    (story,) = scripts_of(written(tmp_path, "await cluster.form('n1')\n    assert False, 'as it must'"))
    cells = [Cell(noisy, BROKEN), Cell(story, BROKEN)]
    failing = [
        Failing("story/sim/missed removal/1", "story", BROKEN.name, 1, "failed", [], ""),
        Failing("noisy/sim/missed removal/3", "noisy", BROKEN.name, 3, "failed", [], ""),
    ]
    said: list[str] = []
    small = shrunk(failing, cells, tmp_path / "out", said.append)
    assert list(small) == ["noisy/sim/missed removal/3"]
    (minimal,) = small.values()
    assert Path(minimal.file).read_text() == minimal.script
    assert said[0] == "Shrinking the first failure of a random plan of noisy:"
    assert "It fails again" in "\n".join(said)
    assert said
    said.clear()
    assert shrunk(failing, cells, tmp_path / "out", said.append) == small
    assert said == []
    assert shrunk(failing, cells, tmp_path / "else", said.append, stop=lambda: True) == {}
