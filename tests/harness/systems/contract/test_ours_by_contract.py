"""Our own node keeps the contract that others have to keep: the same stories pass, with the same checks judging."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from shaketable.harness.checks.result import HELD, CheckResult
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, run_real
from shaketable.harness.scripting.targets import script_named
from shaketable.harness.verdicts.verdict import PASSED

CAN = ("hold", "messages", "clocks", "data", "http", "group", "legacy")


def ours(folder: Path) -> str:
    path = folder / "system.toml"
    path.write_text(
        f'name = "ours by contract"\ncommand = "{sys.executable} -m shaketable.node.process.by_contract"\nlevel = 5\n'
        f'can = {list(CAN)}\ntransport = "one way"\nudp = true\naddresses = "127.0.0.1:5702"\n'
    )
    return str(path)


@pytest.mark.long
@pytest.mark.parametrize("name", ["kill-the-master", "told-by-third-parties", "the-owner-crashes"])
def test_a_story_goes_by_contract_as_it_goes_by_our_own_line(name: str, tmp_path: Path) -> None:
    by_contract, by_our_line = (
        judged(run_real(script_named(name), Options("real", system=system), folder=tmp_path / folder))
        for system, folder in ((ours(tmp_path), "contract"), ("", "line"))
    )
    assert (by_contract.outcome, by_our_line.outcome) == (PASSED, PASSED)
    assert held(by_contract.checks) == held(by_our_line.checks)


def held(checks: Iterable[CheckResult]) -> list[str]:
    return [check.name for check in checks if check.status == HELD]
