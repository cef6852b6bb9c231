"""`shaketable explore`, as a user calls it: what it says, and its exit codes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.planted.broken_claims import LooksOnce

from shaketable.harness.cli import main
from shaketable.harness.explore.search import Search

SMALL = ["explore", "a-small-removal", "--preset", "fast"]
BROKEN = ["--set", f"own_member={LooksOnce.__module__}:{LooksOnce.__qualname__}"]
TENTH = ["--preset", "fast", "--for", "0.1", "--late", "0"]
JOIN = ["explore", "a-small-claim-during-a-join", "--preset", "fast", "--cuts", "1"]
STORY = '''
from shaketable import SECOND, Cluster, script


@script(about=["settled"])
async def quiet(cluster: Cluster) -> None:
    """Nothing happens."""
    await cluster.form("n1", "n2")
    await cluster.sleep(SECOND)


@script(about=["settled"])
async def once(cluster: Cluster) -> None:
    """n2 crashes, and then once more."""
    await cluster.form("n1", "n2", "n3")
    await cluster.kill("n2")
    await cluster.sleep(SECOND)
    await cluster.kill("n3")
    await cluster.sleep(SECOND)


@script(about=["settled"])
async def wrong(cluster: Cluster) -> None:
    """It names no node."""
    await cluster.form("n1")
    await cluster.kill("n7")


@script(about=["claims"])
async def blind(cluster: Cluster) -> None:
    """Nobody claims anything."""
    await cluster.form("n1", "n2")
    await cluster.kill("n2")
    await cluster.sleep(SECOND)
'''


@pytest.fixture
def stories(tmp_path: Path) -> str:
    file = tmp_path / "stories.py"
    file.write_text(STORY)
    return str(file)


def test_a_world_is_explored_whole(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main([*SMALL, "--out", str(out)]) == 0
    first, last = capsys.readouterr().out.splitlines()
    assert first == "a-small-removal: orders matter for 0.5 s, and a message is at most 0.025 s late"
    assert re.fullmatch(
        r"Explored whole: 4 orders and 112 states, and every check held, after \d+ runs in [\d.]+ s\.", last
    )
    assert not out.exists()


def test_one_that_is_not_explored_whole_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, "--runs", "2"]) == 2
    said = capsys.readouterr().out
    assert "Not explored whole: only orders in which at most one step is not the usual one, and every check" in said
    assert " after 2 runs in " in said


def test_an_order_that_fails_is_a_script_that_fails(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = ["--out", str(tmp_path / "out")]
    assert main([*JOIN, *BROKEN, *out]) == 1
    said = capsys.readouterr().out
    assert "claims: n2 never asks n4, although an answer with v4 names n4" in said
    assert "its order, after which all goes its usual way: cut:n1>n2\n" in said
    file = tmp_path / "out" / "a_small_claim_during_a_join.py"
    assert 'await story("a-small-claim-during-a-join")(cluster)' in file.read_text(), "on any machine"
    again = ["run", str(file), "--world", "sim", "--seed", "1", "--preset", "fast", "--quiet"]
    assert f"It fails again. again: shaketable {' '.join(again[:-1])}\n" in said
    assert main([*again, "--report", str(tmp_path / "report")]) == 1
    assert "claims is broken: n2 never asks n4" in capsys.readouterr().out
    own = ["--set", "own_member=", *out[:0]]
    assert main([*again, *own, "--report", str(tmp_path / "sound")]) == 0, "the order is no harm to a sound member"
    capsys.readouterr()
    assert main([*JOIN, *BROKEN, *out]) == 2
    assert "there is a file" in capsys.readouterr().err


def test_a_check_that_saw_nothing_in_any_order_has_not_held(stories: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", f"{stories}::blind", *TENTH]) == 2
    said = capsys.readouterr().out
    assert "Explored, but not judged: " in said
    assert "  in none of them claims saw anything to judge, and the script is about that\n" in said


def test_an_interrupted_search_says_how_far_it_came(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_search: Search, _most: int) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(Search, "run", interrupted)
    assert main(SMALL) == 2
    assert re.search(r"  0 orders, [1-9]\d* runs, 0 states so far\nshaketable: interrupted\n", capsys.readouterr().err)


def test_an_order_that_cannot_be_judged_is_told(stories: str, capsys: pytest.CaptureFixture[str]) -> None:
    """In some orders the node is gone that the script kills."""
    assert main(["explore", f"{stories}::once", *TENTH, "--kills", "1"]) == 2
    assert re.search(r"[1-9]\d* orders could not be judged; the first: fault 3 \(kill n3\)", capsys.readouterr().out)


def test_the_window_may_begin_at_an_event_after_all_that_the_script_does(capsys: pytest.CaptureFixture[str]) -> None:
    """Faults are tried there as well."""
    merge = ["explore", "a-small-merge", "--preset", "fast", "--from", "Merging", "--for", "0.0004", "--late", "0.0002"]
    assert main(merge) == 0
    assert "Explored whole: 1 order and 3 states" in capsys.readouterr().out
    assert main([*merge, "--kills", "1"]) == 0
    said = capsys.readouterr().out
    assert "5 orders and 11 states" in said
    assert "\n  in 4 of these orders split heals saw nothing to judge\n" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["::quiet"], "does nothing after its cluster has formed: say with --from when orders matter"),
        (["::quiet", "--from", "500"], "has ended by then: give a --from before "),
        (["::quiet", "--from", "-1"], "--from -1: give seconds, from 0 to 86400"),
        (["::quiet", "--for", "1e9"], "--for 1e+09: give seconds, from 0 to 86400"),
        (["::quiet", "--from", "MergJudged"], "give seconds, or a kind of event; did you mean MergeJudged"),
        (["::quiet", "--from", "MergeJudged"], "quiet has no MergeJudged: give a --from that it has, or a time"),
        (["::quiet", "--late", "nan"], "--late nan: give seconds, from 0 to 86400"),
        (["::once", "--set", "schedule=ranked"], "schedule = ranked: explore tries all orders"),
        (["::once", "--set", "schedule_order=1 2 3"], "schedule_order goes with schedule = chosen"),
        (["::quiet", "--kills", "-1"], "--kills -1: give 0 or more"),
        (["::quiet", "--runs", "0"], "--runs 0: give at least 1"),
        (["", "--kills", "1"], "holds 4 scripts (quiet, once"),
        (["::wrong"], "stories.py:26: n7 is not a node of this run (n1)"),
        (["::none"], "there is no none in"),
        (["::once", "--out", "/dev/null"], "/dev/null cannot be written: not a directory; give another folder"),
        (["::quiet", "--cores", "1"], "--cores and --spark-master go with --spark"),
    ],
)
def test_a_mistake_is_one_sentence(
    arguments: list[str], said: str, stories: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explore", stories + arguments[0], *arguments[1:]]) == 2
    told = capsys.readouterr()
    assert said in told.err
    assert told.err.count("\n") == 1
    assert not told.out
