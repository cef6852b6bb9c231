"""Random keys, clicks, pastes and resizes, live and in replay: no exception, no step that takes long, and the cluster
is touched by what was asked for alone.

2,000 in the long tests. `MONKEY_ROUNDS=50 MONKEY_SEED=11 make test-all ARGS=tests/tui/test_monkey.py`: 100,000 others,
in some 20 minutes."""

from __future__ import annotations

import asyncio
import gc
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from tests.lengths import LONGEST
from tests.tui.model.conftest import written
from tests.tui.monkey import Monkey, Watched
from tests.tui.showing import until
from tests.waiting import HANG

from shaketable.chaos.migration.figure_5_under_load import figure_5_under_load_decided_cut
from shaketable.harness.errors import UserError
from shaketable.harness.records import AskedByHand, Record, StepBegan, StepKind
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.node.events import Event
from shaketable.tui.command import collect_little_at_a_time
from shaketable.tui.doing import breaking
from shaketable.tui.engine import client
from shaketable.tui.engine.client import Engine
from shaketable.tui.engine.protocol import Begin
from shaketable.tui.model.hands.calls import Call
from shaketable.tui.model.hands.saving import script_of
from shaketable.tui.model.run_facts import RunFacts
from shaketable.tui.source import Recorded

FIRST = int(os.environ.get("MONKEY_SEED", "1"))
SHORT, ROUND = 150, 1_000
"""inputs of one app"""
ROUNDS = int(os.environ.get("MONKEY_ROUNDS", "1"))
"""live and in replay each"""
SEEDS = pytest.mark.parametrize(
    ("seed", "inputs"),
    [
        pytest.param(FIRST, SHORT, id=f"seed-{FIRST}-short"),
        *(pytest.param(seed, ROUND, id=f"seed-{seed}", marks=LONGEST) for seed in range(FIRST, FIRST + ROUNDS)),
    ],
)
SIZE = (80, 24)


@pytest.fixture(autouse=True)
def nothing_is_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A file under a random name would be saved anywhere."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(client, "PATIENCE", HANG)
    monkeypatch.setattr(client, "save", not_written)
    monkeypatch.setattr(breaking, "save", not_written)


def not_written(records: Iterable[Record], facts: RunFacts, path: Path) -> str:
    try:
        script_of(records, facts, path)
    except UserError as error:
        return str(error)
    return ""


@pytest.fixture(autouse=True)
def garbage_is_collected_as_in_the_screens() -> Iterator[None]:
    """With the rare and long collections of the tests a turn of the app may take two seconds."""
    gc.collect()
    usual = gc.get_threshold()
    collect_little_at_a_time()
    yield
    gc.set_threshold(*usual)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    finished = run_simulated(figure_5_under_load_decided_cut, Options("sim", seed=3, preset="fast"))
    return written(finished, tmp_path_factory.mktemp("figure") / "figure-sim-3")


def contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    for file in sorted(folder.rglob("*")):
        yield str(file.relative_to(folder)), file.read_bytes() if file.is_file() else b""


@SEEDS
def test_live(seed: int, inputs: int) -> None:
    async def whole() -> None:
        app = Watched(Engine(Begin(world="sim", seed=seed, nodes=4, preset="fast", speed=2.0)))
        monkey = Monkey(app, seed)
        async with app.run_test(size=SIZE, notifications=True) as pilot:
            await until(pilot, lambda: any(step.means is StepKind.BY_HAND for step in told(app, StepBegan)))
            monkey.watch_hands()
            await monkey.go(inputs)
            app.session.follow()
            hands = app.source.hands
            assert hands is not None, f"the run has ended: {app.session.ended}"
            hands.set_speed(None)
            await until(pilot, lambda: len(told(app, AskedByHand)) >= len(monkey.asked))
            asked, done = map(as_told, monkey.asked), [each.call for each in told(app, AskedByHand)]
            assert [_named(each) for each in done] == [_named(each) for each in asked], monkey.told()

    asyncio.run(whole())


@SEEDS
def test_in_replay(seed: int, inputs: int, run: Path) -> None:
    before = dict(contents(run))
    shutil.copytree(run, Path("runs") / "the same")  # to be compared with

    async def whole() -> None:
        app = Watched(Recorded(run))
        async with app.run_test(size=SIZE, notifications=True):
            await Monkey(app, seed).go(inputs)

    asyncio.run(whole())
    assert dict(contents(run)) == before


E = TypeVar("E", bound=Event)


def told(app: Watched, kind: type[E]) -> list[E]:
    store = app.session.store
    return [event for place in range(len(store)) if isinstance(event := store[place].event, kind)]


def as_told(call: Call) -> str:
    return str(call)


def _named(call: str) -> str:
    """Which name a further node gets is decided where it is started."""
    return "start" if call.startswith("cluster.start(") else call
