"""Real nodes and real clients: the text's own curl lines, hundreds of bad requests, a password that nobody is told."""

from __future__ import annotations

import asyncio
import json
import os
import random
import shlex
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.conftest import AsWritten
from tests.harness.worlds.real.world_helpers import Stage, stage
from tests.lengths import LONG
from tests.node.rest import fuzzed
from tests.shown import commands, transcripts, with_output
from tests.waiting import HANG
from tests.where import DOCS

from shaketable.harness.conditions.cluster import agree
from shaketable.harness.faults.actions import Http, Kill, NoEffect, Restart, Start, WriteFile
from shaketable.harness.worlds.real.ports import free_ports
from shaketable.node.core.env import SECOND
from shaketable.node.events import JoinAddressesChanged, JoinAddressesChangeEnded
from shaketable.node.rest import MEMBER_LIST, RELOAD, UPDATE, Request

pytestmark = LONG

PASSWORD = "s3cret"
OPEN = {"rest_enabled": True, "rest_groups": "CLUSTER_READ CLUSTER_WRITE", "cluster_password": PASSWORD}
NAMES = ("n1", "n2", "n3")
FIRST = ["127.0.0.1:5701", "127.0.0.1:5702", "127.0.0.1:5703"]
NEW = ["127.0.0.1:5701", "127.0.0.1:5709"]
TOLD = "The member list of TCP-IP join config is updated at run time. "
CURL = shutil.which("curl")


@asynccontextmanager
async def answering(folder: Path, names: Sequence[str] = NAMES, **settings: object) -> AsyncIterator[Stage]:
    async with stage(folder) as s:
        for count, name in enumerate(names, 1):
            await s.act(Start((name,), tuple(names), {**OPEN, **settings}))
            await s.met(agree(names[:count]))
        yield s


def url(s: Stage, name: str, path: str = MEMBER_LIST) -> str:
    return f"http://127.0.0.1:{s.world.rest_port(name)}{path}"


async def curl(*words: str) -> bytes:
    assert CURL is not None
    process = await asyncio.create_subprocess_exec(
        CURL, "--silent", "--show-error", "--max-time", "20", *words, stdout=asyncio.subprocess.PIPE
    )
    said, _ = await process.communicate()
    assert process.returncode == 0
    return said


async def bare(port: int, data: bytes) -> bytes:
    """What comes back for these bytes, without any client's help."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(data)
        return await asyncio.wait_for(reader.read(), HANG)
    except ConnectionError:
        return b""
    finally:
        writer.close()


def with_body(method: str, path: str, body: bytes, content_type: str = "text/plain") -> bytes:
    size = f"Content-Length: {len(body)}"
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {content_type}\r\n{size}\r\n\r\n"
    return head.encode() + body


async def lists(s: Stage) -> list[list[str]]:
    answers = [await bare(s.world.rest_port(name), with_body("GET", MEMBER_LIST, b"")) for name in NAMES]
    return [json.loads(answer.partition(b"\r\n\r\n")[2])["member-list"] for answer in answers]


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


@pytest.mark.skipif(CURL is None, reason="there is no curl on this machine; the same bytes are sent without it below")
async def test_the_text_s_own_curl_lines(tmp_path: Path) -> None:
    async with answering(tmp_path) as s:
        joined = b'["127.0.0.1:5701","127.0.0.1:5702","127.0.0.1:5703"]'
        assert await curl("-X", "GET", url(s, "n1")) == b'{"status":"success","member-list":' + joined + b"}"
        changed = await curl(
            "-X", "POST", "-H", "Content-Type: text/plain", "--data-urlencode", "dev", "--data-urlencode", PASSWORD,
            "--data-urlencode", ",".join(NEW), url(s, "n2"),
        )  # fmt: skip
        new = b'["127.0.0.1:5701","127.0.0.1:5709"]'
        assert changed == b'{"status":"success","message":"' + TOLD.encode() + b'","member-list":' + new + b"}"
        for name in NAMES:
            assert await curl("-X", "GET", url(s, name)) == b'{"status":"success","member-list":' + new + b"}"
        # As curl does it without being told the content type or the method; and a file that is far too large.
        fields = ("--data-urlencode", "dev", "--data-urlencode", PASSWORD, "--data-urlencode", ",".join(FIRST))
        assert json.loads(await curl(*fields, url(s, "n3")))["member-list"] == FIRST
        large = tmp_path / "large"
        large.write_bytes(b"a" * 5_000_000)
        told = json.loads(await curl("-H", "Content-Type: text/plain", "--data-binary", f"@{large}", url(s, "n1")))
        assert told == {"status": "fail", "message": "a body has at most 65536 bytes"}
        assert await lists(s) == [FIRST] * 3


@pytest.mark.skipif(CURL is None, reason="there is no curl on this machine")
async def test_the_page_shows_what_curl_is_answered(tmp_path: Path, as_written: AsWritten) -> None:
    """The nodes have the settings of its first command, but for the port."""
    page = DOCS / "rest.md"
    text = page.read_text(encoding="utf-8")
    values = dict(word.split("=", 1) for word in shlex.split(commands(text)[0]) if "=" in word)
    del values["rest_port"]
    async with answering(tmp_path, NAMES[:2], **values) as s:
        told = []
        for each in transcripts(text):
            _, *words = shlex.split(each.command.replace("127.0.0.1:8702", f"127.0.0.1:{s.world.rest_port('n2')}"))
            told.append((each, (await curl(*words)).decode().splitlines()))
    assert len(told) == 2
    as_written(page, with_output(text, told))


async def test_the_same_bytes_without_curl(tmp_path: Path) -> None:
    async with answering(tmp_path) as s:
        body = b"dev&s3cret&127.0.0.1%3A5701%2C127.0.0.1%3A5709"
        answer = await bare(s.world.rest_port("n3"), with_body("POST", MEMBER_LIST, body))
        told = f'{{"status":"success","message":"{TOLD}","member-list":["127.0.0.1:5701","127.0.0.1:5709"]}}'
        assert answer == (
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
            + f"Content-Length: {len(told)}\r\nConnection: close\r\n\r\n{told}".encode()
        )
        assert await lists(s) == [NEW] * 3
        for name in NAMES:
            (event,) = s.events(name, JoinAddressesChanged)
            assert isinstance(event, JoinAddressesChanged)
            assert list(event.addresses) == NEW
        assert len(s.events("n1", JoinAddressesChangeEnded)) == 1


async def test_update_and_reload_and_a_restart(tmp_path: Path) -> None:
    async with answering(tmp_path) as s:
        document = b"dev&s3cret&tcp-ip: {member-list: [127.0.0.1:5701, 127.0.0.1:5709]}"
        assert status(await bare(s.world.rest_port("n2"), with_body("POST", UPDATE, document))) == 200
        assert await lists(s) == [NEW] * 3
        assert status(await bare(s.world.rest_port("n2"), with_body("POST", RELOAD, b"dev&s3cret"))) == 200
        assert await lists(s) == [FIRST] * 3
        file = tmp_path / "n2.yaml"
        file.write_text(file.read_text().replace("127.0.0.1:5703", "127.0.0.1:5704"))
        assert status(await bare(s.world.rest_port("n2"), with_body("POST", RELOAD, b"dev&s3cret"))) == 200
        assert await lists(s) == [[*FIRST[:2], "127.0.0.1:5704"]] * 3
        file.write_text("cluster-name: [")
        assert status(await bare(s.world.rest_port("n2"), with_body("POST", RELOAD, b"dev&s3cret"))) == 400
        file.write_text("tcp-ip: {member-list: [127.0.0.1:5701, 127.0.0.1:5705]}")
        await s.act(Kill("n2"))
        await s.act(Restart("n2"))
        await s.met(agree(NAMES))
        assert (await lists(s))[1] == ["127.0.0.1:5701", "127.0.0.1:5705"]
        file.unlink()
        assert status(await bare(s.world.rest_port("n2"), with_body("POST", RELOAD, b"dev&s3cret"))) == 400
        await s.act(Kill("n2"))
        with pytest.raises(NoEffect, match=r"n2.yaml, its configuration, cannot be read"):
            await s.act(Restart("n2"))


async def test_a_file_is_written_all_at_once_or_not_at_all(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.act(Start(("n1",), ("n1",), OPEN))
        await s.act(WriteFile("n1", "tcp-ip: {member-list: [127.0.0.1:5709]}"))
        assert status(await bare(s.world.rest_port("n1"), with_body("POST", RELOAD, b"dev&s3cret"))) == 200
        assert not (tmp_path / "n1.yaml.new").exists()
        (tmp_path / "n1.yaml.new").mkdir()
        with pytest.raises(NoEffect, match=r"n1.yaml, its configuration, cannot be written: Is a directory"):
            await s.act(WriteFile("n1", ""))
        assert "5709" in (tmp_path / "n1.yaml").read_text()
        await s.act(Start(("n2",), ("n2",)))
        with pytest.raises(NoEffect, match="n2 has no file of its configuration: set rest_enabled"):
            await s.act(WriteFile("n2", ""))


async def test_a_pipe_in_the_place_of_its_file_holds_no_node_up(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.act(Start(("n1",), ("n1",), OPEN))
        (tmp_path / "n1.yaml").unlink()
        os.mkfifo(tmp_path / "n1.yaml")
        assert status(await bare(s.world.rest_port("n1"), with_body("POST", RELOAD, b"dev&s3cret"))) == 400


async def test_hundreds_of_bad_requests_and_crowds_do_no_harm(tmp_path: Path) -> None:
    """The members go on with their heartbeats, and their lists change only by what was answered so."""
    async with answering(tmp_path, rest_request_timeout_seconds=0.3) as s:
        rng = random.Random(1)
        for _ in range(30):
            await asyncio.gather(*(bare(s.world.rest_port(rng.choice(NAMES)), fuzzed.raw(rng)) for _ in range(10)))
        idle = [await asyncio.open_connection("127.0.0.1", s.world.rest_port("n1")) for _ in range(100)]
        answers = [await asyncio.wait_for(reader.read(), HANG) for reader, _ in idle]
        assert {status(answer) for answer in answers} == {408, 503}
        for _, writer in idle:
            writer.close()
        body = b"dev&s3cret&" + ",".join(NEW).encode()
        assert status(await bare(s.world.rest_port("n2"), with_body("POST", MEMBER_LIST, body))) == 200
        assert await lists(s) == [NEW] * 3
        assert all(s.world.observed.nodes[name].version == 3 for name in NAMES), "somebody was suspected"


async def test_who_is_closed_says_so_or_does_not_listen(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.act(Start(("n1",), ("n1",)))
        with pytest.raises(NoEffect, match="n1 does not listen for HTTP requests: set rest_enabled"):
            await s.act(Http("n1", Request("GET", MEMBER_LIST), SECOND))
        await s.act(Start(("n2",), ("n2",), {**OPEN, "rest_groups": ""}))
        answer = await bare(s.world.rest_port("n2"), with_body("GET", MEMBER_LIST, b""))
        assert status(answer) == 403
        base = free_ports(1)[0] - 2
        await s.act(Start(("n3",), ("n3",), {**OPEN, "rest_port": base}))
        assert s.world.rest_port("n3") == base + 2
        assert status(await bare(base + 2, with_body("GET", MEMBER_LIST, b""))) == 200
        with pytest.raises(NoEffect, match=f"cannot listen for HTTP requests at 127.0.0.1:{base + 2}: address already"):
            await s.act(Start(("n4",), ("n4",), {**OPEN, "rest_port": base - 1}))


async def test_the_password_is_nowhere(tmp_path: Path) -> None:
    async with answering(tmp_path, cluster_password="not-to-be-told") as s:
        for body in (b"dev&not-to-be-told&127.0.0.1", b"dev&not-to-be-told&no list", b"no&not-to-be-told&", b"%%%"):
            for path in (MEMBER_LIST, UPDATE, RELOAD, "/not-to-be-told"):
                answer = await bare(s.world.rest_port("n1"), with_body("POST", path, body))
                assert b"not-to-be-told" not in answer
        records = repr(s.records)
    assert "not-to-be-told" not in records
    assert_nowhere_in(tmp_path)


def assert_nowhere_in(folder: Path) -> None:
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert {"n1.log", "n1.yaml"} <= {file.name for file in files}
    assert [file.name for file in files if b"not-to-be-told" in file.read_bytes()] == []
