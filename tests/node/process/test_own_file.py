"""A node's own file: whatever stands in its place, the node goes on at once."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.waiting import HANG

from shaketable.node.config import DEFAULT
from shaketable.node.process.own_file import OwnFile, UnreadableFile
from shaketable.node.rest import LARGEST_BODY

LIST = "tcp-ip: {member-list: [127.0.0.1:5701]}"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "n1.yaml"


def unreadable(path: Path) -> bool:
    file = OwnFile(str(path))
    with pytest.raises((OSError, ValueError)):
        file.read()
    with pytest.raises(UnreadableFile, match=r"n1.yaml, its configuration, cannot be read$"):
        file.addresses(DEFAULT)
    return True


def test_it_is_read_anew_each_time(path: Path) -> None:
    path.write_text(LIST)
    file = OwnFile(str(path))
    assert file.addresses(DEFAULT) == ("127.0.0.1:5701",)
    path.write_text(LIST.replace("5701", "5702"))
    assert file.addresses(DEFAULT) == ("127.0.0.1:5702",)
    path.write_text("cluster-name: another")
    with pytest.raises(UnreadableFile, match=r"n1.yaml, its configuration: hazelcast.cluster-name cannot be changed"):
        file.addresses(DEFAULT)


def test_a_pipe_that_nobody_writes_to_is_not_waited_for(path: Path) -> None:
    os.mkfifo(path)
    with ThreadPoolExecutor() as elsewhere:
        reading = elsewhere.submit(unreadable, path)
        try:
            assert reading.result(timeout=HANG)
        finally:
            os.close(os.open(path, os.O_RDWR))  # who waits after all goes on


def test_a_pipe_that_somebody_writes_to_is_no_file_either(path: Path) -> None:
    os.mkfifo(path)
    reading = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    writing = os.open(path, os.O_WRONLY)
    try:
        os.write(writing, LIST.encode())
        assert unreadable(path)
    finally:
        os.close(writing)
        os.close(reading)


def test_what_is_no_file_or_too_large_or_no_text_cannot_be_read(path: Path) -> None:
    assert unreadable(path)
    path.mkdir()
    assert unreadable(path)
    path.rmdir()
    for target in (path, Path("/dev/zero"), Path("/dev/null")):
        path.symlink_to(target)
        assert unreadable(path)
        path.unlink()
    path.write_bytes(b"tcp-ip: {member-list: [\xff]}")
    assert unreadable(path)
    path.write_text(LIST + "#" * LARGEST_BODY)
    assert unreadable(path)


def test_nothing_stays_open_that_could_not_be_read(path: Path) -> None:
    path.mkdir()
    lowest = os.dup(0)
    os.close(lowest)
    assert unreadable(path)
    path.rmdir()
    path.symlink_to("/dev/null")
    assert unreadable(path)
    again = os.dup(0)
    os.close(again)
    assert again == lowest
