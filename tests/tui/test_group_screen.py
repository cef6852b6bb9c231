"""Keys on the screen of a group: the ring, the doubts, the notifications."""

from __future__ import annotations

from tests.node.process.process_helpers import in_loop
from tests.tui.acting import RING, Acting, Living, acting
from tests.tui.showing import drawn

from shaketable.tui.dialogs.why import WhyDialog
from shaketable.tui.widgets.panel import Panel


def group() -> Living:
    return Living(settings={"family": "gms", "gms_detection": "ring"}, story=RING)


def rows(here: Acting, name: str) -> list[str]:
    return [row.strip() for row in drawn(here.app.query_one(f"#{name}", Panel))]


@in_loop
async def test_a_group_has_a_screen_of_its_own_where_a_cluster_has_partitions() -> None:
    async with acting(group(), 80, 24) as here:
        await here.sees("2 Links  3 Group  4 Timeline")
        await here.press("3")
        assert here.app.present_screen == "group"
        await here.sees("Heartbeats: ring, closed")
        assert rows(here, "ring")[0] == "ring  ▸◆n1 → n2 → !n3 → ▸◆n1"
        assert rows(here, "doubts")[1].split() == ["!", "n3", "0.008", "s", "n1", "not", "announced"]
        assert rows(here, "notifications")[0] == "! n3 has 1 of n1; the newest is 2"
    async with acting(Living(), 80, 24) as here:
        await here.sees("2 Links  3 Partitions  4 Timeline")
        await here.press("3")
        assert here.app.present_screen == "partitions"


@in_loop
async def test_a_member_is_chosen_in_the_ring_and_in_the_doubts() -> None:
    async with acting(group(), 80, 24) as here:
        await here.press("3", "shift+right")
        assert here.session.chosen.node == "n2"
        await here.sees("ring  ◆n1 → ▸n2 → !n3 → ◆n1")
        await here.press("tab", "down")
        assert here.session.chosen.node == "n3"
        await here.press("enter")
        assert here.app.present_screen == "cluster"
        await here.until(lambda: here.app.focused is not None and here.app.focused.id == "node")


@in_loop
async def test_the_newest_notification_is_explained_and_a_click_goes_to_any() -> None:
    async with acting(group(), 80, 24) as here:
        await here.press("3", "tab", "tab", "enter")
        await here.until(lambda: isinstance(here.app.screen, WhyDialog))
        await here.sees("n1 publishes notification 2: joined and ready of n2")
        await here.press("escape")
        await here.click_in("#notifications", "master change")
        place = next(told.place for told in here.session.picture().notifications.told.values())
        assert here.session.cursor == place + 1
        await here.until(lambda: "joined and ready" not in here.text())
