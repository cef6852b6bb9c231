"""A wire that is swapped or forgotten is no secret: mypy says so, for parts are taken by name and by type."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import random
import re
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from mypy import api
from tests.where import ROOT

from shaketable.node import cluster, gms, messages
from shaketable.node.cluster.member import ClusterMember
from shaketable.node.cluster.partitions import Partitions
from shaketable.node.cluster.recovery import SplitBrainRecovery
from shaketable.node.config import FAST
from shaketable.node.core.env import Env

WRONG = """\
from collections.abc import Callable, Sequence

from shaketable.node.cluster.disconnection import PartialDisconnection
from shaketable.node.cluster.partition.promoting import Promoting
from shaketable.node.cluster.partition.state import PartitionState
from shaketable.node.cluster.partition.store import MapStore
from shaketable.node.cluster.partition.streams import Streams
from shaketable.node.cluster.partitions import Partitions
from shaketable.node.cluster.service.admission import Admission
from shaketable.node.cluster.service.batches import JoinBatches
from shaketable.node.cluster.service.detector import FailureDetector
from shaketable.node.cluster.service.links import Links
from shaketable.node.cluster.service.mastership import Mastership
from shaketable.node.cluster.service.stale_joins import StaleJoins
from shaketable.node.cluster.service.suspicion import Suspicion
from shaketable.node.cluster.service.updates import Updates
from shaketable.node.cluster.service.views import Membership


def joining(ms: Membership, ls: Links, st: StaleJoins, ba: JoinBatches, up: Updates, su: Suspicion) -> None:
    Admission(ms, links=ls, stale_joins=st, batches=ba, updates=up, suspicion=su)
    Admission(ms, links=st, stale_joins=ls, batches=ba, updates=up, suspicion=su)  # swapped
    Admission(ms, links=ls, stale_joins=st, batches=ba, suspicion=su)  # forgotten
    Admission(ms, ls, st, ba, up, su)  # not named


def suspecting(ms: Membership, ls: Links, de: FailureDetector, up: Updates, ma: Mastership, pa: Partitions) -> None:
    Suspicion(ms, links=ls, detector=de, updates=up, mastership=ma)
    Suspicion(ms, links=ls, detector=de, mastership=ma)  # forgotten: what removes
    PartialDisconnection(ms, detector=de, updates=up, partitions=pa)
    PartialDisconnection(ms, detector=de, updates=pa, partitions=up)  # swapped, one of them a protocol


def promoting(
    state: PartitionState, ma: MapStore, st: Streams, serve: Callable[[Sequence[int]], None], look: Callable[[], None]
) -> None:
    Promoting(state, store=ma, streams=st, serve=serve, look=look)
    Promoting(state, store=ma, streams=st, serve=look, look=serve)  # swapped, both of them callables
    Membership(state.env, state.settings, state.membership.me)  # forgotten: who hears of a new list
"""


def test_mypy_tells_of_each_wire_that_is_swapped_or_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "wrongly_wired.py"
    file.write_text(WRONG)
    monkeypatch.chdir(ROOT)
    out, err, _ = api.run([str(file), "--no-error-summary", "--no-color-output"])
    # By its name alone: what mypy keeps of an earlier run it tells with the folder of that one.
    said = {int(line) for line in re.findall(rf"{file.name}:(\d+): error:", out)}
    wrong = [number for number, line in enumerate(WRONG.splitlines(), 1) if "  # " in line]
    assert (sorted(said), err) == (wrong, ""), out


def parts() -> Iterator[tuple[str, type]]:
    """Whatever is made of the state that all of a member share, and of other parts."""
    for package in (cluster, gms):
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for name, kind in vars(importlib.import_module(info.name)).items():
                if inspect.isclass(kind) and kind.__module__ == info.name and "__init__" in vars(kind):
                    first = list(inspect.signature(kind).parameters)[:1]
                    if first in (["membership"], ["state"], ["group"]):
                        yield f"{info.name}.{name}", kind


def test_each_part_takes_others_by_name_no_two_of_one_type_and_none_by_default() -> None:
    """Two of one type could be swapped, whatever their names; what has a default could be forgotten."""
    found = 0
    for name, part in parts():
        found += 1
        types = list(typing.get_type_hints(vars(part)["__init__"]).items())[:-1]
        assert len({str(kind) for _, kind in types}) == len(types), f"{name}: {types}"
        _, *others = inspect.signature(part).parameters.values()
        for parameter in others:
            assert parameter.default is parameter.empty, f"{name}: {parameter}"
            assert parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD), f"{name}: {parameter}"
    assert found > 60


def test_no_attribute_of_a_part_is_a_callable_that_does_nothing_until_it_is_set() -> None:
    files = [file for family in ("cluster", "gms") for file in (ROOT / "node" / family).rglob("*.py")]
    for file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Lambda):
                assert not isinstance(node.value.body, ast.Constant), f"{file.name}:{node.lineno}"


class _NoWorld:
    """A member is made, and never started."""

    rng = random.Random(1)

    def now(self) -> int:
        return 0


def member_made() -> ClusterMember:
    return ClusterMember(cast(Env, _NoWorld()), "127.0.0.1:5701", ["127.0.0.1:5701"], FAST)


def hearing_in(owner: object) -> list[str]:
    """Of its parts those that hear of each list, whatever else they hear."""
    return [name for name, part in vars(owner).items() if callable(getattr(part, "members_changed", None))]


def test_every_part_of_a_member_that_hears_of_lists_is_told_of_each() -> None:
    member = member_made()
    told = [*member.hearing(), member.partitions]
    assert [name for name in hearing_in(member) if getattr(member, name) not in told] == []
    assert len(told) == len(hearing_in(member)) == 9


@pytest.mark.parametrize("owner", [Partitions, SplitBrainRecovery])
def test_so_is_every_part_of_its_sets_of_services(owner: type) -> None:
    """These tell theirs in an order that depends on who leads: each is named in a call."""
    member = member_made()
    instance = member.partitions if owner is Partitions else member.splitbrain
    tree = ast.parse(inspect.getsource(inspect.getmodule(owner)))  # type: ignore[arg-type]
    called = [ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    heard = hearing_in(instance)
    assert heard
    assert [name for name in heard if f"self.{name}.members_changed" not in called] == []


def test_each_kind_of_message_has_a_handler() -> None:
    member = member_made()
    assert [kind.__name__ for kind in messages.KINDS if kind not in member._handlers] == []
    data = member.partitions._handlers_now()
    assert [kind.__name__ for kind in messages.DATA_MESSAGES if kind not in data] == []
