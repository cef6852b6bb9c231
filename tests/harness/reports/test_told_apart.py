"""Runs of one script, world and seed have several names in report.md and junit.xml, by their variant or preset."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

import msgspec
from tests.harness.reports.told_runs import crash, quiet
from tests.notation.other_system import other

from shaketable.harness.pipeline.stores.run_rows import row_of
from shaketable.harness.reports import report_of_session
from shaketable.harness.reports.campaign_report import CampaignFacts, report_of_campaign
from shaketable.harness.reports.junit import to_junit
from shaketable.harness.reports.markdown import to_markdown
from shaketable.harness.reports.model import Comparison, Report
from shaketable.harness.reports.told_apart import variants_of
from shaketable.harness.verdicts.verdict import RunVerdict, named, session_of

AS_WRITTEN = ("", "default")
FAST = ("fast", "fast")
VARYING = ("varying delays", "default")


def under(preset: str, world: str = "sim", run: RunVerdict | None = None) -> RunVerdict:
    return msgspec.structs.replace(run or crash()[0], world=world, preset=preset)


def others(preset: str) -> RunVerdict:
    return msgspec.structs.replace(under(preset, "real"), other=named(other()))


def report(*runs: tuple[str, RunVerdict], comparisons: Sequence[Comparison] = ()) -> Report:
    """Of a store, each run with its variant."""
    rows = [
        row_of(run, run=str(place), family="cluster", settings={}, allowance=0, marks={}, variant=variant)
        for place, (variant, run) in enumerate(runs)
    ]
    return report_of_campaign(CampaignFacts(title="a store", rows=rows, comparisons=comparisons))


def of_variants(*variants: tuple[str, str]) -> Report:
    return report(*((variant, under(preset)) for variant, preset in variants))


def told(made: Report) -> list[str]:
    """Sorted."""
    return sorted(variants_of(made))


def names_in(xml: str) -> list[str]:
    return [suite.get("name", "") for suite in ElementTree.fromstring(xml.encode())]


def test_suites_and_cases_of_several_variants_have_several_names() -> None:
    xml = to_junit(of_variants(AS_WRITTEN, FAST, VARYING))
    suites = [name for name in names_in(xml) if name.startswith("crash")]
    root = ElementTree.fromstring(xml.encode())
    assert sorted(suites) == ["crash [sim, fast, seed 7]", "crash [sim, seed 7]", "crash [sim, varying delays, seed 7]"]
    cases = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert len(cases) == len(dict.fromkeys(cases))
    assert ("crash", "view integrity [sim, fast, seed 7]") in cases


def test_the_table_of_runs_has_a_column_for_it_only_where_it_says_something() -> None:
    page = to_markdown(of_variants(AS_WRITTEN, FAST, VARYING))
    assert "| | script | seed | world | variant | links | why |\n|---|---|---|---|---|---|---|\n" in page
    for cell in ("", "fast", "varying delays"):
        assert f"| crash | 7 | sim | {cell} | simulated |" in page
    for name in ("crash, seed 7", "crash, seed 7, fast", "crash, seed 7, varying delays"):
        assert f"failed: {name}\n</summary>" in page
    assert "| | script | seed | world | links | why |" in to_markdown(of_variants(AS_WRITTEN))


def test_the_preset_is_named_where_it_is_not_the_usual_one_and_the_variant_does_not_say_it() -> None:
    assert told(report(("", under("default")), ("", under("fast")))) == ["", "preset fast"]
    assert told(report(("", under("fast", "real")), ("", under("default", "real")))) == ["", "preset default"]
    assert told(of_variants(AS_WRITTEN, FAST)) == ["", "fast"]
    xml = to_junit(report(("", under("default")), ("", under("fast"))))
    assert {"crash [sim, seed 7]", "crash [sim, preset fast, seed 7]"} <= dict.fromkeys(names_in(xml)).keys()


def test_of_systems_of_others_presets_are_named_where_there_are_several() -> None:
    assert told(report(("", others("default")))) == [""]
    assert told(report(("", others("default")), ("", others("fast")))) == ["preset default", "preset fast"]


def test_runs_of_a_session_keep_their_names_under_any_preset() -> None:
    session = session_of([under("fast"), under("fast", run=quiet()[0])], "1")
    assert names_in(to_junit(report_of_session(session))) == ["crash [sim, seed 7]", "quiet [sim, seed 7]"]
    assert "| crash | 7 | sim | simulated |" in to_markdown(report_of_session(session))


def test_a_comparison_says_of_which_variant_it_is() -> None:
    def compared(variant: str) -> Comparison:
        return Comparison(
            what="seed 7", script="crash", variant=variant, before="passed", now="failed", said="", kind="new failure"
        )

    one = ("", under("default"))
    page = to_markdown(report(one, comparisons=[compared(""), compared("fast")]))
    assert "| | what | script | variant | before | now | |\n|---|---|---|---|---|---|---|\n" in page
    assert "| new failure | seed 7 | crash | fast | passed | failed |" in page
    assert "| | what | script | before | now | |\n|---|---|---|---|---|---|\n" in to_markdown(
        report(one, comparisons=[compared("")])
    )
