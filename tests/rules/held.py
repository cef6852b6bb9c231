"""The proof of a row on a page of rules: the change that takes its rule out of the core, and makes its scripts red.

The files of tests/data/rules/ say it, one for each page. An entry has the row's rule, and one of these:

- changes: `in: FILE` and below it lines of that file. Those that begin with `-` go, those with `+` come in their place,
  others stay and tell where it is. The lines that stood there before stand there once.
- `member: FILE.CLASS`: a member that breaks the rule, of tests/planted/ or of node/legacy/. Where the rule is a legacy
  fault, `ClusterMember` or `GroupMember` is without it.
- `why not: REASON`: the rule cannot be taken out so, or no run of its scripts could show it.

`scripts: NAME ...` says for which scripts of the row the entry is; without it, for all of them. `seeds: N ...` are
those that are played; usually 1 alone."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import msgspec
from tests.mutants.mutants import Mutant, edited
from tests.where import DATA, ROOT

from shaketable.node.cluster.member import ClusterMember
from shaketable.node.gms import GroupMember
from shaketable.node.nodes import MakeMember

PAGES: Final = sorted((ROOT / "docs").glob("*-rules.md"))
USUAL_SEEDS: Final = (1,)


def rules(page: Path) -> list[list[str]]:
    """The rows of all tables: the rule, and in what follows the names of code, stories and scripts."""
    rows = [line.strip("|").split("|") for line in page.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    return [[cell.strip() for cell in row] for row in rows if row[0].strip() not in ("rule", "---")]


def names(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


class Change(msgspec.Struct, frozen=True):
    file: str
    before: Sequence[str]
    after: Sequence[str]

    def put_into(self, source: str) -> str:
        lines, size = source.splitlines(), len(self.before)
        places = [place for place in range(len(lines)) if _begins(lines[place : place + size], self.before)]
        assert len(places) == 1, f"{self.file}: this stands there {len(places)} times: {self.before}"
        (place,) = places
        indent = _indent(lines[place])
        new = [f"{indent}{line}" for line in self.after]
        return "\n".join([*lines[:place], *new, *lines[place + size :], ""])


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _begins(lines: Sequence[str], shown: Sequence[str]) -> bool:
    indent = _indent(lines[0])
    return list(lines) == [f"{indent}{line}" for line in shown]


class Entry(msgspec.Struct, frozen=True):
    rule: str
    scripts: Sequence[str]
    """empty: all of the row"""
    changes: Sequence[Change]
    member: str
    why_not: str
    seeds: Sequence[int]

    def mutants(self) -> list[Mutant]:
        """The changes of one file are made together."""
        found = []
        for file in dict.fromkeys(change.file for change in self.changes):
            changed = (ROOT / file).read_text(encoding="utf-8")
            for change in self.changes:
                if change.file == file:
                    changed = change.put_into(changed)
            found += edited(file, changed)
        return found

    def make(self) -> MakeMember | None:
        return members()[self.member] if self.member else None


def entries(page: Path) -> list[Entry]:
    file = DATA / "rules" / f"{page.stem.removesuffix('-rules')}.txt"
    return list(_entries(file.read_text(encoding="utf-8")))


def _entries(text: str) -> Iterator[Entry]:
    for part in re.split(r"^rule: ", text, flags=re.MULTILINE)[1:]:
        rule, *lines = [line for line in part.splitlines() if line.strip() and not line.startswith("#")]
        said: dict[str, str] = {}
        changes: list[tuple[str, list[str]]] = []
        for line in lines:
            key, mark, value = line.partition(": ")
            if line[0] in "-+ ":
                changes[-1][1].append(line)
            elif mark and key == "in":
                changes.append((value, []))
            else:
                assert mark, f"this line says nothing: {line}"
                assert key in ("scripts", "member", "why not", "seeds"), line
                assert key not in said, f"twice: {line}"
                said[key] = value
        assert (len(changes) > 0) + ("member" in said) + ("why not" in said) == 1, f"{rule}: one of the three"
        yield Entry(
            rule,
            said.get("scripts", "").split(),
            [_change(file, shown) for file, shown in changes],
            said.get("member", ""),
            said.get("why not", ""),
            [int(seed) for seed in said["seeds"].split()] if "seeds" in said else USUAL_SEEDS,
        )


def _change(file: str, shown: Sequence[str]) -> Change:
    before = [line[2:] for line in shown if line[0] != "+"]
    after = [line[2:] for line in shown if line[0] != "-"]
    first = _indent(before[0])
    return Change(file, *([line.removeprefix(first) for line in lines] for lines in (before, after)))


@cache
def members() -> dict[str, MakeMember]:
    """The broken ones as `file.Class`, and those that are not broken."""
    found: dict[str, MakeMember] = {"ClusterMember": ClusterMember, "GroupMember": GroupMember}
    for folder, package in (("tests/planted", "tests.planted"), ("node/legacy", "shaketable.node.legacy")):
        for path in sorted((ROOT / folder).rglob("*.py")):
            place = path.relative_to(ROOT / folder).with_suffix("")
            module = importlib.import_module(".".join([package, *place.parts]).removesuffix(".__init__"))
            for name, value in vars(module).items():
                if isinstance(value, type) and issubclass(value, ClusterMember | GroupMember):
                    assert found.setdefault(f"{path.stem}.{name}", value) is value, f"two are named {name}"
    return found
