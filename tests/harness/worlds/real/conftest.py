"""What the tests of the link fabric stand on: either backend, a receiver behind a link, a fabric in front of it.

The real server must be there: where it can be neither found nor built its half of the tests fails. Test functions may
be coroutines; they run in the loop in which the fixtures were made."""

import asyncio
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.harness.worlds.real.fabric_helpers import Make, Told
from tests.waiting import HANG

from shaketable.harness.worlds.real import toxiproxy_build
from shaketable.harness.worlds.real.fabric import LinkFabric
from shaketable.harness.worlds.real.toxiproxy_server import ensure_server

BACKENDS = ("toxiproxy", "relay")


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    runner = pyfuncitem.funcargs["runner"]
    assert isinstance(runner, asyncio.Runner)
    runner.run(asyncio.wait_for(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}), 2 * HANG))
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if isinstance(item, pytest.Function) and inspect.iscoroutinefunction(item.obj):
            item.fixturenames.append("runner")


def real_server() -> str:
    """Its path. Not a skip: without it nothing would be known of what runs use."""
    toxiproxy_build.forget_failure()
    found = ensure_server(None, print)
    assert found.kind in ("binary", "cache"), f"no real Toxiproxy server to test: {found.why}"
    return found.where


@pytest.fixture(scope="session")
def toxiproxy() -> str:
    return real_server()


@pytest.fixture(params=BACKENDS)
def choice(request: pytest.FixtureRequest) -> str:
    """What `--toxiproxy` would be given."""
    return str(request.getfixturevalue("toxiproxy")) if request.param == "toxiproxy" else "relay"


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def make(told: Told, tmp_path: Path, runner: asyncio.Runner) -> Iterator[Make]:
    made: list[LinkFabric] = []

    def one(choice: str) -> LinkFabric:
        fabric = LinkFabric(
            choice,
            log_dir=tmp_path,
            say=told.said.append,
            on_trouble=told.trouble.append,
            on_restored=told.restored.append,
            on_others=told.others.append,
        )
        made.append(fabric)
        return fabric

    yield one
    for fabric in made:
        runner.run(fabric.close())


@pytest.fixture
def fabric(make: Make, choice: str, runner: asyncio.Runner) -> LinkFabric:
    fabric = make(choice)
    runner.run(fabric.start())
    return fabric
