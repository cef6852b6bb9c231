"""Console, JUnit, Markdown and JSON say the same of one session."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from rich.console import Console
from tests.notation.notation import history_of

from shaketable.harness.checks.registry import CHECKS
from shaketable.harness.console.report import print_line, print_run, print_seeds, print_summary
from shaketable.harness.errors import UserError
from shaketable.harness.reports import to_json, write_reports
from shaketable.harness.reports.junit import to_junit
from shaketable.harness.reports.markdown import to_markdown
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, allowance_of, run_simulated
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import script
from shaketable.harness.verdicts.verdict import LeftOut, RunVerdict, ScriptSubject, SessionVerdict, judge, session_of
from shaketable.node.config import DEFAULT
from shaketable.node.core.env import SECOND

CASES_A_RUN = len(CHECKS) + 1
"""a test case for each check of a cluster, and one for what the script expects"""

GOOD = """
step: form n1, n2
n1 installs v1 [n1]
n1 installs v2 [n1 n2]
n2 installs v2 by n1 [n1 n2]
expected: n1 and n2 agree
"""
BAD = """
step: cut n1->n2
n1 installs v1 [n1]
fault 1: cut n1->n2
fault 1 ends
n1 leaves
@0.004s
n1 removes n1 in v2
n1 installs v2 [n2]
expected in vain: n1 & n2 <agree> | on `one` *list*
"""
UNKNOWN = """
n1 installs v1 [n1]
fault 1: pause n1
fault 2 is asked: cut n1->n2
fault 2 has no effect
the links break
"""


def run_of(name: str, story: str, *about: str, expects: str | None = None) -> RunVerdict:
    return judge(
        history_of(story), ScriptSubject(name, f"The story of {name}.", f"chaos/{name}.py", about, expects), DEFAULT, 0
    )


def session() -> SessionVerdict:
    return session_of(
        [
            run_of("good", GOOD, "settled"),
            run_of("bad", BAD, "view order"),
            run_of("unclear", UNKNOWN),
            run_of("museum", BAD.partition("expected")[0], expects="view integrity"),
        ],
        "0.1.0",
    )


def on_console(shown: SessionVerdict, width: int = 80, encoding: str = "utf-8", color: str | None = None) -> str:
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    console = Console(file=out, width=width, color_system=color, force_terminal=color is not None)  # type: ignore[arg-type]
    for run in shown.runs:
        print_run(run, console)
    print_summary(shown, console)
    out.flush()
    assert isinstance(out.buffer, io.BytesIO)
    return out.buffer.getvalue().decode(encoding)


# Console


def test_a_run_that_failed_shows_rule_proof_and_how_to_run_it_again() -> None:
    shown = on_console(session_of([run_of("bad", BAD)], "0.1.0"))
    flat = " ".join(shown.split())
    assert "✗ FAILED bad" in flat
    assert "links: simulated" in flat
    assert "Rule: Each process is a member of every view that it installs, by address and uuid." in flat
    assert "n1 installs v2 [n2], in which it is not." in flat
    assert "0.006 s n1 installs v2 [n2] by n1" in flat
    assert "NOT MET n1 & n2 <agree> | on `one` *list*" in flat
    assert "\n  again: shaketable run chaos/bad.py::bad --world sim --seed 7\n" in shown


LONG_NAME = "group-no-first-lastnotifications-group-shrinks-by-its-oldest-ring-by-seniority"
"""There are scripts with names as long as this: 78 letters."""


def a_line(show: Callable[[Console], None], width: int = 80) -> list[str]:
    out = io.StringIO()
    show(Console(file=out, width=width, color_system=None))
    return [line.rstrip() for line in out.getvalue().splitlines()]


@pytest.mark.parametrize("width", [40, 80, 100, 200])
def test_a_long_name_breaks_no_word_and_stays_whole(width: int) -> None:
    longest = len(LONG_NAME)
    run = run_of(LONG_NAME, GOOD, "settled")
    assert a_line(lambda console: print_seeds(LONG_NAME, 12, 12, console, longest=longest), width) == [
        f"  ✓ passed  {LONG_NAME}  12 seeds passed"
    ]
    (short,) = a_line(lambda console: print_seeds("storm", 3, 12, console, longest=longest), width)
    assert short.split() == ["✓", "passed", "storm", "3", "of", "12", "seeds", "passed"]
    assert len(short) <= width
    (one_run,) = a_line(lambda console: print_line(run, console, longest=longest), width)
    assert one_run.startswith(f"  ✓ passed  {LONG_NAME}  seed 7")
    assert a_line(lambda console: print_run(run, console), width)[0] == f"✓ PASSED  {LONG_NAME}"
    left_out = session_of([run_of("good", GOOD)], "0.1.0", [LeftOut(LONG_NAME, "A story.", "it is for one world")])
    said = a_line(lambda console: print_summary(left_out, console), width)
    assert any(line.startswith(f"  – {LONG_NAME}") for line in said)
    assert "left out: it is for one world" in " ".join(" ".join(said).split())


@pytest.mark.parametrize(("run", "whole", "short"), [
    (run_of("good", GOOD), "{held} checks held, {vacuous} saw nothing", "{held} held, {vacuous} saw nothing"),
    (session().runs[3], "{held} checks held, {broken} broken, as expected, {vacuous} saw nothing",
     "{good} as expected, {vacuous} saw nothing"),
], ids=["held", "broken as expected"])  # fmt: skip
def test_a_line_with_little_room_still_counts_the_checks_that_saw_nothing(
    run: RunVerdict, whole: str, short: str
) -> None:
    statuses = [check.status for check in run.checks]
    counts = {each: statuses.count(each) for each in ("held", "broken", "vacuous")}
    counts["good"] = counts["held"] + counts["broken"]
    assert min(counts["good"], counts["vacuous"]) > 0
    all_said, little = whole.format_map(counts), short.format_map(counts)
    before = f"  ✓ passed  {run.script}  seed 7  "

    def line(width: int, longest: int = 0) -> str:
        (said,) = a_line(lambda console: print_line(run, console, longest=longest), width)
        return said

    assert line(len(before + all_said)) == before + all_said
    assert line(len(before + all_said) - 1) == line(len(before + little)) == before + little
    assert line(len(before + little) - 1) == before.rstrip()
    padded = f"  ✓ passed  {run.script:<20}  seed 7  "
    assert line(len(padded + little), longest=20) == padded + little
    assert line(len(padded + little) - 1, longest=20) == before + (
        all_said if len(before + all_said) < len(padded + little) else little
    )


def test_a_run_that_is_unknown_says_why() -> None:
    flat = " ".join(on_console(session_of([run_of("unclear", UNKNOWN)], "0.1.0")).split())
    assert "? UNKNOWN unclear" in flat
    assert "fault 2 (cut n1->n2) took no effect: no probe was lost" in flat
    assert "the links failed by themselves: Toxiproxy stopped answering" in flat
    assert "2 cut n1->n2 TOOK NO EFFECT: no probe was lost" in flat


def test_each_check_says_what_it_looked_at_and_whether_the_script_is_about_it() -> None:
    shown = on_console(session_of([run_of("good", GOOD, "settled")], "0.1.0"))
    assert re.search(r"✓ held +settled \* +2 live members in 1 cluster at the end of the\s+run", shown)
    assert re.search(r"– vacuous +view order +3 installs of 2 processes over 2 views, of", shown)


def test_an_expected_violation_is_called_so() -> None:
    shown = on_console(session_of([session().runs[3]], "0.1.0"))
    assert "✗ broken, as expected  view integrity *" in shown
    assert "✓ PASSED  museum" in shown


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_nothing_is_wider_than_the_screen_but_the_command(encoding: str) -> None:
    shown = on_console(session(), encoding=encoding)
    assert all(len(line) <= 80 for line in shown.splitlines() if "again: " not in line)
    assert all(line == line.rstrip() for line in shown.splitlines())


def test_without_unicode_the_words_stay() -> None:
    shown = on_console(session(), encoding="ascii")
    for line in ("+ PASSED  good", "x FAILED  bad", "? UNKNOWN  unclear", "+ held", "x BROKEN", "- vacuous"):
        assert line in shown


def test_colour_adds_nothing_to_the_words() -> None:
    coloured = on_console(session(), color="standard")
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == on_console(session())


def test_a_narrow_screen_loses_no_word() -> None:
    words = re.findall(r"\S{3,}", on_console(session(), width=200))
    narrow = "".join(on_console(session(), width=50).split())
    lost = [word for word in words if word not in narrow]
    assert len(lost) < len(words) / 50, lost  # columns side by side cut a few words in two


def test_the_summary_counts_the_outcomes() -> None:
    shown = on_console(session()).splitlines()
    assert shown[-1].startswith("✗ FAILED  2 passed, 1 failed, 1 unknown · histories ")
    assert on_console(session_of([], "0.1.0")).strip() == "? UNKNOWN  nothing was run"


def test_a_long_story_keeps_its_beginning_and_its_end() -> None:
    steps = "\n".join(f"step: step {n}" for n in range(500))
    shown = on_console(session_of([run_of("long", steps)], "0.1.0"))
    assert "step 0\n" in re.sub(" +\n", "\n", shown)
    assert "step 499" in shown
    assert "more moments" in shown
    assert shown.count("\n") < 120


# JUnit


def cases_of(xml: str) -> dict[tuple[str, str], ElementTree.Element]:
    root = ElementTree.fromstring(xml.encode())
    return {(case.get("classname", ""), case.get("name", "")): case for case in root.iter("testcase")}


def test_junit_has_a_suite_a_run_and_a_case_a_check() -> None:
    root = ElementTree.fromstring(to_junit(session()).encode())
    assert root.tag == "testsuites"
    assert [suite.get("name") for suite in root] == [
        f"{name} [sim, seed 7]" for name in ("good", "bad", "unclear", "museum")
    ]
    for suite in root:
        own = suite.findall("testcase")
        assert len(own) == CASES_A_RUN
        assert suite.get("tests") == str(CASES_A_RUN)
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert suite.get(attribute) == str(len(suite.findall(f"testcase/{tag}")))
        properties = {p.get("name"): p.get("value") for p in suite.findall("properties/property")}
        assert properties["seed"] == "7"
        assert properties["fabric"] == "simulated"
    assert root.get("tests") == str(4 * CASES_A_RUN)


def test_junit_keeps_to_the_order_that_schemas_ask_for() -> None:
    root = ElementTree.fromstring(to_junit(session()).encode())
    for suite in root:
        assert [child.tag for child in suite] == ["properties", *["testcase"] * CASES_A_RUN]
        for case in suite.findall("testcase"):
            assert len(case) <= 1
            assert {child.tag for child in case} <= {"failure", "error", "skipped", "system-out"}


@pytest.mark.parametrize(
    ("script", "case", "tag"),
    [
        ("good", "settled", "system-out"),
        ("good", "view order", "skipped"),
        ("good", "expectations of the script", "system-out"),
        ("bad", "view order", "error"),
        ("bad", "view integrity", "failure"),
        ("bad", "expectations of the script", "failure"),
        ("unclear", "expectations of the script", "error"),
        ("museum", "view integrity", "system-out"),
    ],
)
def test_junit_says_what_became_of_a_check(script: str, case: str, tag: str) -> None:
    found = cases_of(to_junit(session()))[script, f"{case} [sim, seed 7]"]
    assert [child.tag for child in found] == [tag]


def test_a_failure_in_junit_holds_rule_proof_and_command() -> None:
    case = cases_of(to_junit(session()))["bad", "view integrity [sim, seed 7]"]
    failure = case.find("failure")
    assert failure is not None
    assert failure.get("message") == "n1 installs v2 [n2], in which it is not."
    assert failure.text is not None
    assert failure.text.startswith("Rule: Each process is a member of every view")
    assert "0.006 s  n1 installs v2 [n2] by n1" in failure.text
    assert failure.text.endswith("again: shaketable run chaos/bad.py::bad --world sim --seed 7")


def test_junit_stays_xml_whatever_a_script_says() -> None:
    wild = "\x00\x1b[31m<&>\"']]>\ufffe\U0001f600 é"
    run = msgspec.structs.replace(session().runs[1], script=wild, title=wild, again=wild, fabric=wild)
    root = ElementTree.fromstring(to_junit(session_of([run], wild)).encode())
    assert root[0].get("name") == "␀␛[31m<&>\"']]>\ufffd\U0001f600 é [sim, seed 7]"


# Markdown


def test_the_page_has_a_line_a_run_and_the_proof_of_what_failed() -> None:
    page = to_markdown(session())
    assert page.startswith("# ✗ failed: 2 passed, 1 failed, 1 unknown\n")
    rows = [line for line in page.splitlines() if line.startswith(("| ✓ passed", "| ✗ failed", "| ? unknown"))]
    assert [row.split(" | ")[1] for row in rows] == ["bad", "unclear", "good", "museum"]
    assert "0.006 s  n1 installs v2 \\[n2\\]" not in page  # nothing is escaped in a fence
    assert "0.006 s  n1 installs v2 [n2] by n1" in page
    assert "shaketable run chaos/bad.py::bad --world sim --seed 7" in page
    assert "<details open><summary>✗ failed: bad, seed 7" in page
    assert "<details><summary>✓ passed: good, seed 7" in page


def test_what_a_script_says_is_no_markup() -> None:
    page = to_markdown(session())
    assert "n1 & n2 \\<agree\\> \\| on \\`one\\` \\*list\\*" in page
    assert "<agree>" not in re.sub(r"```text.*?```", "", page, flags=re.DOTALL)


def test_a_page_that_would_be_too_large_keeps_what_failed() -> None:
    good, bad = session().runs[:2]
    page = to_markdown(session_of([good] * 400 + [bad], "0.1.0"), largest=60_000)
    assert len(page.encode()) <= 60_000
    assert "n1 installs v2 [n2] by n1" in page
    assert "parts are left out; report.json has them all" in page


# JSON and files


def test_the_json_report_comes_back_and_names_its_schema() -> None:
    shown = session()
    assert msgspec.json.decode(to_json(shown), type=SessionVerdict) == shown
    data = msgspec.json.decode(to_json(shown))
    assert (data["schema"], data["outcome"]) == (1, "failed")
    assert data["history_hash"] == shown.history_hash
    assert [run["history_hash"] for run in data["runs"]] == [run.history_hash for run in shown.runs]


def test_the_reports_are_written_side_by_side(tmp_path: Path) -> None:
    paths = write_reports(session(), tmp_path / "a" / "out")
    assert [path.name for path in paths] == ["report.html", "report.md", "junit.xml", "report.json"]
    assert (tmp_path / "a" / "out" / "junit.xml").read_text(encoding="utf-8") == to_junit(session())


def test_reports_that_cannot_be_written_get_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(UserError, match=r"cannot be written to .*out: .*; give another") as caught:
        write_reports(session(), tmp_path / "out")
    assert "\n" not in str(caught.value)


def test_one_report_that_cannot_be_written_does_not_keep_the_others_back(tmp_path: Path) -> None:
    (tmp_path / "report.json").mkdir()
    with pytest.raises(UserError, match="the reports cannot be written"):
        write_reports(session(), tmp_path)
    assert (tmp_path / "report.html").exists()
    assert (tmp_path / "junit.xml").exists()
    assert (tmp_path / "report.md").exists()


# Bounds


@pytest.mark.parametrize(("world", "allowance"), [("sim", "0.050 s"), ("real", "2.000 s")])
def test_each_report_says_once_by_how_much_the_world_makes_bounds_longer(
    world: str, allowance: str, tmp_path: Path
) -> None:
    subject = ScriptSubject("good", "It is good.", "chaos/good.py")
    run = judge(history_of(GOOD), subject, DEFAULT, allowance_of(Options(world)))
    shown = session_of([run], "0.1.0")
    write_reports(shown, tmp_path)
    pages = [(tmp_path / name).read_text(encoding="utf-8") for name in ("report.html", "report.md")]
    for said in (" ".join(on_console(shown).split()), *pages):
        assert said.count(f"each bound {allowance} longer") == 1
    assert f'name="allowance" value="{allowance}"' in (tmp_path / "junit.xml").read_text(encoding="utf-8")


def test_a_bound_is_shown_with_what_the_world_adds() -> None:
    async def body(cluster: Cluster) -> None:
        await cluster.form("n1", "n2")
        await cluster.expect(cluster.that.agree("n1", "n2"), within=3 * SECOND)

    run = judged(run_simulated(script(body), Options()))
    shown = " ".join(on_console(session_of([run], "0.1.0")).split())
    assert "n1, n2 agree on one list, within 3.050 s" in shown
    assert "each bound 0.050 s longer" in shown
