"""A file of tests that need the packages of Spark says so in its first lines: `pytestmark = pytest.mark.spark`. Where
they are not installed it is not read."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
collect_ignore = [
    str(file.relative_to(HERE))
    for file in ([] if find_spec("pyarrow") else sorted(HERE.rglob("test_*.py")))
    if re.search(r"^pytestmark = .*pytest\.mark\.spark", file.read_text(encoding="utf-8"), re.MULTILINE)
]
