"""The pytest plugin: chaos scripts as tests, and a `cluster` for tests of one's own.

    pytest --shaketable-world=sim chaos/       each script of the folder is a test
    async def test_mine(cluster): ...          a test of one's own, run like a script in the chosen world

A marker says more: @pytest.mark.shaketable(about=["settled"], seed=3, preset="fast", settings={...})."""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from shaketable.harness.scripts import Script
    from shaketable.harness.verdict import RunVerdict

# Everything of ours is imported where it is needed: the plugin is loaded by every pytest of the environment.


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("shaketable", "chaos scripts")
    group.addoption(
        "--shaketable-world",
        choices=("sim", "real"),
        default=None,
        help="collect chaos scripts as tests, and run them in virtual time or on real processes",
    )
    group.addoption("--shaketable-seed", type=int, default=1, metavar="N", help="of all that is drawn by chance")
    group.addoption("--shaketable-preset", choices=("default", "fast"), default=None, help="settings of the nodes")
    group.addoption("--shaketable-toxiproxy", default=None, metavar="URL|relay", help="as --toxiproxy of the command")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "shaketable(about, seed, preset, world, settings): how a test with a `cluster` is run and judged"
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ScriptFile | None:
    if parent.config.getoption("--shaketable-world") is None or file_path.suffix != ".py":
        return None
    if file_path.name.startswith(("_", "test_", "conftest")) or b"@script" not in file_path.read_bytes():
        return None
    file: ScriptFile = ScriptFile.from_parent(parent, path=file_path)
    return file


class ScriptFile(pytest.File):
    def collect(self) -> Iterable[ScriptItem]:
        from shaketable.harness.errors import UserError
        from shaketable.harness.scripts import scripts_of

        try:
            scripts = scripts_of(self.path)
        except UserError as error:
            raise self.CollectError(str(error)) from None
        for script in scripts:
            yield ScriptItem.from_parent(self, name=script.name, script=script)


class ScriptItem(pytest.Item):
    def __init__(self, *, script: Script, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.script = script

    def runtest(self) -> None:
        _must_pass(_run(self.config, self.script, {}))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, NotPassed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.script.body.__code__.co_firstlineno - 1, f"{self.script.name}: {self.script.title}"


class NotPassed(Exception):
    """A run's verdict, for people."""


@pytest.fixture
def cluster(request: pytest.FixtureRequest) -> object:
    """A cluster for an `async def` test, which is then run as a chaos script; what must hold is judged at its end."""
    if not inspect.iscoroutinefunction(getattr(request.node, "obj", None)):
        pytest.fail("a test that uses `cluster` is an `async def`: its verbs are awaited")
    return _PLACE_OF_CLUSTER


_PLACE_OF_CLUSTER = object()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    given = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    if not any(value is _PLACE_OF_CLUSTER for value in given.values()):
        return None
    from shaketable.harness.cluster import Cluster
    from shaketable.harness.scripts import Script

    marker = pyfuncitem.get_closest_marker("shaketable")
    said = dict(marker.kwargs) if marker is not None else {}
    test = pyfuncitem.obj

    async def body(cluster: Cluster) -> None:
        await test(**{name: cluster if value is _PLACE_OF_CLUSTER else value for name, value in given.items()})

    script = Script(
        name=pyfuncitem.name,
        title=(test.__doc__ or pyfuncitem.name).strip().splitlines()[0],
        file=test.__code__.co_filename,
        body=body,
        about=tuple(said.pop("about", ())),
        expects_violation=said.pop("expects_violation", None),
        settings=said.pop("settings", {}),
    )
    _must_pass(_run(pyfuncitem.config, script, said))
    return True


def _run(config: pytest.Config, script: Script, said: dict[str, Any]) -> RunVerdict:
    from shaketable.harness.run import Options, run_real, run_simulated
    from shaketable.harness.session import judged

    options = Options(
        world=said.get("world") or config.getoption("--shaketable-world") or "sim",
        seed=said.get("seed", config.getoption("--shaketable-seed")),
        preset=said.get("preset") or config.getoption("--shaketable-preset"),
        toxiproxy=config.getoption("--shaketable-toxiproxy"),
    )
    if options.world == "sim":
        return judged(run_simulated(script, options))
    with tempfile.TemporaryDirectory(prefix="shaketable-") as folder:
        return judged(run_real(script, options, folder=Path(folder)))


def _must_pass(verdict: RunVerdict) -> None:
    if verdict.outcome != "passed":
        raise NotPassed("\n".join(_told(verdict)))


def _told(verdict: RunVerdict) -> Iterator[str]:
    yield f"{verdict.script}: {verdict.outcome} ({verdict.world} world, links: {verdict.fabric}, seed {verdict.seed})"
    for reason in verdict.reasons:
        yield f"  {reason.outcome}: {reason.text}"
        for proof in reason.proof:
            yield f"    {proof.time / 1e6:10.6f} s  {proof.node or 'harness'}: {proof.told}"
    yield f"run it again: {verdict.again}"
