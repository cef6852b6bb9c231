"""The settings of a run on the screens: all of them, found by words, with the default and what is secret."""

from __future__ import annotations

from tests.node.process.process_helpers import in_loop
from tests.tui.acting import Living, acting
from textual.widgets import Input

from shaketable.harness.records import NodeConfigured
from shaketable.node.config import FAST
from shaketable.node.config.settings import BY_OUTSIDE_NAME
from shaketable.tui.panels.settings import NONE_SO, NOT_YET, settings
from shaketable.tui.text import plain

OWN = FAST.with_values({"cluster_password": "let me in", "rest_enabled": True})


def living() -> Living:
    source = Living(settings=OWN.outside())
    source.tell(NodeConfigured("n2", {"lite_member": True}))
    return source


def shown(typed: str, width: int = 76) -> str:
    return plain(settings(living().session, typed, width))


def test_every_setting_is_there_with_its_value_its_default_and_its_meaning() -> None:
    text = shown("", 200)
    assert all(f"{name} = " in text for name in OWN.outside())
    assert " ◆ heartbeat_interval_seconds = 0.25  the default is 5\n" in text
    meaning = BY_OUTSIDE_NAME["partition_count"].metadata["meaning"]
    assert f"   partition_count = 271  the default\n     {meaning[:60]}" in text


def test_words_find_a_setting_by_its_name_its_value_its_meaning_and_hazelcasts_name() -> None:
    for typed in ("phi min_std", "PHI 100 dev_millis", "phiaccrual std.dev"):
        assert "phi_accrual_min_std_dev_millis = 100" in shown(typed)
        assert shown(typed).count(" = ") == 1
    assert "family = cluster  the default" in shown("family")
    assert NONE_SO.split(":")[0][:40] in shown("no such words")


def test_what_is_secret_is_hidden_and_what_a_node_has_of_its_own_is_said() -> None:
    assert " ◆ cluster_password = ***" in shown("password")
    assert "let me in" not in shown("", 200)
    assert "but n2 true" in shown("lite_member")


def test_the_settings_of_a_script_that_has_not_begun_are_not_known() -> None:
    assert plain(settings(Living().session, "", 200)).strip() == NOT_YET


@in_loop
async def test_a_key_opens_them_and_they_are_found_while_they_are_typed() -> None:
    async with acting(living(), 80, 24) as here:
        await here.press("comma")
        await here.sees("The settings of this run")
        await here.sees("heartbeat_interval_seconds = 0.25")
        await here.type("lite")
        await here.sees("lite_member = false")
        assert "heartbeat_interval_seconds" not in here.text()
        assert here.app.screen.query_one(Input).value == "lite"
        await here.press("down", "escape")
        await here.until(lambda: "The settings of this run" not in here.text())
