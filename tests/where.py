"""Where things lie in the repository, for tests that read its files."""

import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
DATA: Final = ROOT / "tests" / "data"
DOCS: Final = ROOT / "docs"
CHAOS: Final = ROOT / "chaos"


def story(name: str) -> Path:
    """The file of chaos/ that is named so, in whichever of its folders."""
    (file,) = CHAOS.rglob(f"{name}.py")
    return file


def with_part(page: Path, name: str, made: str) -> str:
    """The page with this between the marks of that name."""
    marks = re.compile(rf"(<!-- {name}: [^\n]*-->\n).*?(<!-- end of {name} -->)", re.DOTALL)
    text, found = marks.subn(lambda mark: f"{mark[1]}\n{made}\n\n{mark[2]}", page.read_text(encoding="utf-8"))
    assert found == 1, f"{page.name} has no marks for {name}"
    return text


def anchor(heading: str) -> str:
    """As GitHub makes it of a heading."""
    words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
