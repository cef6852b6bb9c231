"""The text of a chaos script that is made by machine: its name, and what may stand in its docstrings."""

from __future__ import annotations

import keyword
import re
import textwrap
from pathlib import Path
from typing import Final

WIDTH: Final = 116


def name_for(path: Path, otherwise: str) -> str:
    """A name for the function in this file; what is no usable one gets `otherwise` in front."""
    name = re.sub(r"\W+", "_", path.stem, flags=re.ASCII).strip("_").lower()
    usable = name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("test_")
    return name if usable else f"{otherwise}_{name}".rstrip("_")


def in_a_docstring(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')


def wrapped(text: str, indent: str = "") -> str:
    """A paragraph in lines of a usual length."""
    return textwrap.fill(
        text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
