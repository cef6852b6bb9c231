"""The server is killed, hangs, belongs to somebody else, or is not there: links stay as they were put, or one sentence
says why they cannot."""

import asyncio
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from tests.harness.command.command_helpers import alive
from tests.harness.worlds.real.fabric_helpers import (
    Make,
    Receiver,
    Told,
    client_of,
    connect,
    link_to,
    receiving,
    refused,
)
from tests.lengths import LONG
from tests.waiting import until, wait_until

from shaketable.harness.errors import UserError
from shaketable.harness.faults.links import SOUND, LinkState
from shaketable.harness.worlds.real import fabric_server
from shaketable.harness.worlds.real.fabric import FabricError, LinkFabric, LinkPorts, free_ports
from shaketable.harness.worlds.real.fabric_server import OwnServer
from shaketable.harness.worlds.real.server_process import ServerProcess, server_command

pytestmark = LONG

CUT = LinkState(cut=True)
BLACKHOLE = LinkState(blackhole=True)


def server_of(fabric: LinkFabric) -> OwnServer:
    assert isinstance(fabric._server, OwnServer)
    return fabric._server


def pid_of(fabric: LinkFabric) -> int:
    pid = server_of(fabric).pid
    assert pid is not None
    return pid


async def three_links(fabric: LinkFabric, receiver: Receiver) -> list[LinkPorts]:
    links = [LinkPorts(f"n1->n{i}", port, receiver.port) for i, port in enumerate(free_ports(3), 2)]
    await fabric.open(links)
    await fabric.apply_all({links[0].name: CUT, links[1].name: BLACKHOLE})
    return links


async def as_they_were(links: list[LinkPorts], receiver: Receiver) -> None:
    """The first cut, the second a black hole, the third sound."""
    cut, hole, sound = links
    assert await refused(cut.listen)
    before = receiver.connections
    await (await connect(hole.listen)).send(b"lost")
    await until(lambda: receiver.connections == before + 1)
    await (await connect(sound.listen)).send(b"found")
    await until(lambda: receiver.bytes == b"found")


async def test_a_killed_server_is_replaced_even_if_nobody_asks(fabric: LinkFabric, told: Told) -> None:
    async with receiving() as receiver:
        links = await three_links(fabric, receiver)
        old = pid_of(fabric)
        os.kill(old, signal.SIGKILL)
        await until(lambda: bool(told.restored))
        assert pid_of(fabric) != old
        assert len(told.trouble) == 1
        assert "process ended (exit code -9)" in told.trouble[0]
        assert told.restored[0].endswith("works again: 3 links put back, 2 with faults.")
        await as_they_were(links, receiver)


async def test_a_change_that_meets_a_killed_server_is_made_nevertheless(fabric: LinkFabric, told: Told) -> None:
    async with receiving() as receiver:
        links = await three_links(fabric, receiver)
        os.kill(pid_of(fabric), signal.SIGKILL)
        await fabric.apply(links[0].name, SOUND)
        await fabric.apply(links[2].name, CUT)
        assert (len(told.trouble), len(told.restored)) == (1, 1)
        assert not await refused(links[0].listen)
        assert await refused(links[2].listen)


async def test_a_hung_server_is_noticed_killed_and_replaced(fabric: LinkFabric, told: Told) -> None:
    async with receiving() as receiver:
        links = await three_links(fabric, receiver)
        hung = pid_of(fabric)
        os.kill(hung, signal.SIGSTOP)
        began = asyncio.get_running_loop().time()
        change = asyncio.create_task(fabric.apply(links[2].name, BLACKHOLE))
        await until(lambda: bool(told.restored))
        print(f"{fabric.description}: back {asyncio.get_running_loop().time() - began:.2f} s after a hang")  # noqa: T201
        await change
        assert "got no answer within 2 s" in told.trouble[0]
        assert not psutil.pid_exists(hung)
        await fabric.apply(links[2].name, SOUND)
        await as_they_were(links, receiver)


def stop(process: int) -> None:
    """It is asked to at once, and does so when all its threads have heard of it."""
    os.kill(process, signal.SIGSTOP)
    while psutil.Process(process).status() != psutil.STATUS_STOPPED:
        time.sleep(0.01)


async def test_closing_does_not_wait_for_a_hung_server(fabric: LinkFabric) -> None:
    await link_to(fabric, 1)
    server = pid_of(fabric)
    stop(server)
    change = asyncio.create_task(fabric.apply("n1->n2", CUT))
    await asyncio.sleep(0.1)
    await fabric.close()
    assert not psutil.pid_exists(server)
    with pytest.raises((FabricError, asyncio.CancelledError)):
        await change


async def test_a_change_is_made_to_its_end_even_if_its_caller_gives_up(fabric: LinkFabric) -> None:
    link = await link_to(fabric, 1)
    change = asyncio.create_task(fabric.apply(link.name, CUT))
    await asyncio.sleep(0)
    change.cancel()
    await asyncio.gather(change, return_exceptions=True)
    await fabric.apply(link.name, CUT)
    assert await refused(link.listen)


async def test_a_server_that_cannot_be_brought_back_is_said_once_and_for_all(
    fabric: LinkFabric, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = await link_to(fabric, 1)
    monkeypatch.setattr(server_of(fabric), "command", ["/bin/false"])
    os.kill(pid_of(fabric), signal.SIGKILL)
    with pytest.raises(FabricError, match="could not be brought back: it ended at once"):
        await fabric.apply(link.name, CUT)
    with pytest.raises(FabricError, match="could not be brought back"):
        await fabric.apply(link.name, SOUND)
    assert len(told.trouble) == 2
    assert told.restored == []


async def test_a_server_that_finds_no_port_is_said_like_any_other_trouble(
    fabric: LinkFabric, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    await link_to(fabric, 1)

    def none_left(n: int) -> list[int]:
        raise UserError("no port is left.")

    monkeypatch.setattr(fabric_server, "free_ports", none_left)
    monkeypatch.setattr(server_of(fabric), "command", ["/bin/false"])
    os.kill(pid_of(fabric), signal.SIGKILL)
    await until(lambda: len(told.trouble) == 2)
    assert told.trouble[1].endswith("could not be brought back: no port is left.")
    with pytest.raises(FabricError, match="no port is left"):
        await fabric.apply("n1->n2", CUT)


async def test_a_port_taken_at_the_last_moment(
    make: Make, choice: str, monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """The real server would only log that, stay up, and let a stranger answer in its place."""
    async with receiving() as stranger:
        (free,) = free_ports(1)
        ports = iter([[stranger.port], [free]])
        monkeypatch.setattr(fabric_server, "free_ports", lambda n: next(ports))
        fabric = make(choice)
        await fabric.start()
        assert server_of(fabric).port == free


async def test_no_proxy_setting_of_the_environment_is_followed(
    make: Make, choice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    fabric = make(choice)
    await fabric.start()
    link = await link_to(fabric, 1)
    await fabric.apply(link.name, CUT)


async def test_a_second_fabric_in_one_process_is_refused(fabric: LinkFabric, make: Make) -> None:
    with pytest.raises((FabricError, UserError), match="knows one at a time"):
        await make("relay").start()


async def test_too_few_open_files_are_said_before_links_go_deaf(
    fabric: LinkFabric, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (102, 102))
    with pytest.raises(UserError, match="1 links need 103 open files and the hard limit is 102"):
        await link_to(fabric, 1)


HARNESS = """
import asyncio, sys
from pathlib import Path
from shaketable.harness.worlds.real.fabric import LinkFabric
async def main():
    nothing = lambda line: None
    fabric = LinkFabric(sys.argv[1], log_dir=Path(sys.argv[2]), say=nothing, on_trouble=nothing, on_restored=nothing)
    await fabric.start()
    print(fabric._server.pid, flush=True)
    await asyncio.sleep(60)
asyncio.run(main())
"""


def test_the_server_never_outlives_the_harness(choice: str, tmp_path: Path) -> None:
    harness = subprocess.Popen(
        [sys.executable, "-c", HARNESS, choice, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert harness.stdout is not None
    server = psutil.Process(int(harness.stdout.readline()))
    assert alive(server)
    harness.kill()
    harness.wait()
    wait_until(lambda: not alive(server), "the server has ended with its harness")


# -- a server that was there before us


@pytest.fixture
def foreign(choice: str, tmp_path: Path) -> Iterator[tuple[str, ServerProcess]]:
    (port,) = free_ports(1)
    process = ServerProcess([*server_command(choice), str(port)], tmp_path / "foreign.log")
    wait_until(lambda: process.owns(port), "the server listens")
    yield f"http://127.0.0.1:{port}", process
    process.kill()


async def test_on_a_foreign_server_only_our_proxies_are_touched(foreign: tuple[str, ServerProcess], make: Make) -> None:
    url, process = foreign
    async with receiving() as receiver:
        fabric = make(url)
        await fabric.start()
        assert fabric.description.endswith(f" at {url}")
        theirs = {"name": "n1->n2", "listen": f"127.0.0.1:{free_ports(1)[0]}", "upstream": "127.0.0.1:1"}
        client_of(fabric).populate([theirs])
        links = await three_links(fabric, receiver)
        await as_they_were(links, receiver)
        client = client_of(fabric)
        assert len(client.proxies()) == 4
        await fabric.close()
        assert process.exit_code() is None
        again = make(url)
        await again.start()
        assert list(client_of(again).proxies()) == ["n1->n2"]


async def test_a_foreign_server_that_comes_back_gets_its_links_again(
    foreign: tuple[str, ServerProcess], make: Make, told: Told
) -> None:
    url, process = foreign
    async with receiving() as receiver:
        fabric = make(url)
        await fabric.start()
        links = await three_links(fabric, receiver)
        os.kill(process.pid, signal.SIGSTOP)
        await until(lambda: bool(told.trouble))
        assert "waiting for it to come back" in told.trouble[0]
        os.kill(process.pid, signal.SIGCONT)
        await until(lambda: bool(told.restored))
        await as_they_were(links, receiver)


async def test_a_foreign_server_that_stays_away_ends_the_run(
    foreign: tuple[str, ServerProcess], make: Make, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fabric_server, "FOREIGN_PATIENCE", 0.5)
    url, process = foreign
    fabric = make(url)
    await fabric.start()
    link = await link_to(fabric, 1)
    process.kill()
    with pytest.raises(FabricError, match="could not be brought back"):
        await fabric.apply(link.name, CUT)
    assert told.restored == []
