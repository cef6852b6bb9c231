"""What goes wrong by itself while real processes run: the link server, a node, a port, another user of the machine."""

from __future__ import annotations

import http.server
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psutil
import pytest
import requests
from tests.harness.command.command_helpers import COMMAND, Harness, environment, harness, here, report, write
from tests.lengths import LONG
from tests.waiting import HANG, wait_until

from shaketable.harness.worlds.real.ports import free_ports
from shaketable.harness.worlds.real.toxiproxy_server import ensure_server

pytestmark = LONG

GO_ON = """
await cluster.form("n1", "n2", "n3")
cut = await cluster.cut("n2", "n3")
await cluster.sleep({seconds} * SECOND)
await cluster.heal(cut)
await cluster.blackhole("n3", "n2", one_way=True)
await cluster.expect(cluster.that.agree("n1", "n2", "n3"), within=cluster.bounds.crash)
"""
NODES = """
await cluster.form("n1", "n2", "n3")
await cluster.until(cluster.that.agree("n1", "n2"), within=2 * SECOND)
await cluster.expect(cluster.that.agree("n1", "n2"), within=cluster.bounds.crash)
"""


def verdict_of(running: Harness) -> tuple[int, dict[str, object], str]:
    told = running.ended()
    assert "Traceback" not in told.out + told.err
    (verdict,) = report(running.report)["runs"]
    running.nothing_is_left()
    return told.code, verdict, " ".join(told.out.split())


@pytest.mark.parametrize("how", ["killed", "stopped"])
def test_a_link_server_that_fails_is_replaced_and_the_verdict_says_so(how: str, tmp_path: Path) -> None:
    # A server that hangs is noticed after up to 3 s: no node may take that for the death of another.
    patient = ("--set", "heartbeat_timeout_seconds=12")
    with harness(tmp_path, write(tmp_path, GO_ON.format(seconds=5), about=()), *patient) as running:
        running.wait_for("FaultTook")
        server = running.toxiproxy()
        if how == "killed":
            server.kill()
        else:
            server.suspend()
        running.wait_for("FabricRestored")
        code, verdict, told = verdict_of(running)
    assert code == 2
    assert verdict["outcome"] == "unknown"
    assert "TROUBLE with the links: toxiproxy 2.12.0 stopped working" in told
    assert "6 links put back, 2 with faults" in told
    reasons = {reason["about"]: reason["outcome"] for reason in verdict["reasons"]}  # type: ignore[attr-defined]
    # On a busy machine it is replaced so late that the nodes take each other for dead, and what is expected fails.
    assert reasons in ({"links": "unknown"}, {"links": "unknown", "expectation": "unknown"})


def test_a_node_that_dies_unasked_fails_the_run(tmp_path: Path) -> None:
    with harness(tmp_path, write(tmp_path, NODES)) as running:
        running.wait_for("until n1, n2 agree")
        running.nodes()[2].kill()
        code, verdict, told = verdict_of(running)
    assert (code, verdict["outcome"]) == (1, "failed")
    assert "the process of n3 died by itself" in told


def test_the_server_that_nodes_are_forked_from_may_die(tmp_path: Path) -> None:
    """The kernel kills the nodes with it: they died, and the harness goes on to its end."""
    with harness(tmp_path, write(tmp_path, NODES)) as running:
        running.wait_for("until n1, n2 agree")
        psutil.Process(running.nodes()[0].ppid()).kill()
        code, verdict, told = verdict_of(running)
    assert (code, verdict["outcome"]) == (1, "failed")
    assert "the process of n1 died by itself" in told


# Ports


@pytest.fixture
def taken() -> Iterator[int]:
    with closing(socket.create_server(("127.0.0.1", free_ports(1)[0]))) as listener:
        yield listener.getsockname()[1]


@pytest.mark.parametrize("whose", ["a link", "a node"])
def test_a_port_that_somebody_takes_first(
    whose: str, taken: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Between our choice and our use of it: the run cannot be made, and says which port it is."""
    monkeypatch.chdir(tmp_path)
    if whose == "a link":
        monkeypatch.setattr("shaketable.harness.worlds.real.links.free_ports", lambda n: [*free_ports(n - 1), taken])
    else:
        one_more = "shaketable.harness.worlds.real.kept_ports.KeptPorts.one_more"
        monkeypatch.setattr(one_more, lambda ports, in_a_row: taken)
    write(tmp_path, 'await cluster.form("n1", "n2")')
    ran = here(capsys, "run", "story.py", "--report", "out")
    assert (ran.code, ran.err) == (2, "")
    (verdict,) = report(tmp_path / "out")["runs"]
    assert "could not be started" in verdict["reasons"][0]["text"]
    assert str(taken) in verdict["reasons"][0]["text"]
    assert "story.py:9" in verdict["reasons"][0]["text"]


def test_two_harnesses_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    names = ", ".join(f'"n{number}"' for number in range(1, 6))
    script = write(tmp_path, f"await cluster.form({names})\nawait cluster.sleep(SECOND)")
    with harness(tmp_path / "one", script) as one, harness(tmp_path / "two", script) as two:
        assert [one.ended().code, two.ended().code] == [0, 0]


# Somebody else's Toxiproxy


@pytest.fixture
def foreign(tmp_path: Path) -> Iterator[str]:
    (port,) = free_ports(1)
    program = ensure_server(None, print).where
    with (tmp_path / "foreign.log").open("wb") as log:
        server = subprocess.Popen([program, "-host", "127.0.0.1", "-port", str(port)], stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        try:
            return requests.get(f"{url}/version", timeout=HANG).ok
        except requests.ConnectionError:
            return False

    try:
        wait_until(answers, "the server answers")
        yield url
    finally:
        server.kill()
        server.wait()


def test_a_toxiproxy_that_runs_already_keeps_its_own_proxies_and_none_of_ours(foreign: str, tmp_path: Path) -> None:
    theirs: dict[str, str | bool] = {
        "name": "theirs",
        "listen": f"127.0.0.1:{free_ports(1)[0]}",
        "upstream": "127.0.0.1:1",
        "enabled": True,
    }
    requests.post(f"{foreign}/proxies", json={**theirs}, timeout=HANG).raise_for_status()
    body = 'await cluster.form("n1", "n2")\nawait cluster.cut("n1", "n2")\nawait cluster.sleep(SECOND // 5)'
    with harness(tmp_path, write(tmp_path, body), "--toxiproxy", foreign) as running:
        running.wait_for("FaultTook")
        assert len(requests.get(f"{foreign}/proxies", timeout=HANG).json()) == 3
        told = running.ended()
        (verdict,) = report(running.report)["runs"]
    assert "Traceback" not in told.out + told.err
    assert verdict["fabric"] == f"toxiproxy 2.12.0 at {foreign}"
    assert f"--toxiproxy {foreign}" in verdict["again"]
    left = requests.get(f"{foreign}/proxies", timeout=HANG).json()
    assert list(left) == ["theirs"]
    assert (left["theirs"]["enabled"], left["theirs"]["toxics"]) == (True, [])


class _NoToxiproxy(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<html>Welcome</html>")

    def log_message(self, *_: object) -> None:
        pass


def test_an_address_where_no_toxiproxy_answers_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], taken: int
) -> None:
    monkeypatch.chdir(tmp_path)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _NoToxiproxy) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        here(capsys, "run", "form", "--toxiproxy", url).refused(url)
        server.shutdown()
    silent = f"http://127.0.0.1:{taken}"
    here(capsys, "run", "form", "--toxiproxy", silent).refused(silent)


def test_a_toxiproxy_server_in_the_environment_that_does_not_work_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOXIPROXY_SERVER", "/no/such/program")
    here(capsys, "run", "form").refused("TOXIPROXY_SERVER names /no/such/program")
    monkeypatch.setenv("TOXIPROXY_SERVER", "/bin/false")
    here(capsys, "run", "form").refused("TOXIPROXY_SERVER names /bin/false, which cannot be used")
    # In virtual time nobody asks for it.
    assert here(capsys, "run", "form", "--world", "sim").code == 0


# Readers


def test_a_reader_who_goes_ends_the_session_without_a_word(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "run", "form", "graceful-leave", "--world", "sim", "--seeds", "200", "--report", "out"],
        cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as running:  # fmt: skip
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        assert (running.stderr.read(), running.wait(60)) == (b"", 2)
    assert report(tmp_path / "out")["outcome"] == "unknown"
    assert len(report(tmp_path / "out")["runs"]) < 400


def test_a_full_disk_behind_the_output_is_one_sentence(tmp_path: Path) -> None:
    for arguments in (["run", "form", "--world", "sim"], ["run", "form", "--list"], ["settings"], ["doctor"]):
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run(
                [*COMMAND, *arguments],
                cwd=tmp_path,
                env=environment(),
                stdout=full,
                stderr=subprocess.PIPE,
                check=False,
            )
        assert (done.returncode, done.stderr) == (2, b"shaketable: no space left on device\n")
