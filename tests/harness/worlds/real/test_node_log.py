"""What the log of a process says of its end."""

from pathlib import Path

from shaketable.harness.worlds.real.node_log import NodeLog

SAID = "its log, n1.log in the folder of the run, ends with: "


def test_the_last_lines_that_say_something(tmp_path: Path) -> None:
    log = NodeLog(tmp_path / "n1.log")
    assert log.end() == ""
    (tmp_path / "n1.log").write_text("one\ntwo\n\n\tthree   of it\nfour\n  \n")
    assert log.end() == f"{SAID}two / three of it / four"


def test_not_what_an_earlier_process_wrote(tmp_path: Path) -> None:
    file = tmp_path / "n1.log"
    file.write_text("the first one stops\n")
    log = NodeLog(file)
    assert log.end() == ""
    with file.open("a") as more:
        more.write("the second one as well\n")
    assert log.end() == f"{SAID}the second one as well"


def test_however_long_and_strange_it_is(tmp_path: Path) -> None:
    file = tmp_path / "n1.log"
    log = NodeLog(file)
    file.write_bytes(b"much\n" * 100_000 + b"\xff" * 3000)
    assert log.end().startswith(f"{SAID}much / much / \ufffd")
    assert len(log.end()) < 600
