"""Each fault of a link, and each end of one, is seen by the nodes themselves before it has a receipt."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.harness.worlds.real.world_helpers import stage

from shaketable.harness.conditions.cluster import agree, link_is_down
from shaketable.harness.faults.actions import Kill, NoEffect, Reset
from shaketable.harness.faults.links import SOUND, LinkState, Slices
from shaketable.harness.faults.table import Pause
from shaketable.harness.worlds.real.evidence import EVIDENCE_LIMIT, in_words
from shaketable.harness.worlds.real.probed import NOTICEABLE, Probed, passage
from shaketable.harness.worlds.real.probes import FOR_EVER, Probes
from shaketable.node.config import FAST
from shaketable.node.core.env import SECOND
from shaketable.node.process import control

FORTH, BACK = ("n1", "n2"), ("n2", "n1")
CUT, BLACKHOLE = LinkState(cut=True), LinkState(blackhole=True)
PATIENT = FAST.with_values({"heartbeat_timeout_seconds": 3600, "connection_monitor_interval_millis": 3_600_000})
"""nobody is suspected, and its links hung up, however late probes are, or however long a machine keeps a link cut"""


async def test_every_fault_of_a_link_has_evidence(tmp_path: Path, choice: str) -> None:
    async with stage(tmp_path, choice, PATIENT) as s:
        await s.form("n1", "n2")
        arrived, passed = "a probe arrived in time", "read back; a probe passed"
        for state, began, ended in (
            (CUT, "its sender's link went down", "its sender has its link up again"),
            (BLACKHOLE, "a probe was sent and did not arrive", arrived),
            (LinkState(latency=200_000, jitter=20_000), "a probe took 135 ms or more", arrived),
            (LinkState(rate=10_000), "a probe took 150 ms or more", arrived),
            (LinkState(latency=20_000), passed, passed),
            (LinkState(slices=Slices()), passed, passed),
            (LinkState(rate=10_000, slices=Slices()), passed, arrived),
        ):
            number, how = await s.link_fault(FORTH, state=state)
            assert how == began
            assert await s.end(number) == ended
        assert await s.act(Reset(9, (FORTH, BACK))) == "2 links: it went down and came back"


async def test_faults_overlap_and_the_end_of_one_ends_that_one_alone(tmp_path: Path) -> None:
    async with stage(tmp_path, settings=PATIENT) as s:
        await s.form("n1", "n2")
        cut, _ = await s.link_fault(FORTH, state=CUT)
        hole, how = await s.link_fault(FORTH, BACK, state=BLACKHOLE)
        assert how == "1 link: it is cut already; 1 link: a probe was sent and did not arrive"
        again, how = await s.link_fault(FORTH, state=CUT)
        assert how == "another fault keeps the links as they are"
        await s.end(cut)
        assert await s.end(again) == "read back only: its connection is not up"
        assert "arrived in time" in await s.end(hole)
        await s.met(agree(("n1", "n2")))


async def test_many_links_at_once_take_hardly_longer_than_one(tmp_path: Path) -> None:
    names = ("n1", "n2", "n3", "n4")
    async with stage(tmp_path, settings=PATIENT) as s:
        await s.form(*names)
        split = [(a, b) for a in names for b in names if (a < "n3") != (b < "n3")]
        number, how = await s.link_fault(*split, state=BLACKHOLE)
        assert how == "8 links: a probe was sent and did not arrive"
        assert await s.end(number) == "8 links: a probe arrived in time"
        number, how = await s.link_fault(*split, state=CUT)
        assert how == "8 links: its sender's link went down"
        assert await s.end(number) == "8 links: its sender has its link up again"


async def test_where_no_probe_can_go_the_receipt_says_so(tmp_path: Path) -> None:
    async with stage(tmp_path, settings=PATIENT) as s:
        await s.form("n1", "n2", "n3")
        pause, _ = await s.begin(Pause("n2"))
        hole, how = await s.link_fault(FORTH, state=BLACKHOLE)
        assert how == "read back only: n2 is paused"
        cut, how = await s.link_fault(BACK, state=CUT)
        assert how == "read back only: n2 is paused"
        await s.end(pause)
        await s.act(Kill("n3"))
        _, how = await s.link_fault(("n1", "n3"), ("n3", "n1"), state=CUT)
        assert "n3 is not running" in how
        with pytest.raises(NoEffect, match="the link n1->n3 is not up"):
            await s.act(Reset(9, (("n1", "n3"),)))
        await asyncio.gather(s.end(hole), s.end(cut))


async def test_a_fault_that_the_fabric_refuses_has_no_effect_and_is_not_left_behind(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.form("n1", "n2")
        with pytest.raises(NoEffect, match="latency is whole milliseconds"):
            await s.link_fault(FORTH, state=LinkState(latency=1))
        assert s.world.table.link(FORTH) == SOUND


async def test_a_slow_link_comes_up_again_after_it_was_reset(tmp_path: Path) -> None:
    """Its handshake takes longer than the usual limit; the nodes are told before the link is slowed."""
    async with stage(tmp_path, settings=PATIENT) as s:
        await s.form("n1", "n2")
        number, _ = await s.link_fault(FORTH, state=LinkState(latency=700_000))
        assert await s.act(Reset(9, (FORTH,))) == "it went down and came back"
        await s.end(number)


async def test_what_is_done_to_a_link_that_its_node_has_hung_up_has_a_receipt_too(tmp_path: Path, choice: str) -> None:
    """A heal is seen by opening it; and where nobody is a member, it is hung up again."""
    async with stage(tmp_path, choice) as s:
        await s.form("n1", "n2")
        apart, _ = await s.link_fault(FORTH, BACK, state=CUT)
        await s.met(agree(["n1"]) & agree(["n2"]))
        assert await s.end(apart) == "2 links: its sender has its link up again"
        hung_up = "read back only: its node has hung it up"
        arrived, passed = "a probe arrived in time", "read back; a probe passed"
        for state, began, ended in (
            (CUT, hung_up, "its sender has its link up again"),
            (BLACKHOLE, hung_up, arrived),
            (LinkState(cut=True, blackhole=True), hung_up, "its sender has its link up again"),
            (LinkState(latency=200_000), "a probe took 150 ms or more", arrived),
            (LinkState(rate=10_000), "a probe took 150 ms or more", arrived),
            (LinkState(slices=Slices()), passed, passed),
        ):
            await s.met(link_is_down(*FORTH))
            number, how = await s.link_fault(FORTH, state=state)
            assert how == began
            assert await s.end(number) == ended
        await s.met(link_is_down(*FORTH) & link_is_down(*BACK))
        with pytest.raises(NoEffect, match="the link n1->n2 is not up: its node has hung it up"):
            await s.act(Reset(9, (FORTH,)))


async def test_of_a_cut_that_ends_over_a_black_hole_a_link_that_was_hung_up_shows_nothing(tmp_path: Path) -> None:
    async with stage(tmp_path) as s:
        await s.form("n1", "n2")
        apart, _ = await s.link_fault(FORTH, BACK, state=CUT)
        await s.met(agree(["n1"]) & agree(["n2"]))
        await s.end(apart)
        await s.met(link_is_down(*FORTH))
        hole, _ = await s.link_fault(FORTH, state=BLACKHOLE)
        cut, how = await s.link_fault(FORTH, state=CUT)
        assert how == "read back only: its node has hung it up"
        assert await s.end(cut) == "read back only: its node has hung it up"
        assert await s.end(hole) == "a probe arrived in time"


def test_how_long_a_probe_must_take() -> None:
    slow, thin, sliced = LinkState(latency=200_000), LinkState(rate=1000), LinkState(rate=10_000, slices=Slices())
    assert passage(SOUND, slow).least == 150_000
    assert passage(slow, SOUND).most == 150_000
    assert passage(SOUND, thin).padding == 200
    assert passage(SOUND, thin).least == 150_000
    assert passage(thin, SOUND).most == 150_000
    assert passage(SOUND, sliced).padding == 0
    assert passage(slow, thin).most == FOR_EVER - 1
    assert passage(SOUND, LinkState(slices=Slices())).least == 0


@pytest.mark.parametrize("latency", [20_000, 32_000, 60_000, 80_000, 90_000, 200_000])
@pytest.mark.parametrize("rate", [10_000, 29_000, 80_000])
def test_a_link_that_stays_thin_is_not_asked_for_a_probe_sooner_than_it_lets_one_come(rate: int, latency: int) -> None:
    wanted = passage(LinkState(rate=rate, latency=latency), LinkState(rate=rate))
    alone = wanted.padding * SECOND // rate
    assert wanted.least < alone
    assert wanted.most >= alone + NOTICEABLE
    assert (wanted.most < FOR_EVER - 1) == (latency >= 100_000)


async def test_of_two_faults_of_a_link_the_slow_one_ends_where_the_thin_one_lasts(tmp_path: Path) -> None:
    async with stage(tmp_path, settings=PATIENT) as s:
        await s.form("n1", "n2")
        thin, _ = await s.link_fault(FORTH, state=LinkState(rate=29_000))
        slow, _ = await s.link_fault(FORTH, state=LinkState(latency=32_000))
        assert await s.end(slow) == "a probe took 150 ms or more"
        assert await s.end(thin) == "a probe arrived in time"


def test_a_receipt_claims_no_more_than_a_probe_shows() -> None:
    for weak in (
        LinkState(latency=20_000),
        LinkState(latency=200_000, jitter=200_000),
        LinkState(rate=1_000_000),
        LinkState(slices=Slices()),
    ):
        assert passage(SOUND, weak).words == passage(weak, SOUND).words == "read back; a probe passed"
    assert passage(BLACKHOLE, SOUND).words == "a probe arrived in time"
    assert passage(LinkState(latency=200_000), SOUND).words == "a probe arrived in time"


async def test_no_probe_is_sent_over_a_narrow_link_while_one_is_on_its_way() -> None:
    told: list[control.Order] = []
    probes = Probes()

    def tell(order: control.Order) -> None:
        told.append(order)
        if isinstance(order, control.Probe):
            probes.said(control.ProbeSent(order.nonce, 0))
            # The first is lost with its connection, the second is slow.
            loop = asyncio.get_running_loop()
            if len(told) == 1:
                loop.call_later(0.5, probes.changed, FORTH, False)
            else:
                heard = control.ProbeHeard(order.nonce, "n1", 0, 1_000_000)
                loop.call_later(1.0, probes.said, heard)

    links = Probed(two_nodes(tell), probes)
    wanted = passage(SOUND, LinkState(rate=10_000))
    assert await links._passed(FORTH, wanted, links._mark(FORTH)) == "a probe took 150 ms or more"
    assert len(told) == 2


def two_nodes(tell: Callable[[control.Order], None]) -> Any:
    return {
        name: SimpleNamespace(name=name, address=name, held=None, cannot_probe=lambda: "", tell=tell)
        for name in ("n1", "n2")
    }


async def test_a_node_that_hangs_up_before_its_link_is_cut_has_none_to_lose() -> None:
    probes = Probes()
    links = Probed(two_nodes(lambda order: None), probes)
    probes.changed(FORTH, True)
    mark = links._mark(FORTH)
    asyncio.get_running_loop().call_later(0.05, probes.hung_up, FORTH)
    assert await links._down(FORTH, mark) == (False, "read back only: its node has hung it up")


async def test_a_node_that_hangs_up_while_its_link_is_waited_for_is_asked_for_it() -> None:
    probes, told = Probes(), []

    def tell(order: control.Order) -> None:
        told.append(order)
        asyncio.get_running_loop().call_later(0.05, probes.changed, FORTH, True)

    links = Probed(two_nodes(tell), probes)
    mark = links._mark(FORTH)
    asyncio.get_running_loop().call_later(0.05, probes.hung_up, FORTH)
    assert await links._up(FORTH, mark) == (True, "its sender has its link up again")
    assert isinstance(told[0], control.Probe)


async def test_who_hung_up_while_the_link_was_down_told_nobody_and_is_asked_for_it_too() -> None:
    probes, told = Probes(), []

    def tell(order: control.Order) -> None:
        assert isinstance(order, control.Probe)
        told.append(order)
        probes.said(control.ProbeSent(order.nonce, None))
        if len(told) == 2:  # the first came before the heal had
            asyncio.get_running_loop().call_later(0.05, probes.changed, FORTH, True)

    links = Probed(two_nodes(tell), probes)
    probes.changed(FORTH, True)
    probes.changed(FORTH, False)
    assert await asyncio.wait_for(links._up(FORTH, links._mark(FORTH)), EVIDENCE_LIMIT) == (
        True,
        "its sender has its link up again",
    )
    assert len(told) == 2


async def test_a_probe_is_not_waited_for_once_its_link_is_hung_up() -> None:
    probes, told = Probes(), []

    def tell(order: control.Order) -> None:
        assert isinstance(order, control.Probe)
        told.append(order)
        probes.said(control.ProbeSent(order.nonce, 0))
        loop = asyncio.get_running_loop()
        if len(told) == 1:
            loop.call_later(0.05, probes.hung_up, FORTH)
        else:
            loop.call_later(0.05, probes.said, control.ProbeHeard(order.nonce, "n1", 0, 300_000))

    links = Probed(two_nodes(tell), probes)
    probes.changed(FORTH, True)
    began = asyncio.get_running_loop().time()
    wanted = passage(SOUND, LinkState(rate=10_000))
    assert await links._passed(FORTH, wanted, links._mark(FORTH)) == "a probe took 150 ms or more"
    assert asyncio.get_running_loop().time() - began < EVIDENCE_LIMIT / 2
    assert len(told) == 2


def test_the_evidence_of_many_links_is_one_sentence() -> None:
    assert in_words(["up"]) == "up"
    assert in_words(["up", "up"]) == "2 links: up"
    assert in_words(["up", "down", "up"]) == "2 links: up; 1 link: down"
