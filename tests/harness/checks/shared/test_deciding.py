"""Why a check is red or says nothing tells which setting decides, wherever its result is read."""

from __future__ import annotations

import pytest

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.registry import CHECKS, DEPENDS, run_checks
from shaketable.harness.checks.result import BROKEN, HELD, VACUOUS, CheckResult, Depends, Setting
from shaketable.harness.checks.shared.deciding import following, notes_of, with_settings
from shaketable.harness.history.history import History
from shaketable.harness.records import HARNESS, NodeConfigured, Record
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import Script
from shaketable.harness.verdicts.of_checks import check_reasons
from shaketable.harness.verdicts.verdict import ScriptSubject
from shaketable.node.config import FAST, Settings
from shaketable.node.config.settings import BY_OUTSIDE_NAME

COUNT = "partial_disconnection_heartbeat_count"
RED = f"this follows from the setting {COUNT} = 0: no master decides who stays when a link is broken"


async def a_cut_link(cluster: Cluster) -> None:
    await cluster.form("n1", "n2", "n3")
    await cluster.cut("n2", "n3")
    await cluster.sleep(2 * cluster.bounds.settle())


def results(values: dict[str, str]) -> dict[str, CheckResult]:
    settings = FAST.with_values(values)
    ran = run_simulated(Script("cut", "", "", a_cut_link), Options(seed=1, preset="fast", values=values))
    return {each.name: each for each in run_checks(History(ran.records), Bounds(settings))}


def test_a_cut_link_turns_fully_connected_red_because_of_a_setting_and_each_report_says_so() -> None:
    found = results({})
    red = found["fully connected"]
    assert red.status == BROKEN
    assert red.settings == (Setting(COUNT, 0, "no master decides who stays when a link is broken"),)
    assert notes_of(red)[-1] == RED
    (reason,) = check_reasons([red], ScriptSubject("", "", "", ()))
    assert reason.text.endswith(f". {RED[0].upper()}{RED[1:]}.")
    clique = found["best clique"]
    assert (clique.status, following(clique)) == (
        VACUOUS,
        [f"this follows from the setting {COUNT} = 0: no master decides who stays"],
    )


def test_where_the_master_decides_nothing_follows_from_the_setting() -> None:
    found = results({COUNT: "3"})
    assert found["fully connected"].status != BROKEN
    assert all(following(each) == [] for each in found.values())
    assert found["best clique"].settings == (Setting(COUNT, 3),)


OFF = Depends("merging", False, VACUOUS, "why")


@pytest.mark.parametrize(
    ("status", "merging", "own", "follows"),
    [
        (VACUOUS, False, {}, "why"),
        (VACUOUS, False, {"lite_member": True}, "why"),
        (VACUOUS, False, {"merging": True}, ""),
        (VACUOUS, True, {}, ""),
        (HELD, False, {}, ""),
        (BROKEN, False, {}, ""),
    ],
)
def test_what_follows(status: str, merging: bool, own: dict[str, str | int | float | bool], follows: str) -> None:
    history = History([Record(0, HARNESS, "", 1, NodeConfigured("n2", own))] if own else [])
    settings: Settings = FAST.with_values({"merging": merging})
    result = with_settings(CheckResult("any", "", status, "", 1), (OFF,), history, settings)
    assert result.settings == (Setting("merging", merging, follows),)


def test_each_check_names_settings_that_there_are() -> None:
    assert set(DEPENDS) <= {check.name for check in CHECKS}
    assert all(each.setting in BY_OUTSIDE_NAME for depends in DEPENDS.values() for each in depends)
