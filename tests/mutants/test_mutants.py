"""Small bugs are put into the core and taken out of it; bad ones are noticed, equivalent ones are not."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path

import msgspec
import pytest
from tests.lengths import LONG, NIGHT, mostly_by_night
from tests.long_commands import ended, kept_lines
from tests.mutants.__main__ import chosen, main, parsed
from tests.mutants.judge import How, Judged, Try, judge, tries
from tests.mutants.mutants import Mutant, files, function_of, known, lines_of, made, planted, spots, written
from tests.mutants.page import EQUIVALENT, HARMLESS, NOTICED, Explained, explained, figures, measured, page, share
from tests.mutants.reached import Reach, Reached, played, reach_of
from tests.where import DATA

from shaketable.node.config import CLUSTER, GMS

FOLLOWING = "node/cluster/service/following.py"
KNOWN = [line for line in (DATA / "mutants" / "known.txt").read_text().splitlines() if line and line[0] != "#"]
TRIES = [
    Try(script, seed, "default")
    for seed in (0, 1)
    for script in (
        "late-list", "the-master-s-list-alone-is-heard", "kill-the-master", "two-claims-at-once", "one-way-cut",
        "pause-a-node", "the-master-oversleeps", "six-members", "told-by-third-parties", "nobody-answers-a-joiner",
        "figure-5-cut", "no-stale-overwrite", "storm", "nemesis", "nemesis-that-merges",
    )
]  # fmt: skip


def of(line: str) -> Mutant:
    what, _, change = line.partition(": ")
    _, file, function = what.split(" ")
    before, _, after = change.partition(" => ")
    return written(file, function, before, after)


@pytest.fixture(scope="session")
def equal() -> Mutant:
    return written(FOLLOWING, "Following.on_members_update", "view.version > ms.view", "view.version >= ms.view")


def test_a_mutant_is_one_function_with_other_code_and_only_while_it_is_planted(equal: Mutant) -> None:
    function = function_of(FOLLOWING, "Following.on_members_update")
    assert function is not None
    before = function.__code__
    with planted(equal):
        assert function.__code__ is not before
        assert function.__code__.co_qualname == before.co_qualname
    assert function.__code__ is before
    assert equal.line in lines_of(equal)
    assert (equal.before, equal.after) == ("if view.version > ms.view.version:", "if view.version >= ms.view.version:")


def test_each_kind_of_mistake_is_made_in_this_file() -> None:
    """None is the original, and no two are the same."""
    mutants = [mutant for spot in spots(FOLLOWING) if (mutant := made(spot)) is not None]
    assert {mutant.file for mutant in mutants} == {FOLLOWING}
    assert len({mutant.ident for mutant in mutants}) == len(mutants)
    changes = {(mutant.before, mutant.after) for mutant in mutants}
    assert ("if view.version > ms.view.version:", "if view.version >= ms.view.version:") in changes
    assert ("if sender != ms.master:", "if False:") in changes
    assert ("self._mastership.claim_if_due()", "pass") in changes
    assert not [mutant for mutant in mutants if mutant.before.startswith("ms.env.report(")]


def test_the_same_number_is_the_same_mutant() -> None:
    assert [made(spot) for spot in spots(FOLLOWING)] == [made(spot) for spot in spots(FOLLOWING)]
    assert len(files()) > 80


def test_what_becomes_of_one_file_changes_no_choice_among_the_others() -> None:
    among = [mutant for mutant in chosen(parsed(["--only", "/service/", "--sample", "90"])) if mutant.file == FOLLOWING]
    alone = list(chosen(parsed(["--only", FOLLOWING, "--sample", str(len(among))])))
    assert among == alone
    assert among
    assert among != list(chosen(parsed(["--only", FOLLOWING, "--sample", str(len(among)), "--seed", "2"])))


def test_a_group_has_a_core_of_its_own() -> None:
    """Its mutants are judged by runs of groups, and those of a cluster by runs of clusters."""
    first = "self._sender.beat(seat.member.address, self.message())"
    mutant = written("node/gms/beats.py", "Beats.begin", first, "pass")
    assert mutant.file in files(GMS)
    assert mutant.file not in files()
    assert mutant.service == "beats"
    of_groups, of_clusters = ({name for name, _ in played(family)} for family in (GMS, CLUSTER))
    assert "group-newcomer-tells-all-ring" in of_groups
    assert of_groups.isdisjoint(of_clusters)
    assert judge(mutant, [Try("group-newcomer-tells-all-ring", 1, "default")]).by == "same notifications"


def test_runs_that_know_a_branch_come_first() -> None:
    mutant = written(FOLLOWING, "Following.on_members_update", "if not ms.joined:", "if False:")
    lines = sorted(lines_of(mutant))
    usual = Reach("usual", 100, {FOLLOWING: [mutant.line]})
    reached = Reached([usual, Reach("elsewhere", 100, {}), Reach("knowing", 100, {FOLLOWING: lines})])
    assert [each.script for each in reached.by(mutant)] == ["knowing", "usual"]


def test_plans_that_come_near_are_played_too() -> None:
    """By another seed they may execute the line."""
    mutant = written(FOLLOWING, "Following.on_members_update", "if not ms.joined:", "if False:")
    function, elsewhere = sorted(lines_of(mutant) - {mutant.line}), [max(lines_of(mutant)) + 1]
    story, plan = Reach("late-list", 100, {FOLLOWING: [mutant.line]}), Reach("storm", 100, {FOLLOWING: function})
    far = Reach("nemesis", 100, {FOLLOWING: elsewhere})

    def played(*reaches: Reach) -> list[str]:
        found = tries(mutant, Reached(reaches), 5)
        return [f"{each.script} {each.seed}{' near' * each.near}" for each in found]

    assert played(story, plan, far) == ["late-list 0", "storm 1 near", "late-list 1", "storm 2 near", "late-list 2"]
    assert played(story, far) == ["late-list 0", "nemesis 1 near", "late-list 1", "nemesis 2 near", "late-list 2"]
    assert played(story) == ["late-list 0", "late-list 1", "late-list 2", "late-list 3", "late-list 4"]
    reaching = msgspec.structs.replace(plan, lines=story.lines)
    assert played(reaching, far) == ["storm 1", "nemesis 1 near", "storm 2", "storm 3", "nemesis 2 near"]
    assert played() == []


def test_those_that_execute_most_of_the_file_and_its_folder_come_in_between() -> None:
    """A line that each merge executes says nothing where there are no data."""
    mutant = written(FOLLOWING, "Following.on_members_update", "if not ms.joined:", "if False:")
    beside = f"{FOLLOWING.rpartition('/')[0]}/join.py"
    cheap = Reach("late-list", 100, {FOLLOWING: [mutant.line]})
    full = Reach("kill-the-master", 9000, {FOLLOWING: [mutant.line, 1, 2]})
    fuller = Reach("split-in-two", 9000, {FOLLOWING: [mutant.line, 1, 2], beside: [1]})
    again = Reach("split-in-two", 9000, {FOLLOWING: [mutant.line, 1, 2]}, "fast")
    assert [each.script for each in Reached([cheap, full, fuller, again]).rich(mutant)] == [
        "split-in-two", "kill-the-master", "late-list",
    ]  # fmt: skip


def test_a_plan_that_only_comes_near_has_not_reached_what_it_does_not_change() -> None:
    same = of(next(line for line in KNOWN if line.startswith("same")))
    assert judge(same, [Try("storm", 0, "default", near=True)]).how is How.NOT_REACHED
    assert judge(same, [Try("storm", 0, "default")]).how is How.SAME


def test_a_run_says_which_lines_it_reached() -> None:
    (reach,) = reach_of([("late-list", "")])
    ignored = written(FOLLOWING, "Following.on_members_update", "because(Why.NOT_NEWER)", "because(Why.WITHOUT_ME)")
    assert ignored.line in reach.lines[FOLLOWING]
    assert reach.events > 0


def test_a_mutant_that_ends_its_process_is_told() -> None:
    last = "import os; os.kill(os.getpid(), 9)"
    ends = written(FOLLOWING, "Following.on_members_update", "if not ms.joined:", f"{last}\n        if not ms.joined:")
    assert judge(ends, TRIES[:1]).by == "the end of its process"
    assert judge(ends, []).how is How.NOT_REACHED


def test_shares_leave_out_equivalents_and_what_is_not_reached(equal: Mutant) -> None:
    def found(how: How) -> Judged:
        return Judged(equal, how, "", 3, 2, "", 0)

    some = [found(how) for how in How]
    assert share(some, How.CHECK, How.EXPECTATION, How.OTHERWISE) == 60
    assert "by checks alone: 20.0 % (the aim: 80 %)" in figures(some)
    assert "of those that change a history: 75.0 % noticed, 25.0 % by checks alone" in figures(some)
    assert "of those not known to do no harm: 60.0 % noticed, 20.0 % by checks alone" in figures(some)
    assert f"- {equal}" in page(some, "make mutants", "").split("## Reached and unnoticed")[1]
    line, none = Explained(f"{equal.named} # it is only an example"), Explained("")
    for how in How:
        assert explained(found(how), line, none).how is (how if how in NOTICED else How.EQUIVALENT)
        assert explained(found(how), none, line).how is how
        told = f"noticed, though it has a reason why nobody can: {equal}" in figures(
            [explained(found(how), line, none)]
        )
        assert told == (how in NOTICED)
    some = [explained(each, none, line) for each in some]
    assert "2 of 2 that nobody noticed do no harm" in figures(some)
    assert "by checks alone: 20.0 % (the aim: 80 %)" in figures(some), "the first lines leave none of these out"
    assert "of those not known to do no harm: 100.0 % noticed, 33.3 % by checks alone" in figures(some)
    assert page(some, "make mutants", "").count(f"- {equal}: it is only an example\n") == 5


def test_the_page_says_when_and_how_long_and_on_how_many_cores(equal: Mutant) -> None:
    told = measured(date(2026, 11, 28), 2684, 2, played=60, of=60)
    assert told == "28 November 2026, 45 min on 2 cores: 60 mutants"
    assert f"\n{told}\n" in page([Judged(equal, How.CHECK, "", 3, 2, "", 0)], "make mutants", told)
    again = measured(date(2026, 11, 28), 60, 1, played=12, of=60)
    assert again == "28 November 2026, 60 s on 1 core: 60 mutants, of which 48 were played before"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--runs", "-5"], "--runs is at least 1, not -5."),
        (["--runs", "0"], "--runs is at least 1, not 0."),
        (["--sample", "0"], "--sample is at least 1, not 0."),
        (["--sample", "-3", "--all"], "--sample is at least 1, not -3."),
        (["--only", "nosuchfile"], "There is no file of the core with 'nosuchfile' in its path."),
    ],
)
def test_what_measures_nothing_is_refused(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    monkeypatch.setattr(sys, "argv", ["mutants", *arguments, "--out", str(out)])
    assert ended(main) == 2
    assert capsys.readouterr().err == f"{said}\n"
    assert not out.exists()


def test_a_folder_that_cannot_be_made_is_told_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(sys, "argv", ["mutants", "--out", str(tmp_path / "file")])
    assert ended(main) == 2
    assert (
        capsys.readouterr().err
        == f"{tmp_path / 'file'} cannot be written: file exists; give another folder with --out\n"
    )


def test_a_line_that_was_torn_by_a_kill_is_taken_out(tmp_path: Path) -> None:
    file = tmp_path / "found.jsonl"
    file.write_bytes(b'{"a": 1}\n{"a": ')
    assert kept_lines(file) == [b'{"a": 1}']
    assert file.read_bytes() == b'{"a": 1}\n'
    assert kept_lines(tmp_path / "none") == []


@LONG
@pytest.mark.xdist_group("mutants that are known")  # the core is read through but once
@pytest.mark.parametrize("file", [EQUIVALENT, pytest.param(HARMLESS, marks=NIGHT)], ids=lambda file: file.stem)
def test_each_one_that_is_explained_is_still_there(file: Path) -> None:
    assert [each for each in Explained.kept(file).known_changes if known(each) is None] == []


def test_there_are_ten_of_each() -> None:
    assert [line.split(" ")[0] for line in KNOWN] == ["noticed"] * 10 + ["same"] * 10


@pytest.mark.parametrize(
    "line",
    mostly_by_night(
        2,
        (pytest.param(line, id=f"{number}-{line.split(' ')[2]}", marks=LONG) for number, line in enumerate(KNOWN)),
    ),
)
def test_bad_ones_are_noticed_and_equivalent_ones_are_not(line: str) -> None:
    judged = judge(of(line), TRIES)
    assert (judged.how in NOTICED) == line.startswith("noticed"), judged
