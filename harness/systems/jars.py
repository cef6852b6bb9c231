"""What systems in Java need: a Java, Maven, and the jars of each in our cache, built once a machine.

Each has a Maven project in its folder, which names what it takes with the version pinned. Maven checks what it fetches
by the registry's checksums, and we check the jar of the system itself by our own."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import platform
import shutil
import struct
import subprocess
import tempfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from zipfile import BadZipFile, ZipFile

from shaketable.harness.errors import SystemRefused, UserError, reason_of, shortened
from shaketable.harness.folders import CACHE, our_folder
from shaketable.harness.systems.java import find_java, home_of_java, no_java
from shaketable.harness.systems.maven import why_not_built
from shaketable.harness.systems.system import NEEDS_LINUX

AGENT: Final = "agent.jar"
LOADED: Final = "classes.jsa"
SAYS_NOTHING: Final = ("-Xlog:disable", "-Xlog:all=warning:stderr")
"""Java itself, where its members tell what they do. It would say there that another Java has kept the classes."""
REHEARSES_WITHIN: Final = 300.0
"""seconds"""
GET_MAVEN: Final = "install it (Debian, Ubuntu: apt install maven)"


@dataclass(frozen=True, slots=True)
class Jars:
    """Of one version of a system."""

    system: str
    version: str
    project: Path
    """the folder of its pom.xml; what it builds is target/agent.jar, and beside it in target/jars what that needs"""
    sums: Mapping[str, str]
    """SHA-256 of jars by their names, as far as they are pinned"""
    properties: Mapping[str, str]
    """for Maven"""
    options: tuple[str, ...]
    """for Java"""
    main: str
    """the class that is started"""
    rehearsal: str = ""
    """a class that does what members do, and ends: what it has loaded is kept for them, and they start sooner"""

    @property
    def folder(self) -> Path:
        return our_folder(CACHE) / "systems" / f"{self.system}-{self.version}-{self._source()[:12]}"

    def _source(self) -> str:
        """The hash of what it is built from: another source is another folder."""
        found = hashlib.sha256()
        for file in sorted(self.project.rglob("*")):
            if file.is_file() and "target" not in file.relative_to(self.project).parts:
                found.update(file.relative_to(self.project).as_posix().encode() + b"\0" + file.read_bytes())
        return found.hexdigest()

    def command(self) -> tuple[str, ...]:
        """That starts it. UserError: there is no Java for it, or a jar is not the one that is pinned."""
        java = find_java()
        if java is None:
            raise SystemRefused(self.system, no_java())
        loaded = self.folder / LOADED
        kept = (f"-XX:SharedArchiveFile={loaded}",) if loaded.is_file() else ()
        return (str(java), *self.options, *kept, *SAYS_NOTHING, "-cp", self.classpath(), self.main)

    def classpath(self) -> str:
        """UserError: a jar is not there, cannot be read, or is not the one that is pinned."""
        if wrong := self._wrong():
            raise UserError(wrong)
        return os.pathsep.join(map(str, sorted(self.folder.glob("*.jar"))))

    def _changed(self) -> str:
        mend = f"remove {self.folder}, and it is fetched again"
        return next((why for name in self.sums if (why := self._other(self.folder / name, mend))), "")

    def _other(self, jar: Path, mend: str) -> str:
        """Why this is not the jar of its name; "": it is."""
        if hashlib.sha256(jar.read_bytes()).hexdigest() == self.sums[jar.name]:
            return ""
        return f"{jar} is not the jar that is pinned (its SHA-256 is another one): {mend}"

    def _wrong(self) -> str:
        """Of what is in the cache, and what mends it; "": nothing."""
        try:
            return self._incomplete() or self._changed()
        except OSError as error:
            return self._unreadable(error)

    def _unreadable(self, error: OSError) -> str:
        mend = f"make it readable, remove {self.folder}, or give another folder with XDG_CACHE_HOME"
        return f"{error.filename or self.folder} cannot be read ({reason_of(error)}): {mend}"

    def ready(self) -> bool:
        """It was built here, perhaps not all of it is there any more."""
        return self.folder.is_dir()

    def missing(self) -> str:
        """What this machine lacks to run it, and what mends that; "": nothing."""
        try:
            return self._hindrance() or (self._wrong() if self.ready() else "")
        except OSError as error:
            return self._unreadable(error)

    def _hindrance(self) -> str:
        """Why it can neither be run nor be built."""
        if platform.system() != "Linux":
            return NEEDS_LINUX
        if why := no_java():
            return why
        if not self._lacking() or shutil.which("mvn") is not None:
            return ""
        return f"Maven is not on the PATH, and builds it once: {GET_MAVEN}"

    def _incomplete(self) -> str:
        lacking = self._lacking()
        mend = f"shaketable systems install {self.system}:{self.version}"
        return f"{self.folder} lacks {', '.join(lacking)}: {mend}" if lacking else ""

    def _lacking(self) -> list[str]:
        """The agent has no pinned hash: it counts if it is whole."""
        agent = self.folder / AGENT
        lost = [name for name in (AGENT, *self.sums) if not (self.folder / name).is_file()]
        return [f"a whole {AGENT}", *lost] if AGENT not in lost and not _is_whole(agent) else lost

    def install(self, say: Callable[[str], None]) -> None:
        """Into the cache, whole or not at all; nothing is done if it is there. UserError: it cannot be had, or what is
        there is not what it was."""
        try:
            why, lacking = self._hindrance(), self._lacking()
        except OSError as error:
            raise UserError(self._unreadable(error)) from None
        if why:
            raise UserError(f"{self.system} {self.version} cannot be run here: {why}")
        if not lacking:
            self.classpath()
            return
        target = self.folder
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with (target.parent / f"{target.name}.lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)  # a second process waits for the first one's
                if self._lacking():
                    say(f"Fetching and building {self.system} {self.version} into {target}: once.")
                    with tempfile.TemporaryDirectory(dir=target.parent, ignore_cleanup_errors=True) as scratch:
                        built = self._build(Path(scratch) / "project")
                        if target.is_dir():  # in part
                            target.replace(Path(scratch) / "before")
                        built.replace(target)
                        self._rehearse(Path(scratch) / LOADED)
        except OSError as error:
            mend = "free some space there, make it writable, or give another folder with XDG_CACHE_HOME"
            raise UserError(f"the cache {target.parent} cannot be written to ({_reason(error)}): {mend}") from None

    def _rehearse(self, loaded: Path) -> None:
        """Where the jars are, for Java keeps their paths. Without what it leaves members only start later."""
        java = find_java()
        if java is None or not self.rehearsal:
            return
        keep = f"-XX:ArchiveClassesAtExit={loaded}"
        command = (str(java), *self.options, keep, "-cp", self.classpath(), self.rehearsal)
        silent = subprocess.DEVNULL
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            subprocess.run(command, stdin=silent, stdout=silent, stderr=silent, timeout=REHEARSES_WITHIN, check=True)
            loaded.replace(self.folder / LOADED)

    def _build(self, project: Path) -> Path:
        """The folder of jars, ready."""
        shutil.copytree(self.project, project, ignore=shutil.ignore_patterns("target"))
        settings = [f"-D{name}={value}" for name, value in self.properties.items()]
        output = _maven([*settings, "package"], project, f"{self.system} {self.version}")
        jars, agent = project / "target" / "jars", project / "target" / AGENT
        if not jars.is_dir() or not agent.is_file():
            lacks = agent.name if jars.is_dir() else "its jars"
            raise UserError(
                f"Maven ended well and has built no {lacks} for {self.system} {self.version} ({_last(output)}): "
                f"see what {shutil.which('mvn')} is, or install Maven anew"
            )
        shutil.copy(agent, jars)
        for name in self.sums:
            if not (jars / name).is_file():
                raise UserError(f"Maven has not fetched {name}, which {self.system} {self.version} is made of")
            if other := self._other(jars / name, "the registry has given something else"):
                raise UserError(other)
        return jars


def _is_whole(jar: Path) -> bool:
    try:
        with ZipFile(jar) as archive:
            return archive.testzip() is None
    except (OSError, ValueError, EOFError, RuntimeError, BadZipFile, struct.error, zlib.error):
        return False


def _maven(does: Sequence[str], project: Path, what: str) -> str:
    """What it says. UserError: it does not start, or fails."""
    try:
        done = subprocess.run(
            ["mvn", "--batch-mode", "--no-transfer-progress", "--strict-checksums", *does],
            cwd=project,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            env={**os.environ, **({"JAVA_HOME": home} if (home := home_of_java()) else {})},
        )
    except OSError as error:
        raise UserError(f"{shutil.which('mvn')} cannot be started ({reason_of(error)}): install Maven anew") from None
    if done.returncode != 0:
        raise UserError(f"Maven could not build {what}: {why_not_built(done.stdout) or _last(done.stderr)}")
    return done.stdout


def _reason(error: OSError) -> str:
    """shutil gathers what could not be copied: the first of it."""
    if isinstance(error, shutil.Error) and error.args and isinstance(error.args[0], list):
        return str(error.args[0][0][-1])
    return reason_of(error)


def _last(output: str) -> str:
    lines = output.split("\n")
    return shortened(next((line.strip() for line in reversed(lines) if line.strip()), "it says nothing"))
