"""The pytest plugin: chaos scripts as tests, and a `cluster` for tests of one's own.

    pytest --shaketable-world=sim chaos/       each script of the folder is a test
    async def test_mine(cluster): ...          a test of one's own, run like a script in the chosen world

The options shaketable_world and shaketable_preset of pytest's configuration file stand for those of the command line.
A marker says more: @pytest.mark.shaketable(about=["settled"], seed=3, preset="fast", settings={...}). A world, seed,
preset or limit of a marker is stronger than that of the command line, and that is stronger than the configuration file.
"""

from __future__ import annotations

import argparse
import inspect
import shlex
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import pytest

if TYPE_CHECKING:
    from shaketable.harness.errors import SystemRefused
    from shaketable.harness.scripting.scripts import Script
    from shaketable.harness.verdicts.verdict import RunVerdict

# Everything of ours is imported where it is needed: the plugin is loaded by every pytest of the environment.

_CHOICES: Final = {"world": ("sim", "real"), "preset": ("default", "fast")}
"""what is said by an option of the command line, or else by one of the configuration file"""
_BY_FILE: Final = (*_CHOICES, "system")
"""and that, whose members are run"""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("shaketable", "chaos scripts")
    group.addoption(
        "--shaketable-world",
        choices=_CHOICES["world"],
        default=None,
        help="collect chaos scripts as tests, and run them in virtual time or on real processes",
    )
    group.addoption("--shaketable-seed", type=_seed, default=1, metavar="N", help="the seed of all random draws")
    group.addoption(
        "--shaketable-preset", choices=_CHOICES["preset"], default=None, help="preset of the nodes' settings"
    )
    group.addoption(
        "--shaketable-system", default=None, type=_not_empty, metavar="NAME",
        help="whose members are run: as --system of the command",
    )  # fmt: skip
    group.addoption(
        "--shaketable-node", default=None, metavar="COMMAND", help="a node of your own: as --node of the command"
    )
    group.addoption("--shaketable-limit", type=float, metavar="SECONDS", help="end a script that takes longer")
    group.addoption(
        "--shaketable-toxiproxy", default=None, metavar="URL|PATH|relay", help="as --toxiproxy of the command"
    )
    for name, choices in _CHOICES.items():
        said = f"{' or '.join(choices)}: used where the command line has no --shaketable-{name}"
        parser.addini(f"shaketable_{name}", said, default="")
    parser.addini("shaketable_system", "used where the command line has no --shaketable-system", default="")


def _seed(text: str) -> int:
    from shaketable.harness.seeds import seed

    return seed(text)


def _not_empty(name: str) -> str:
    """It may be a variable that nobody has set: that does not mean ours."""
    if not name:
        raise argparse.ArgumentTypeError("the name is empty; `shaketable systems` lists them")
    return name


def _chosen(config: pytest.Config, name: str) -> Any:
    """As the command line says, or else as the configuration file does."""
    said = config.getoption(f"--shaketable-{name}")
    if name == "system" and said is None and (node := config.getoption("--shaketable-node")) is not None:
        return f"node:{node}"
    return config.getini(f"shaketable_{name}") or None if said is None and name in _BY_FILE else said


def pytest_configure(config: pytest.Config) -> None:
    for name, choices in _CHOICES.items():
        said = config.getini(f"shaketable_{name}")
        if said not in ("", *choices):
            raise pytest.UsageError(f"shaketable_{name} = {said!r} in {config.inipath}: give {' or '.join(choices)}")
    config.addinivalue_line(
        "markers",
        "shaketable(about, expects_violation, broken_too, settings, world, system, seed, preset, limit): "
        "how a test with a `cluster` is run and judged",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ScriptFile | None:
    if _chosen(parent.config, "world") is None:
        return None
    from shaketable.harness.scripting.scripts import may_hold_scripts

    if not may_hold_scripts(file_path):
        return None
    file: ScriptFile = ScriptFile.from_parent(parent, path=file_path)
    return file


class ScriptFile(pytest.File):
    def collect(self) -> Iterable[ScriptItem]:
        from shaketable.harness.errors import UserError
        from shaketable.harness.scripting.scripts import scripts_of

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

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.script.body.__code__.co_firstlineno - 1, f"{self.script.name}: {self.script.title}"


@pytest.fixture
def cluster(request: pytest.FixtureRequest) -> object:
    """A cluster for an `async def` test, which is then run as a chaos script; what must hold is judged at its end."""
    test = request.node
    if not inspect.iscoroutinefunction(getattr(test, "obj", None)):
        pytest.fail("a test that uses `cluster` is an `async def`: its verbs are awaited", pytrace=False)
    # Plugins that run coroutines, such as pytest-asyncio and anyio, would run this one as well: no hook is asked.
    test.runtest = partial(_run_test, test, test.runtest)
    return _PLACE_OF_CLUSTER


class _PlaceOfCluster:
    """Only the test itself is run as a script: a fixture of one's own that asks for `cluster` gets just this."""

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"cluster.{name} is for the `async def` test itself: pass `cluster` on to a helper there")


_PLACE_OF_CLUSTER = _PlaceOfCluster()
_UNKNOWN = 2
"""the exit code"""
_LONGEST = 1e9
"""seconds"""
_OF_THE_SCRIPT = ("about", "expects_violation", "broken_too", "settings")
_OF_THE_RUN = ("world", "system", "seed", "preset", "limit")


def _run_test(pyfuncitem: pytest.Function, otherwise: Callable[[], None]) -> None:
    given = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    if not any(value is _PLACE_OF_CLUSTER for value in given.values()):
        otherwise()
        return
    marker = pyfuncitem.get_closest_marker("shaketable")
    said = dict(marker.kwargs) if marker is not None else {}
    if marker is not None and marker.args:
        pytest.fail(
            f"the marker shaketable takes names alone: say what {marker.args[0]!r} is, as in about=[...]", pytrace=False
        )
    for name in said:
        if name not in (*_OF_THE_SCRIPT, *_OF_THE_RUN):
            known = ", ".join((*_OF_THE_SCRIPT, *_OF_THE_RUN))
            pytest.fail(f"the marker shaketable takes no {name}; it takes {known}", pytrace=False)
    _refuse_values(said)
    called_off: list[BaseException] = []
    verdict = _run(pyfuncitem.config, _script_of(pyfuncitem, given, said, called_off), said)
    if called_off:
        raise called_off[0]
    again = f"pytest {shlex.quote(pyfuncitem.nodeid)} --shaketable-world={verdict.world}"
    if not verdict.system.is_ours:
        again += f" --shaketable-system={shlex.quote(verdict.system.asked)}"
    _must_pass(verdict, f"{again} --shaketable-seed={verdict.seed} --shaketable-preset={verdict.preset}")


def _refuse_values(said: dict[str, Any]) -> None:
    for name, choices in _CHOICES.items():
        if said.get(name, choices[0]) not in choices:
            pytest.fail(f"the marker shaketable: {name}={said[name]!r}: give {' or '.join(choices)}", pytrace=False)
    from shaketable.harness.seeds import GIVE, is_seed

    if not is_seed(seed := said.get("seed", 1)):
        pytest.fail(f"the marker shaketable: seed={seed!r}: {GIVE}", pytrace=False)
    if type(system := said.get("system", "")) is not str:
        pytest.fail(f"the marker shaketable: system={system!r}: give a name, or NAME:VERSION, as text", pytrace=False)
    limit = said.get("limit", 1)
    if type(limit) not in (int, float) or not 0 < limit < _LONGEST:
        pytest.fail(f"the marker shaketable: limit={limit!r}: give a number of seconds above 0", pytrace=False)


def _script_of(
    item: pytest.Function, given: dict[str, Any], said: dict[str, Any], called_off: list[BaseException]
) -> Script:
    from shaketable.harness.errors import UserError
    from shaketable.harness.scripting.cluster import Cluster
    from shaketable.harness.scripting.scripts import script

    test = item.obj

    async def body(cluster: Cluster) -> None:
        try:
            await test(**{name: cluster if value is _PLACE_OF_CLUSTER else value for name, value in given.items()})
        except (pytest.skip.Exception, pytest.xfail.Exception) as said_so:
            called_off.append(said_so)
            raise

    trouble = ""
    try:
        made = script(**{"about": (), **{name: said[name] for name in _OF_THE_SCRIPT if name in said}})(body)
    except UserError as error:
        trouble = str(error)
    if trouble:
        pytest.fail(f"the marker shaketable: {trouble}", pytrace=False)
    title = (inspect.getdoc(test) or item.name).splitlines()[0]
    return replace(made, name=item.name, title=title, file=test.__code__.co_filename)


def _run(config: pytest.Config, script: Script, said: dict[str, Any]) -> RunVerdict:
    from shaketable.harness.errors import SystemRefused, UserError, fault_of_ours
    from shaketable.harness.runs.fitting import fitting
    from shaketable.harness.runs.interrupts import Interrupts
    from shaketable.harness.runs.judging import judged
    from shaketable.harness.runs.run import Options, run_real, run_simulated

    interrupts, trouble, left_out = Interrupts(), "", ""
    chosen = {name: said.get(name, _chosen(config, name)) for name in _OF_THE_RUN}
    try:
        options = Options(
            world=chosen["world"] or _only_world(chosen["system"] or ""),
            seed=chosen["seed"],
            preset=chosen["preset"],
            limit=chosen["limit"],
            system=chosen["system"] or "",
            toxiproxy=config.getoption("--shaketable-toxiproxy"),
        )
        if options.world == "sim" and not options.chosen.system.simulated:
            asked = _where_said(config, said, "world")
            raise UserError(f"{options.chosen.under_test.called} has no simulated world: leave out {asked}")
        _, others = fitting(options, [script])
        left_out = others[0].why if others else ""
    except SystemRefused as error:
        trouble = _refused(config, said, error)
    except UserError as error:
        trouble = str(error)
    except Exception as error:
        pytest.exit(f"shaketable: {fault_of_ours(error)}", returncode=_UNKNOWN)
    if left_out:
        pytest.skip(f"left out: {left_out}")
    if trouble:
        pytest.fail(trouble, pytrace=False)
    try:
        with tempfile.TemporaryDirectory(prefix="shaketable-") as folder, interrupts.noted():
            if options.world == "sim":
                finished = run_simulated(script, options, interrupts=interrupts)
            else:
                finished = run_real(script, options, folder=Path(folder), interrupts=interrupts)
            verdict = judged(finished)
    except SystemRefused as error:
        trouble = _refused(config, said, error)
    except UserError as error:
        trouble = str(error)
    except Exception as error:  # a test that fails would say that a guarantee was broken
        pytest.exit(f"shaketable: {fault_of_ours(error)}", returncode=_UNKNOWN)
    if trouble:
        pytest.fail(trouble, pytrace=False)
    if interrupts.came:
        raise KeyboardInterrupt
    return verdict


def _only_world(system: str) -> str:
    """In which it runs if none was asked for."""
    from shaketable.harness.systems.registry import chosen

    return "sim" if chosen(system).system.simulated else "real"


def _refused(config: pytest.Config, said: dict[str, Any], error: SystemRefused) -> str:
    """In the words of pytest, which has no --system."""
    return f"{_where_said(config, said, 'system')}: {error.why}"


def _where_said(config: pytest.Config, said: dict[str, Any], name: str) -> str:
    """In the words of the option, or of what stands for it."""
    if name in said:
        return f"{name}={said[name]!r} of the marker"
    if (option := config.getoption(f"--shaketable-{name}")) is not None:
        return f"--shaketable-{name}={option}"
    return f"shaketable_{name} = {config.getini(f'shaketable_{name}')} of {config.inipath}"


def _must_pass(verdict: RunVerdict, again: str = "") -> None:
    from shaketable.harness.visible import visible

    if verdict.outcome != "passed":
        pytest.fail(visible("\n".join(_told(verdict, again or verdict.again))), pytrace=False)


def _told(verdict: RunVerdict, again: str) -> Iterator[str]:
    whose = "" if verdict.system.is_ours else f", {verdict.system.full_name}"
    where = f"{verdict.world} world{whose}, links: {verdict.fabric}, seed {verdict.seed}"
    yield f"{verdict.script}: {verdict.outcome} ({where})"
    for reason in verdict.reasons:
        yield f"  {reason.outcome}: {reason.text}"
        for proof in reason.proof:
            yield f"    {proof.time / 1e6:10.6f} s  {proof.told}"
    yield f"again: {again}"
