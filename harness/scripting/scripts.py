"""Chaos scripts as data: the decorator that makes one, and how files of them are loaded."""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
import warnings
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any, Final, overload

from shaketable.harness.checks.registry import CHECK_NAMES, check_own
from shaketable.harness.errors import ScriptError, UserError, reason_of
from shaketable.harness.otherwise import OTHERWISE
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.reins import reined
from shaketable.harness.scripting.verbs.base import named_values
from shaketable.harness.scripting.whereabouts import MODULE_OF_SCRIPTS
from shaketable.harness.visible import whole
from shaketable.node.config import PRESETS, SettingError, Settings

Body = Callable[[Cluster], Coroutine[Any, Any, None]]
Values = Mapping[str, object]
"""settings by their outside names"""
WORLDS: Final = ("real", "sim")
_LIST_OF_SCRIPTS: Final = re.compile(rb"^SCRIPTS\b[^=\n]*=", re.MULTILINE)
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")
"""of a script: it is typed in commands, and names a folder"""


@dataclass(frozen=True, slots=True)
class Script:
    """One script. `about` names the checks that must have seen something. If one has not, the verdict is unknown."""

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
    unless: tuple[str, ...] = ()
    """what a system may do otherwise than ours, and then cannot play it"""

    def why_not_in(self, world: str) -> str:
        """Empty: it can be run there."""
        return "" if world in self.worlds else f"it is for the {' and '.join(self.worlds)} world alone"


@overload
def script(body: Body, /) -> Script: ...


@overload
def script(
    *,
    about: Iterable[str] = (),
    expects_violation: str | None = None,
    broken_too: Iterable[str] = (),
    settings: Values | Callable[[Settings], Values] | None = None,
    worlds: Iterable[str] = WORLDS,
    unless: Iterable[str] = (),
    name: str = "",
    title: str = "",
) -> Callable[[Body], Script]: ...


def script(
    body: Body | None = None,
    /,
    *,
    about: Iterable[str] = (),
    expects_violation: str | None = None,
    broken_too: Iterable[str] = (),
    settings: Values | Callable[[Settings], Values] | None = None,
    worlds: Iterable[str] = WORLDS,
    unless: Iterable[str] = (),
    name: str = "",
    title: str = "",
) -> Script | Callable[[Body], Script]:
    """Makes a chaos script of a coroutine function: `@script`, or `@script(about=...)`. The title is the docstring's
    first line, if none is given. `about` names the checks that must have seen something; if one has not, the verdict is
    unknown.

    One body can be many scripts, each with a `name` (blanks and commas become dashes). Scripts of a list count like
    decorated ones: `SCRIPTS = [script(about=..., name=f"lost {kind}")(losing(kind)) for kind in KINDS]`.

    With `expects_violation` the script passes if that check is broken, with the checks of `broken_too`, which cannot
    hold then, and no other check is. Checks of one's own may be named too, if `settings` has them in `own_checks`.
    `settings` may be a function that is given the run's settings and returns what differs.

    `unless` names what a system may do otherwise than ours, by `cluster.under_test`: with one that does, the script is
    left out."""
    if body is not None and not callable(body):
        raise ScriptError(f"script is given everything by name, as about={body!r:.60}")
    named, with_it = _names("about", about), _names("broken_too", broken_too)
    if with_it and expects_violation is None:
        raise ScriptError(f"broken_too = {with_it!r}: with which violation? Name it as expects_violation")
    if expects_violation in with_it:
        raise ScriptError(f"broken_too = {with_it!r}: {expects_violation} is the expected violation itself")
    where = _names("worlds", worlds)
    if not where or not set(where) <= set(WORLDS):
        raise ScriptError(f"worlds = {worlds!r}: give one or both of {', '.join(WORLDS)}")
    otherwise = _names("unless", unless)
    if not set(otherwise) <= set(OTHERWISE):
        raise ScriptError(f"unless = {unless!r}: give some of {', '.join(OTHERWISE)}")
    if not isinstance(title, str):
        raise ScriptError(f"title = {title!r}: give a sentence")
    as_typed = "-".join(re.split(r"[\s_,:]+", name)) if isinstance(name, str) else ""
    if name != "" and not _NAME.fullmatch(as_typed):
        raise ScriptError(f"name = {name!r}: give letters, digits, blanks and dashes, and a letter or a digit first")
    own = {} if settings is None else settings
    for preset in PRESETS.values():
        try:
            settled = preset.with_values(own_settings(own, preset))
            checks = (*CHECK_NAMES, *check_own(settled.own_checks))
        except SettingError as error:
            raise ScriptError(str(error)) from None
        for check in (*named, expects_violation, *with_it):
            if check is not None and check not in checks:
                close = get_close_matches(check, checks, 1, 0.85)
                instead = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(checks)}"
                raise ScriptError(f"there is no check {check!r}; {instead}")

    def decorate(body: Body) -> Script:
        called = getattr(body, "__name__", str(body))
        if not inspect.iscoroutinefunction(body):
            raise ScriptError(f"{called} is no chaos script: it must be an async def without yield")
        if len(inspect.signature(body).parameters) != 1:
            raise ScriptError(f"{called} takes one argument, the cluster, and no other")
        said = whole(title or (inspect.getdoc(body) or called).splitlines()[0])
        values = own if callable(own) else dict(own)
        file = body.__code__.co_filename
        return Script(
            as_typed or called.replace("_", "-"),
            said,
            file,
            body,
            named,
            expects_violation,
            with_it,
            values,
            worlds=where,
            unless=otherwise,
        )

    return decorate if body is None else decorate(body)


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


class HoldsNone(UserError):
    """A file or folder without a chaos script."""


def load_scripts(paths: Iterable[Path]) -> list[Script]:
    """All scripts of these files and folders, each once, in the order of the files' names and then of the lines."""
    found: dict[tuple[str, str], Script] = {}
    for path in paths:
        if not there_is(path):
            raise UserError(f"there is no file or folder {path}")
        own = [s for file in _files_below(path) for s in scripts_of(file)] if path.is_dir() else scripts_of(path)
        if not own:
            what = "give a file or a folder with functions marked @script" if path.is_dir() else "mark one with @script"
            raise HoldsNone(f"{path} holds no chaos script: {what}")
        for script in own:
            found.setdefault((script.file, script.name), script)
    refuse_equal_names(found.values())
    return list(found.values())


def there_is(path: Path) -> bool:
    try:
        return path.exists()
    except OSError as error:
        raise UserError(f"this cannot be read ({reason_of(error)}): {path}") from None


def refuse_equal_names(scripts: Iterable[Script]) -> None:
    files: dict[str, list[str]] = {}
    for script in scripts:
        files.setdefault(script.name, []).append(script.file)
    for name, where in sorted(files.items()):
        if len(where) > 1:
            files_once = ", ".join(dict.fromkeys(where))
            raise UserError(f"two scripts are named {name} ({files_once}): give each a name of its own")


def may_hold_scripts(file: Path) -> bool:
    """Only the files of a folder that look like it are imported: no tests, no helpers, nobody's setup.py."""
    if file.suffix != ".py" or file.name.startswith(("_", "test_", "conftest")):
        return False
    try:
        text = file.read_bytes()
        return b"@script" in text or (b"shaketable" in text and _LIST_OF_SCRIPTS.search(text) is not None)
    except OSError:
        return True  # importing it will say what is wrong


def _files_below(folder: Path) -> list[Path]:
    """No hidden ones, and none of an environment's packages."""
    environments = {file.parent for file in folder.rglob("pyvenv.cfg")}

    def left_out(file: Path) -> bool:
        inside = file.relative_to(folder).parts
        return any(part.startswith((".", "__pycache__")) or part == "site-packages" for part in inside) or (
            not environments.isdisjoint(file.parents)
        )

    return [file for file in sorted(folder.rglob("*.py")) if not left_out(file) and may_hold_scripts(file)]


def scripts_of(file: Path) -> list[Script]:
    given, file = file, file.resolve()
    if (named := str(file)) != whole(named):
        raise UserError(f"{whole(named)} cannot be told of: its name is no UTF-8; give it another one")
    # The name may be seen in what a script says, and that in a history: neither chance nor the machine may be in it.
    module_name, others = f"{MODULE_OF_SCRIPTS}.{file.stem}", 0
    while (other := sys.modules.get(module_name)) is not None and other.__file__ != str(file):
        others += 1
        module_name = f"{MODULE_OF_SCRIPTS}.{file.stem}_{others}"
    if not sys.warnoptions:  # else Python would not tell a script's author that a name of ours has another one now
        warnings.filterwarnings("default", category=DeprecationWarning, module=MODULE_OF_SCRIPTS)
    spec = importlib.util.spec_from_file_location(module_name, file)
    if spec is None or spec.loader is None:
        raise UserError(f"{given} is no Python file: a chaos script ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    in_threads: list[BaseException] = []
    try:
        with reined(in_threads):
            spec.loader.exec_module(module)
        if in_threads:
            raise in_threads[0]
    except SyntaxError as error:
        where = f"{error.filename if error.filename not in (None, str(file)) else given}:{error.lineno}"
        raise UserError(f"{where}: the script cannot be read: {error.msg}") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if isinstance(error, OSError) and error.filename == str(file):
            raise UserError(f"{given} cannot be read: {reason_of(error)}") from None
        said = " ".join(str(error).split())
        if not isinstance(error, UserError):
            kind = type(error).__name__
            said = f"the script cannot be loaded: {kind}: {said}" if said else f"the script cannot be loaded: {kind}"
        raise UserError(f"{given}{_line_in(file, error)}: {said}") from None
    own = {id(s): s for s in _scripts_in(vars(module).values()) if Path(s.file).resolve() == file}
    listed = [replace(s, file=str(file)) for s in _listed(given, module) if id(s) not in own]
    mine = [*sorted(own.values(), key=lambda s: s.body.__code__.co_firstlineno), *listed]
    refuse_equal_names(mine)
    return mine


def _scripts_in(values: Iterable[object]) -> Iterator[Script]:
    """Those that are marked, and those of the lists that a mark has made."""
    for value in values:
        if isinstance(value, Script):
            yield value
        elif isinstance(value, list | tuple):
            yield from (each for each in value if isinstance(each, Script))


def _listed(given: Path, module: ModuleType) -> Sequence[Script]:
    """Those of the list `SCRIPTS` belong to its file, whoever made their bodies."""
    listed = getattr(module, "SCRIPTS", ())
    odd = [each for each in listed if not isinstance(each, Script)] if isinstance(listed, list | tuple) else [listed]
    if odd:
        raise UserError(
            f"{given}: SCRIPTS is a list of scripts, each as script(...)(body) makes it, and has {odd[0]!r:.60}"
        )
    return listed


def _line_in(file: Path, error: BaseException) -> str:
    line, traceback = "", error.__traceback__
    while traceback is not None:
        if Path(traceback.tb_frame.f_code.co_filename) == file:
            line = f":{traceback.tb_lineno}"
        traceback = traceback.tb_next
    return line
