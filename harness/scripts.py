"""Chaos scripts as data: the decorator that makes one, and how files of them are loaded."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from shaketable.harness.checks.registry import CHECK_NAMES
from shaketable.harness.cluster import Cluster
from shaketable.harness.errors import ScriptError, UserError
from shaketable.harness.scripting.verbs.base import named_values
from shaketable.node.config import PRESETS, SettingError, Settings

Body = Callable[[Cluster], Coroutine[Any, Any, None]]
Values = Mapping[str, object]
"""settings by their outside names"""
WORLDS: Final = ("real", "sim")


@dataclass(frozen=True, slots=True)
class Script:
    """One story. `about` names the checks that must have seen something, or the verdict is unknown."""

    name: str
    title: str
    file: str
    body: Body
    about: tuple[str, ...] = ()
    expects_violation: str | None = None
    broken_too: tuple[str, ...] = ()
    """the checks that cannot hold where that one is broken"""
    settings: Values | Callable[[Settings], Values] = field(default_factory=dict)
    """where they differ from the run's own: named, or computed of those"""
    twin_of: str = ""
    """the script whose quiet twin this is"""
    worlds: tuple[str, ...] = WORLDS
    """where it can be run"""

    def why_not_in(self, world: str) -> str:
        """Empty: it can be run there."""
        return "" if world in self.worlds else f"it is for the {' and '.join(self.worlds)} world alone"


def script(
    *,
    about: Iterable[str],
    expects_violation: str | None = None,
    broken_too: Iterable[str] = (),
    settings: Values | Callable[[Settings], Values] | None = None,
    worlds: Iterable[str] = WORLDS,
) -> Callable[[Body], Script]:
    """Makes a coroutine function a chaos script. Its docstring's first line is its title.

    It passes if the check of `expects_violation` is broken, and `broken_too`, which cannot hold then, and no other.
    `settings` may be computed of those of the run, where a script needs a ratio: a lambda that is given them and
    returns what differs."""
    named, with_it = _names("about", about), _names("broken_too", broken_too)
    if with_it and expects_violation is None:
        raise ScriptError(f"broken_too = {with_it!r}: with which violation? Name it as expects_violation")
    if expects_violation in with_it:
        raise ScriptError(f"broken_too = {with_it!r}: {expects_violation} is the expected violation itself")
    for name in (*named, expects_violation, *with_it):
        if name is not None and name not in CHECK_NAMES:
            raise ScriptError(f"there is no check {name!r}; there are {', '.join(CHECK_NAMES)}")
    where = _names("worlds", worlds)
    if not where or not set(where) <= set(WORLDS):
        raise ScriptError(f"worlds = {worlds!r}: give one or both of {', '.join(WORLDS)}")
    own = {} if settings is None else settings
    for preset in PRESETS.values():
        try:
            preset.with_values(own_settings(own, preset))
        except SettingError as error:
            raise ScriptError(str(error)) from None

    def decorate(body: Body) -> Script:
        called = getattr(body, "__name__", str(body))
        if not inspect.iscoroutinefunction(body):
            raise ScriptError(f"{called} is no chaos script: it must be an async def without yield")
        if len(inspect.signature(body).parameters) != 1:
            raise ScriptError(f"{called} takes one argument, the cluster, and no other")
        title = (inspect.getdoc(body) or called).splitlines()[0]
        name = called.replace("_", "-")
        values = own if callable(own) else dict(own)
        file = body.__code__.co_filename
        return Script(name, title, file, body, named, expects_violation, with_it, values, worlds=where)

    return decorate


def own_settings(settings: Values | Callable[[Settings], Values], of_the_run: Settings) -> Values:
    """A script's own settings, computed of the run's where it says how."""
    values: object = settings(of_the_run) if callable(settings) else settings
    return named_values("settings, computed of the run's" if callable(settings) else "settings", values)


def _names(what: str, given: object) -> tuple[str, ...]:
    """One name alone will do for a list of names."""
    names = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, Iterable) else None
    if names is None or not all(isinstance(name, str) for name in names):
        raise ScriptError(f"{what} = {given!r}: give a name or a list of names")
    return names


def load_scripts(paths: Iterable[Path]) -> list[Script]:
    """All scripts of these files and folders, each once, in the order of the files' names and then of the lines."""
    found: dict[tuple[str, str], Script] = {}
    for path in paths:
        if not path.exists():
            raise UserError(f"there is no file or folder {path}")
        own = [s for file in _files_below(path) for s in scripts_of(file)] if path.is_dir() else scripts_of(path)
        if not own:
            what = "give a file or a folder with functions marked @script" if path.is_dir() else "mark one with @script"
            raise UserError(f"{path} holds no chaos script: {what}")
        for script in own:
            found.setdefault((script.file, script.name), script)
    refuse_equal_names(found.values())
    return list(found.values())


def refuse_equal_names(scripts: Iterable[Script]) -> None:
    files: dict[str, list[str]] = {}
    for script in scripts:
        files.setdefault(script.name, []).append(script.file)
    for name, where in sorted(files.items()):
        if len(where) > 1:
            raise UserError(f"two scripts are named {name} ({', '.join(where)}): give each a name of its own")


def may_hold_scripts(file: Path) -> bool:
    """Of a folder's files only those are imported that look like it: no tests, no helpers, nobody's setup.py."""
    if file.suffix != ".py" or file.name.startswith(("_", "test_", "conftest")):
        return False
    try:
        return b"@script" in file.read_bytes()
    except OSError:
        return True  # importing it will say what is wrong


def _files_below(folder: Path) -> list[Path]:
    def hidden(file: Path) -> bool:
        return any(part.startswith((".", "__pycache__")) for part in file.relative_to(folder).parts)

    return [file for file in sorted(folder.rglob("*.py")) if not hidden(file) and may_hold_scripts(file)]


def scripts_of(file: Path) -> list[Script]:
    given, file = file, file.resolve()
    # The name may be seen in what a script says, and that in a history: neither chance nor the machine may be in it.
    module_name, others = f"shaketable_scripts.{file.stem}", 0
    while (other := sys.modules.get(module_name)) is not None and other.__file__ != str(file):
        others += 1
        module_name = f"shaketable_scripts.{file.stem}_{others}"
    spec = importlib.util.spec_from_file_location(module_name, file)
    if spec is None or spec.loader is None:
        raise UserError(f"{given} is no Python file: a chaos script ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        where = f"{error.filename if error.filename not in (None, str(file)) else given}:{error.lineno}"
        raise UserError(f"{where}: {error.msg}: the script cannot be read") from None
    except (Exception, SystemExit) as error:
        kind = "" if isinstance(error, UserError) else f"{type(error).__name__}: "
        said = " ".join(str(error).split())
        raise UserError(f"{given}{_line_in(file, error)}: {kind}{said}: the script cannot be loaded") from None
    mine = [s for s in vars(module).values() if isinstance(s, Script) and Path(s.file).resolve() == file]
    return sorted({s.name: s for s in mine}.values(), key=lambda s: s.body.__code__.co_firstlineno)


def _line_in(file: Path, error: BaseException) -> str:
    line, traceback = "", error.__traceback__
    while traceback is not None:
        if Path(traceback.tb_frame.f_code.co_filename) == file:
            line = f":{traceback.tb_lineno}"
        traceback = traceback.tb_next
    return line
