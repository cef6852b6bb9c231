"""The table of faults is whole: each row says what it does, has its verb and its acts, and is in the pages of docs/."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest
from tests.conftest import AsWritten
from tests.harness.faults.fault_tables import TABLES, made_anew
from tests.where import ROOT

from shaketable.harness.faults import table
from shaketable.harness.faults.kinds import KINDS, kinds_told
from shaketable.harness.faults.verb import NODE, PARTS, Fault, FaultKind, Sign
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.worlds.real import acts as real
from shaketable.harness.worlds.sim import acts as simulated

WHOM = {"a", "b", "name", "groups", "sender", "to"}
BESIDE = {"perhaps", "wait", "where", "slices"}
"""what a method takes that is no value of the row"""
ROWS = ("harness/faults/link_kinds.py", "harness/faults/node_kinds.py")
ACTS = ("harness/worlds/real/", "node/shaking/")
COMMON = {"pause", "load", "kill", "restart", "leave", "delay", "split", "hold"}
"""words that are other things too: a client's pause, the load of a page, a split that has healed"""


@pytest.mark.parametrize("page", TABLES, ids=lambda page: page.stem)
def test_a_page_shows_the_table(page: Path, as_written: AsWritten) -> None:
    as_written(page, made_anew(page.read_text(encoding="utf-8"), *TABLES[page]))


@pytest.mark.parametrize("left_out", ["effect", "of", "sentence", "sign", "marks", "real", "simulated"])
def test_a_row_that_leaves_out_what_its_fault_does_is_refused(left_out: str) -> None:
    whole = {"of": NODE, "effect": KINDS["drop"].effect, "sentence": "", "sign": Sign(0, "", ""), "marks": {}}
    whole |= {"real": "", "simulated": ""}
    FaultKind(verb="some", **whole)  # type: ignore[arg-type]
    del whole[left_out]
    with pytest.raises(TypeError, match=left_out):
        FaultKind(verb="some", **whole)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [kind for kind in KINDS.values() if kind.make is None], ids=lambda kind: kind.verb)
def test_a_verb_takes_what_its_row_says(kind: FaultKind) -> None:
    taken = inspect.signature(getattr(Cluster, kind.verb)).parameters
    assert set(taken) - {"self"} - WHOM - BESIDE == set(kind.by_name())
    assert ("perhaps" in taken) == bool(kind.comes_upon)
    assert ("groups" in taken) == (kind.of == PARTS)


def test_each_class_of_faults_has_its_act_in_each_world() -> None:
    bases = (Fault, table.NodeFault, table.OnLinks)
    classes = {each for each in vars(table).values() if isinstance(each, type) and issubclass(each, Fault)} - {*bases}
    assert set(simulated.ACTS) == set(real.ACTS) == classes


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.verb)
def test_a_history_names_a_fault_and_what_it_is_made_of(kind: FaultKind) -> None:
    assert kinds_told((kind.verb,)) == (kind, kind)
    for by in kind.by:
        assert kinds_told((kind.verb, by.verb)) == (kind, by)


def test_what_is_not_known_proves_nothing() -> None:
    (kind, act) = kinds_told(("melt",))
    assert kind is act
    assert kind.shifts
    assert kind.spoils_own_times
    assert not kind.bounded


def test_the_name_of_a_verb_is_spelled_in_its_row_alone() -> None:
    names = {name for kind in KINDS.values() for name in (kind.verb, kind.spoken)} - COMMON
    spelled = [
        f"{file.relative_to(ROOT)}:{node.lineno}: {node.value!r}"
        for top in ("harness", "node", "tui")
        for file in sorted((ROOT / top).rglob("*.py"))
        if not str(file.relative_to(ROOT)).startswith((*ROWS, *ACTS))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value in names
    ]
    assert spelled == []
