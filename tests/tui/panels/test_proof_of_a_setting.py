"""Where what a check says follows from a setting, its proof on the screens says so."""

from __future__ import annotations

from shaketable.harness.checks.result import BROKEN, HELD, CheckResult, Setting, Violation
from shaketable.tui.model.history.store import Store
from shaketable.tui.model.run_facts import RunFacts
from shaketable.tui.model.session import Session
from shaketable.tui.panels.proof import proof
from shaketable.tui.text import plain


def shown(*results: CheckResult) -> str:
    session = Session(RunFacts("", "sim", "simulated", 1, "fast"), Store(complete=True), live=False)
    session.checks, session.checked = results, 1
    return " ".join(plain(proof(session, 60, 20)).split())


def test_it_is_said_above_the_violation() -> None:
    red = CheckResult(
        "settled",
        "a rule",
        BROKEN,
        "",
        1,
        (Violation("It is broken.", ()),),
        settings=(Setting("merging", False, "why"),),
    )
    said = "· this follows from the setting merging = false: why"
    assert said in shown(red)
    assert shown(red).index(said) < shown(red).index("It is broken.")


def test_else_the_settings_are_named_on_which_it_depends() -> None:
    held = CheckResult("settled", "a rule", HELD, "", 1, settings=(Setting("merging", True),))
    assert "· it depends on merging = true" in shown(held)
