"""All that the Dockerfile takes is there, and it runs a command of ours. No image is built here."""

from __future__ import annotations

import json
import re

from tests.test_tidy import IN_THE_REPOSITORY
from tests.where import ROOT

from shaketable.harness.cli import _parser
from shaketable.harness.scripting.targets import scripts_named

pytestmark = IN_THE_REPOSITORY
TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8") if (ROOT / "Dockerfile").exists() else ""


def test_what_it_runs_by_default_is_the_demo() -> None:
    (program,) = json.loads(re.findall(r"^ENTRYPOINT (.*)", TEXT, re.MULTILINE)[0])
    command = json.loads(re.findall(r"^CMD (.*)", TEXT, re.MULTILINE)[0])
    assert program == "shaketable"
    options = _parser().parse_args(command)
    assert [script.name for script in scripts_named(options.paths)] == ["demo", "demo-figure-5"]
    assert options.world == "real"


def test_what_goes_into_it_is_there_and_is_all_that_a_wheel_is_built_from() -> None:
    given = [line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[:1] == "!"]
    assert [name for name in given if not (ROOT / name).exists()] == []
    assert {"node", "harness", "tui", "chaos", ".dev/shaketable", "pyproject.toml", "README.md", "LICENSE"} == {*given}
