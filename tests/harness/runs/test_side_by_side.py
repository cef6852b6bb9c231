"""Two recorded runs side by side: what each is called."""

from __future__ import annotations

from pathlib import Path

import msgspec
from tests.harness.pipeline.stored import record
from tests.notation.other_system import other

from shaketable.harness.runs.directory import RUN
from shaketable.harness.runs.side_by_side import beside


def test_a_run_of_another_system_is_called_by_it(tmp_path: Path) -> None:
    ours, others = (record(tmp_path / name, "form") for name in ("ours", "others"))
    told = msgspec.json.decode((others / RUN).read_bytes())
    (others / RUN).write_bytes(msgspec.json.encode({**told, "system": msgspec.to_builtins(other())}))
    called = [side.called for side in beside(ours, others).sides]
    assert called == ["form, sim, seed 1: passed", "form, sim, Other 5.7, seed 1: passed"]
