"""Chaos scripts as data: the decorator that makes one, and how files of them are loaded."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shaketable.harness.cluster import Cluster
from shaketable.harness.errors import UserError

Body = Callable[[Cluster], Coroutine[Any, Any, None]]


@dataclass(frozen=True, slots=True)
class Script:
    """One story. `about` names the checks that must have seen something, or the verdict is unknown."""

    name: str
    title: str
    file: str
    body: Body
    about: tuple[str, ...] = ()
    expects_violation: str | None = None
    settings: Mapping[str, object] = field(default_factory=dict)
    """by the outside names, where they differ from the run's preset"""
    twin_of: str = ""
    """the script whose quiet twin this is"""


def script(
    *, about: Iterable[str], expects_violation: str | None = None, settings: Mapping[str, object] | None = None
) -> Callable[[Body], Script]:
    """Makes a coroutine function a chaos script. Its docstring's first line is its title."""

    def decorate(body: Body) -> Script:
        title = (body.__doc__ or body.__name__).strip().splitlines()[0]
        name = body.__name__.replace("_", "-")
        return Script(name, title, body.__code__.co_filename, body, tuple(about), expects_violation, settings or {})

    return decorate


def load_scripts(paths: Iterable[Path]) -> list[Script]:
    """All scripts of these files and folders, in the order of the files' names and then of the lines."""
    found: list[Script] = []
    for path in paths:
        if path.is_dir():
            files = sorted(p for p in path.rglob("*.py") if not p.name.startswith("_") and "__pycache__" not in p.parts)
            in_folder = [s for file in files for s in scripts_of(file)]
            if not in_folder:
                raise UserError(f"{path} holds no chaos script: give a file or a folder with functions marked @script")
            found += in_folder
        elif path.is_file():
            in_file = scripts_of(path)
            if not in_file:
                raise UserError(f"{path} holds no chaos script: mark one with @script")
            found += in_file
        else:
            raise UserError(f"there is no file or folder {path}")
    names = [s.name for s in found]
    for twice in sorted({n for n in names if names.count(n) > 1}):
        where = ", ".join(s.file for s in found if s.name == twice)
        raise UserError(f"two scripts are named {twice} ({where}): give each a name of its own")
    return found


def scripts_of(file: Path) -> list[Script]:
    module_name = f"shaketable_scripts.{file.stem}_{abs(hash(str(file.resolve())))}"
    spec = importlib.util.spec_from_file_location(module_name, file)
    if spec is None or spec.loader is None:
        raise UserError(f"{file} is no Python file: a chaos script ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        raise UserError(f"{file}:{error.lineno}: {error.msg}: the script cannot be read") from None
    except Exception as error:
        line = _line_in(file, error)
        raise UserError(f"{file}{line}: {type(error).__name__}: {error}: the script cannot be loaded") from None
    found = [value for value in vars(module).values() if isinstance(value, Script)]
    mine = [s for s in found if Path(s.file).resolve() == file.resolve()]
    return sorted(mine, key=lambda s: s.body.__code__.co_firstlineno)


def _line_in(file: Path, error: BaseException) -> str:
    line, traceback = "", error.__traceback__
    while traceback is not None:
        if Path(traceback.tb_frame.f_code.co_filename) == file:
            line = f":{traceback.tb_lineno}"
        traceback = traceback.tb_next
    return line
