"""What a system in Java needs of a machine: said in a sentence where it is not there, and never half there."""

import errno
import hashlib
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from shaketable.harness.errors import UserError
from shaketable.harness.systems.jars import Jars
from shaketable.harness.systems.java import find_java, no_java

JAVA = "#!/bin/sh\necho 'openjdk version \"{}\" 2026-01-01' >&2\n"
MAVEN = """#!/bin/sh
echo "$@" > "$MAVEN_WAS_TOLD"
mkdir -p target/jars
cp "$AGENT_JAR" target/agent.jar
printf {} > target/jars/thing-1.jar
"""
REHEARSES = """
for each in "$@"; do
    case "$each" in -XX:ArchiveClassesAtExit=*) printf loaded > "${{each#*=}}"; exit {};; esac
done
"""
FAILS = "#!/bin/sh\necho '[INFO] Scanning'\necho '[ERROR] there is no network'\nexit 1\n"
Put = Callable[[str, str], None]


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Put:
    """A program into the only folder of the PATH."""
    programs = tmp_path / "programs"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("MAVEN_WAS_TOLD", str(tmp_path / "told"))
    for does in ("mkdir", "cp"):
        (programs / does).symlink_to(f"/bin/{does}")
    with ZipFile(tmp_path / "built.jar", "w", ZIP_DEFLATED) as built:
        built.writestr("Member.class", bytes(range(256)) * 8)
    monkeypatch.setenv("AGENT_JAR", str(tmp_path / "built.jar"))

    def one(name: str, text: str) -> None:
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)

    return one


@pytest.fixture
def jars(tmp_path: Path) -> Jars:
    project = tmp_path / "project"
    project.mkdir()
    (project / "pom.xml").write_text("<project/>")
    return Jars(
        "thing",
        "1",
        project,
        {"thing-1.jar": hashlib.sha256(b"good").hexdigest()},
        properties={"thing.version": "1"},
        options=("-Xmx1m",),
        main="thing.Member",
        rehearsal="thing.Rehearsal",
    )


def refused(jars: Jars) -> str:
    with pytest.raises(UserError) as told:
        jars.install(lambda line: None)
    return str(told.value)


@pytest.mark.parametrize("version", [None, "1.8.0_202", "11.0.2", "no number"])
def test_without_a_java_that_is_new_enough(version: str | None, put: Put, jars: Jars) -> None:
    if version is not None:
        put("java", JAVA.format(version))
    assert find_java() is None
    assert no_java().startswith("it needs Java 17 or newer: install one")
    assert refused(jars).startswith("thing 1 cannot be run here: it needs Java 17 or newer: ")


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (
            "#!/bin/sh\necho 'Picked up _JAVA_OPTIONS: -Xmx1m' >&2\necho 'Too small maximum heap'\nexit 1\n",
            "Picked up _JAVA_OPTIONS: -Xmx1m / Too small maximum heap",
        ),
        ("#!/bin/sh\nexit 3\n", "exit code 3"),
        ("#!/nowhere/at/all\n", "no such file or directory"),
    ],
)
def test_a_java_that_is_there_and_does_not_start(program: str, said: str, put: Put, jars: Jars, tmp_path: Path) -> None:
    put("java", program)
    java = tmp_path / "programs" / "java"
    assert no_java().startswith(f"it needs Java 17 or newer, and {java} does not start ({said}): mend that, or set")
    assert f"{java} does not start ({said})" in jars.missing()


def test_one_java_that_starts_is_enough(put: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    put("java", JAVA.format("17"))
    assert (no_java(), find_java()) == ("", tmp_path / "programs" / "java")


def test_elsewhere_than_on_linux(put: Put, jars: Jars, monkeypatch: pytest.MonkeyPatch) -> None:
    put("java", JAVA.format("21.0.1"))
    put("mvn", MAVEN.format("good"))
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    assert jars.missing().startswith("it needs Linux, where ")
    assert refused(jars).startswith("thing 1 cannot be run here: it needs Linux, where ")


def test_without_maven(put: Put, jars: Jars) -> None:
    put("java", JAVA.format("21.0.1"))
    assert refused(jars).startswith("thing 1 cannot be run here: Maven is not on the PATH, and builds it once: install")


def test_where_maven_fails(put: Put, jars: Jars) -> None:
    put("java", JAVA.format("17"))
    put("mvn", FAILS)
    assert refused(jars) == "Maven could not build thing 1: there is no network"
    assert not jars.folder.exists()


FETCH = "Could not transfer artifact thing:thing:pom:1 from/to central (https://repo.example/maven2)"
LONG_BEFORE_THE_CAUSE = "Plugin thing:thing:1 or one of its dependencies could not be resolved: " + "and so on " * 40


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (
            ["COMPILATION ERROR :", "No compiler is provided in this environment. Perhaps you are running on a JRE"],
            "this Java has no compiler: install a JDK 17 or newer (Debian",
        ),
        (["COMPILATION ERROR :", "Member.java:[3,1] cannot find symbol"], "Member.java:[3,1] cannot find symbol"),
        (
            [f"{LONG_BEFORE_THE_CAUSE}{FETCH}: repo.example: Name or service not known -> [Help 1]"],
            "it could not fetch what it needs (repo.example: Name or service not known): connect to the network, or ",
        ),
        (
            [f"{LONG_BEFORE_THE_CAUSE}Cannot access central (https://repo.example/maven2) in offline mode and so on"],
            "it could not fetch what it needs (Cannot access central (https://repo.example/maven2) in offline mode): ",
        ),
        (
            ["thing was not found during a previous attempt. This failure was cached in the local repository and so"],
            "it could not fetch what it needs (This failure was cached in the local repository): connect ",
        ),
        (
            [f"{FETCH}: Checksum validation failed, expected 1 but is 2 -> [Help 1]"],
            "what was fetched is not what was published (Checksum validation failed, expected 1 but is 2): try again",
        ),
        (["x.jar (No space left on device)"], "no space is left on the device: free some in the cache and in "),
    ],
)
def test_a_failure_of_maven_is_told_with_its_cause_and_what_mends_it(
    put: Put, jars: Jars, said: list[str], sentence: str
) -> None:
    put("java", JAVA.format("17"))
    put("mvn", "#!/bin/sh\n" + "".join(f"echo '[ERROR] {line}'\n" for line in said) + "exit 1\n")
    assert refused(jars).startswith(f"Maven could not build thing 1: {sentence}")


def test_a_maven_that_cannot_be_started(put: Put, jars: Jars) -> None:
    put("java", JAVA.format("17"))
    put("mvn", "#!/nowhere/at/all\n")
    assert refused(jars).endswith("/programs/mvn cannot be started (no such file or directory): install Maven anew")


@pytest.mark.parametrize(
    ("does", "lacks"), [("echo done", "its jars"), ("mkdir -p target/jars; echo done", "agent.jar")]
)
def test_a_maven_that_ends_well_and_builds_nothing(put: Put, jars: Jars, does: str, lacks: str) -> None:
    put("java", JAVA.format("17"))
    put("mvn", f"#!/bin/sh\n{does}\n")
    assert refused(jars).startswith(f"Maven ended well and has built no {lacks} for thing 1 (done): see what /")


def test_a_cache_that_is_full(put: Put, jars: Jars, monkeypatch: pytest.MonkeyPatch) -> None:
    put("java", JAVA.format("17"))
    put("mvn", MAVEN.format("good"))

    def full(source: Path, target: Path, **given: object) -> None:
        raise shutil.Error([(str(source), str(target), "[Errno 28] No space left on device")])

    monkeypatch.setattr(shutil, "copytree", full)
    assert "cannot be written to ([Errno 28] No space left on device): free some space there, " in refused(jars)


def test_a_jar_that_is_not_the_one_that_is_pinned_does_not_get_in(put: Put, jars: Jars) -> None:
    put("java", JAVA.format("17"))
    put("mvn", MAVEN.format("bad"))
    assert refused(jars).endswith(
        "is not the jar that is pinned (its SHA-256 is another one): the registry has given something else"
    )
    assert not jars.folder.exists()


def test_it_is_built_once_and_looked_at_each_time(put: Put, jars: Jars, tmp_path: Path) -> None:
    put("java", JAVA.format("17"))
    put("mvn", MAVEN.format("good"))
    said: list[str] = []
    jars.install(said.append)
    jars.install(said.append)
    assert [line.split(" into ")[0] for line in said] == ["Fetching and building thing 1"]
    assert "-Dthing.version=1 package" in (tmp_path / "told").read_text()
    assert [Path(jar).name for jar in jars.classpath().split(":")] == ["agent.jar", "thing-1.jar"]
    (jars.folder / "thing-1.jar").write_bytes(b"spoilt")
    said_of_it = r"thing-1.jar is not the jar that is pinned .*: remove .*, and it is fetched again"
    with pytest.raises(UserError, match=said_of_it):
        jars.classpath()
    assert re.search(said_of_it, jars.missing())
    with pytest.raises(UserError, match=said_of_it):
        jars.install(said.append)


@pytest.mark.parametrize(
    ("reads", "of"), [("is_file", "agent.jar"), ("read_bytes", "thing-1.jar"), ("is_dir", "")], ids=lambda each: each
)
def test_a_cache_that_cannot_be_read(
    reads: str, of: str, put: Put, jars: Jars, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("java", JAVA.format("17"))
    put("mvn", MAVEN.format("good"))
    jars.install(lambda line: None)
    folder = jars.folder
    does, closed = getattr(Path, reads), folder / of if of else folder

    def forbidden(path: Path) -> object:
        if path == closed:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return does(path)

    monkeypatch.setattr(Path, reads, forbidden)
    mend = f"make it readable, remove {folder}, or give another folder with XDG_CACHE_HOME"
    said = f"{closed} cannot be read (permission denied): {mend}"
    assert jars.missing() == said
    if of:
        assert refused(jars) == said
        with pytest.raises(UserError) as told:
            jars.classpath()
        assert str(told.value) == said


@pytest.mark.parametrize("lost", ["agent.jar", "thing-1.jar", "both"])
def test_where_a_jar_is_not_there_any_more_it_is_built_again(lost: str, put: Put, jars: Jars) -> None:
    put("java", JAVA.format("17"))
    put("mvn", MAVEN.format("good"))
    jars.install(lambda line: None)
    assert jars.missing() == ""
    names = ["agent.jar", "thing-1.jar"]
    gone = names if lost == "both" else [lost]
    for name in gone:
        (jars.folder / name).unlink()
    said = f"{jars.folder} lacks {', '.join(gone)}: shaketable systems install thing:1"
    assert jars.missing() == said
    with pytest.raises(UserError) as told:
        jars.classpath()
    assert str(told.value) == said
    again: list[str] = []
    jars.install(again.append)
    assert len(again) == 1
    assert jars.missing() == ""
    assert [Path(jar).name for jar in jars.classpath().split(":")] == names


@pytest.mark.parametrize("left", [0, 1, 0.5, 0.9])
def test_an_agent_of_which_a_part_is_left_is_noticed_and_built_again(left: float, put: Put, jars: Jars) -> None:
    put("java", JAVA.format("17"))
    put("mvn", MAVEN.format("good"))
    jars.install(lambda line: None)
    agent = jars.folder / "agent.jar"
    whole = agent.read_bytes()
    agent.write_bytes(whole[: int(left) or int(len(whole) * left)])
    said = f"{jars.folder} lacks a whole agent.jar: shaketable systems install thing:1"
    assert jars.missing() == said
    with pytest.raises(UserError) as told:
        jars.classpath()
    assert str(told.value) == said
    jars.install(lambda line: None)
    assert (jars.missing(), agent.read_bytes()) == ("", whole)


def test_an_agent_with_another_byte_in_it_is_noticed(put: Put, jars: Jars) -> None:
    put("java", JAVA.format("17"))
    put("mvn", MAVEN.format("good"))
    jars.install(lambda line: None)
    agent = jars.folder / "agent.jar"
    spoilt = bytearray(agent.read_bytes())
    spoilt[60] ^= 0xFF
    agent.write_bytes(spoilt)
    assert "lacks a whole agent.jar" in jars.missing()


def test_what_is_there_in_part_needs_maven_again(put: Put, jars: Jars) -> None:
    put("java", JAVA.format("17"))
    jars.folder.mkdir(parents=True)
    said = "Maven is not on the PATH, and builds it once: install"
    assert jars.missing().startswith(said)
    assert refused(jars).startswith(f"thing 1 cannot be run here: {said}")


def test_another_source_of_the_agent_is_built_anew(put: Put, jars: Jars) -> None:
    before = jars.folder
    (jars.project / "Member.java").write_text("class Member {}")
    assert jars.folder != before


def test_what_a_rehearsal_has_loaded_is_kept_for_members(put: Put, jars: Jars) -> None:
    put("java", JAVA.format("17") + REHEARSES.format(0))
    put("mvn", MAVEN.format("good"))
    jars.install(lambda line: None)
    java, *options = jars.command()
    assert Path(java).name == "java"
    assert f"-XX:SharedArchiveFile={jars.folder / 'classes.jsa'}" in options
    assert options[-3:] == ["-cp", jars.classpath(), "thing.Member"]
    assert (jars.folder / "classes.jsa").read_text() == "loaded"


def test_without_a_rehearsal_members_start_all_the_same(put: Put, jars: Jars) -> None:
    put("java", JAVA.format("17") + REHEARSES.format(1))
    put("mvn", MAVEN.format("good"))
    jars.install(lambda line: None)
    assert jars.missing() == ""
    assert [each for each in jars.command() if "classes.jsa" in each] == []
    assert not (jars.folder / "classes.jsa").exists()
