"""What a user names on the command line becomes scripts: a folder, a file, FILE.py::NAME, or a name of ours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from shaketable.harness.errors import UserError
from shaketable.harness.folders import here
from shaketable.harness.scripting.scripts import Body, HoldsNone, Script, load_scripts, refuse_equal_names, there_is

MOST_NAMES: Final = 3
"""of those that may have been meant"""


def scripts_named(targets: Iterable[str]) -> list[Script]:
    """Each once, in the order in which they are named."""
    found: dict[tuple[str, str], Script] = {}
    for target in targets:
        path, _, name = target.partition("::")
        if not path:
            raise UserError(f"PATH is {target!r}: give a folder, a file, FILE.py::NAME, or the name of a script")
        if there_is(Path(path)) or name or path.endswith(".py"):
            scripts = _loaded(path)
        else:
            scripts, name = scripts_of_ours(), path
        name = name.replace("_", "-")  # as it is written in the file will do
        chosen = [s for s in scripts if not name or s.name == name]
        if not chosen:
            where = f"in {path}" if "::" in target else "here, and no script of shaketable has this name"
            listed = f"shaketable run --list{f' {path}' if '::' in target else ''}"
            raise UserError(f"there is no {name} {where};{_meant(name, scripts)} `{listed}` lists them all")
        for script in chosen:
            found.setdefault((script.file, script.name), script)
    refuse_equal_names(found.values())
    return list(found.values())


def script_named(target: str) -> Script:
    """The one that is meant."""
    scripts = scripts_named([target])
    if len(scripts) > 1:
        names = ", ".join(script.name for script in scripts[:6])
        raise UserError(f"{target} holds {len(scripts)} scripts ({names} …): name one, FILE.py::NAME")
    return scripts[0]


def story(target: str) -> Body:
    """The body of a script, for another one that does the same: FILE.py::NAME, or the name of one of ours."""
    return script_named(target).body


def _loaded(path: str) -> Sequence[Script]:
    """A folder stands before a script of ours that is called alike. If it holds none, that may be meant."""
    try:
        return load_scripts([Path(path)])
    except HoldsNone as none:
        ours = [script for script in scripts_of_ours() if script.name == path.replace("_", "-")]
        if not ours:
            raise
        instead = f"to run the script {path} that comes with shaketable, give {target_of(ours[0])}"
        raise UserError(f"{none}; {instead}") from None


def _meant(name: str, scripts: Iterable[Script]) -> str:
    """The few that are spelled alike, or begin alike."""
    names = [script.name for script in scripts]
    close = get_close_matches(name, names, MOST_NAMES) or [n for n in names if n.startswith(name)][:MOST_NAMES]
    return f" did you mean {' or '.join(close)}?" if close else ""


@cache
def scripts_of_ours() -> Sequence[Script]:
    """The scripts that come with shaketable. By name, at run time: the harness does not import chaos."""
    spec = find_spec("shaketable.chaos")
    if spec is None or spec.submodule_search_locations is None:
        return ()
    return tuple(load_scripts([Path(next(iter(spec.submodule_search_locations)))]))


def target_of(script: Script) -> str:
    """What to type here to run just this script again."""
    return f"{_from_here(script.file, here())}::{script.twin_of or script.name}"


@cache
def _from_here(file: str, here: str) -> Path:
    path = Path(file).resolve()
    return path.relative_to(here) if path.is_relative_to(here) else path
