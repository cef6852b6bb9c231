"""The rules of the house that no other tool knows. Each complaint names a file, and says what to do.

Those that need the syntax tree are in test_pure_sources.py."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tests.where import ROOT

PACKAGES = ("node", "harness", "chaos", "tui")
FACE = ".dev/shaketable"
"""what `import shaketable` itself gives, and beside it the links to the four packages, which are in that package"""
SOURCES = (*PACKAGES, FACE)
IN_THE_REPOSITORY = pytest.mark.skipif(
    not (ROOT / ".ci").exists(), reason="a source archive has neither the links nor the scripts of development"
)
MOST_LINES = 400


@cache
def files() -> tuple[str, ...]:
    """What is committed, or would be by `git add .`; without git (a source archive) what lies in our folders."""
    git = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(git, capture_output=True, text=True, check=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        listed = [
            str(path.relative_to(ROOT))
            for top in (*SOURCES, "tests", "docs", "examples", ".ci", ".dev", ".github")
            for path in (ROOT / top).rglob("*")
            if "__pycache__" not in path.parts
        ]
    return tuple(name for name in sorted(listed) if name and (ROOT / name).is_file() and not (ROOT / name).is_symlink())


def modules(*tops: str) -> list[str]:
    return [name for name in files() if name.endswith(".py") and name.startswith(tuple(f"{top}/" for top in tops))]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8", errors="replace")


def none_of(complaints: list[str]) -> None:
    assert not complaints, "\n" + "\n".join(complaints)


@IN_THE_REPOSITORY
@pytest.mark.parametrize("name", PACKAGES)
def test_the_link_that_gives_a_folder_its_import_name_is_there_and_relative(name: str) -> None:
    link = ROOT / FACE / name
    assert link.is_symlink(), f"{link} must be a symbolic link: git checkout it, with core.symlinks on"
    assert str(link.readlink()) == f"../../{name}"


def test_no_two_files_of_tests_have_one_name() -> None:
    """pytest takes the second for the first, and collects it not at all."""
    tests = [name for name in modules("tests") if Path(name).name.startswith("test_")]
    names = [Path(name).name for name in tests]
    none_of([f"{each}: another file of tests has that name, give it one of its own" for each in tests
             if names.count(Path(each).name) > 1])  # fmt: skip


def mirrors(folder: str) -> bool:
    """Of tests: what it holds the tests of is there. `real`: those that drive processes and terminals, one by one."""
    if not folder.startswith(tuple(f"tests/{top}" for top in PACKAGES)):
        return False
    path = Path(folder).relative_to("tests")
    return path.name == "real" or (ROOT / path).is_dir() or (ROOT / path).with_suffix(".py").is_file()


def test_the_tests_mirror_the_tree() -> None:
    folders = {str(Path(name).parent) for name in modules(*(f"tests/{top}" for top in PACKAGES))}
    odd = [folder for folder in sorted(folders) if not mirrors(folder)]
    none_of([f"{folder}: there is no {folder.removeprefix('tests/')} that it could be the tests of" for folder in odd])


@IN_THE_REPOSITORY
def test_nothing_else_has_an_import_name() -> None:
    here = {path.name for path in (ROOT / FACE).iterdir()} - {"__pycache__"}
    assert here == {*PACKAGES, "__init__.py", "__main__.py", "py.typed"}


@pytest.mark.parametrize("name", SOURCES)
def test_every_package_says_that_it_is_typed(name: str) -> None:
    assert f"{name}/py.typed" in files()


def test_every_folder_of_modules_is_a_package() -> None:
    folders = {str(Path(name).parent) for name in modules(*SOURCES)}
    none_of(
        [f"{folder}: add an empty __init__.py" for folder in sorted(folders) if f"{folder}/__init__.py" not in files()]
    )


def test_a_module_is_short() -> None:
    lengths = {name: text(name).count("\n") for name in modules(*SOURCES, "tests")}
    none_of([f"{name}: {lines} lines, split it in two ideas" for name, lines in lengths.items() if lines > MOST_LINES])


def test_a_module_opens_by_saying_what_it_is_for() -> None:
    sources = {name: text(name) for name in modules(*SOURCES, "tests")}
    mute = [name for name, source in sources.items() if not source.startswith('"""') and _mute(source)]
    none_of([f"{name}:1: open with two or three lines of docstring" for name in mute])


def _mute(source: str) -> bool:
    module = ast.parse(source)
    return bool(module.body) and not ast.get_docstring(module)


ON_ONE_MACHINE = re.compile(r"(?<![\w./~}-])/(?:" + "|".join(("root", "work", "home", "Users")) + r")\b(?!-)")


def test_no_file_names_a_path_of_somebody_s_machine() -> None:
    none_of(
        [
            f"{name}:{number}: {found.group()} is a path of one machine"
            for name in files()
            for number, line in enumerate(text(name).splitlines(), 1)
            if (found := ON_ONE_MACHINE.search(line))
        ]
    )


def test_a_path_of_somebody_s_machine_is_seen() -> None:
    for line in ("cd {}root/x", "'{}home/me'", "={}work", "({}Users/me)"):
        assert ON_ONE_MACHINE.search(line.format("/"))
    for line in ("https://example.org{}work", "at{}home", "~{}work", "{}homework"):
        assert not ON_ONE_MACHINE.search(line.format("/"))


def test_the_changelog_knows_the_version() -> None:
    headings = re.findall(r"^## \[(.+?)\]", text("CHANGELOG.md"), re.MULTILINE)
    version = tomllib.loads(text("pyproject.toml"))["project"]["version"]
    expected = "Unreleased" if "dev" in version else version
    assert expected in headings, f"CHANGELOG.md has no '## [{expected}]' for version {version}"


def test_the_lock_file_holds_every_dependency_within_its_bounds() -> None:
    locked = dict(re.findall(r"^([\w.-]+)==([\w.!+]+)", text("requirements.lock"), re.MULTILINE))
    table = tomllib.loads(text("pyproject.toml"))["project"]
    wanted = [Requirement(line) for line in table["dependencies"] + table["optional-dependencies"]["dev"]]
    none_of(
        [
            f"requirements.lock: {need} is not met by {locked.get(canonicalize_name(need.name))}, run make lock"
            for need in wanted
            if not need.specifier.contains(locked.get(canonicalize_name(need.name), "0"), prereleases=True)
        ]
    )


def test_the_lock_file_names_no_address() -> None:
    lines = enumerate(text("requirements.lock").splitlines(), 1)
    none_of(
        [f"requirements.lock:{number}: {line}" for number, line in lines if re.search(r"://|--index|--find|@ ", line)]
    )


@IN_THE_REPOSITORY
def test_the_build_server_keeps_the_toxiproxy_server_that_we_build() -> None:
    (version,) = re.findall(r"TOXIPROXY_VERSION: v?([\d.]+)", text(".github/workflows/ci.yml"))
    builders = [name for name in modules("harness/worlds/real") if version in text(name)]
    assert builders, (
        f"ci.yml keeps Toxiproxy {version} in its cache, and nothing in harness/worlds/real builds that version"
    )


@IN_THE_REPOSITORY
def test_the_build_script_can_be_run() -> None:
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def named_in(document: str) -> set[str]:
    """Files by their ending, folders by a slash at the end; not what a run makes, and no patterns."""
    ours = tuple(f"{top}/" for top in (*SOURCES, "tests", "docs", "examples", ".ci", ".dev", ".github"))
    sources = set(re.findall(r"(?<![\w./<*-])(?:[\w.-]+/)*[\w-]+\.(?:py|toml|lock|sh|tcss|yml)\b", document))
    below = set(re.findall(r"(?<![\w./<*-])(?:[\w.-]+/)+(?:[\w-]+\.\w+)?(?![\w<*{-])", document))
    return sources | {path for path in below if path.startswith(ours)}


@IN_THE_REPOSITORY
def test_the_tour_of_the_tree_names_only_what_is_there() -> None:
    tour = "docs/whats-here.md"
    here = {f"/{name}" for name in files()} | {f"/{folder}/" for name in files() for folder in Path(name).parents}
    named = named_in(text(tour))
    assert named, f"{tour} names nothing"
    gone = [name for name in sorted(named) if not any(path.endswith(f"/{name}") for path in here)]
    none_of([f"{tour}: {name} is not there" for name in gone])


def test_what_a_tour_names_is_seen() -> None:
    document = (
        "`node/nodes.py` and env.py in node/core/; docs/a.md, out/report.md, shaketable run chaos/, tests/*.py, x/"
    )
    assert named_in(document) == {"node/nodes.py", "env.py", "node/core/", "docs/a.md", "chaos/"}
