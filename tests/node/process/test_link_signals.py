"""When a link is said to be up and when down, over a proxy that does what Toxiproxy does."""

import asyncio

import pytest
from tests.node.process.process_helpers import A, B, in_loop, proxy, sent, transport
from tests.waiting import until

from shaketable.harness.worlds.real.ports import free_ports
from shaketable.node.process import outlink

SECOND = 1_000_000
LONG = 60 * SECOND


@in_loop
async def test_refused_at_first_is_down_once_and_up_when_somebody_listens() -> None:
    async with transport(A) as (a, ears, _), transport(B) as (_, _, b_port), proxy(b_port) as between:
        await between.refuse()
        a.add_links({B: between.port}, SECOND)
        await until(lambda: ears.links == [(B, False)])
        await asyncio.sleep(0.4)  # some more attempts that fail
        assert ears.links == [(B, False)]
        await between.accept()
        await until(lambda: ears.links == [(B, False), (B, True)])


@in_loop
async def test_a_proxy_before_nobody_accepts_and_is_not_believed() -> None:
    async with transport(A) as (a, ears, _), proxy(1) as between:
        a.add_links({B: between.port}, SECOND)
        await until(lambda: between.connections >= 3)
        assert ears.links == [(B, False)]


@in_loop
async def test_a_cut_is_down_once_and_its_heal_up_once_with_a_new_generation() -> None:
    async with transport(A) as (a, ears, _), transport(B) as (_, b_ears, b_port), proxy(b_port) as between:
        a.add_links({B: between.port}, SECOND)
        await until(lambda: ears.links == [(B, True)])
        await between.refuse()
        await until(lambda: ears.links == [(B, True), (B, False)])
        assert not a.send(B, sent(1))
        await asyncio.sleep(0.3)
        assert len(ears.links) == 2
        await between.accept()
        await until(lambda: ears.links == [(B, True), (B, False), (B, True)])
        assert a.facts()[B].generation == 2
        a.send(B, sent(2))
        await until(lambda: b_ears.numbers == [2])


@in_loop
async def test_who_has_hung_up_a_link_that_was_down_is_told_anew_that_it_is() -> None:
    """It may be another identity of the same node, which has not been told yet."""
    async with transport(A) as (a, ears, _), transport(B) as (_, _, b_port), proxy(b_port) as between:
        await between.refuse()
        a.add_links({B: between.port}, SECOND)
        await until(lambda: ears.links == [(B, False)])
        a.disconnect(B)
        a.send(B, sent(1))
        await until(lambda: ears.links == [(B, False), (B, False)])


@in_loop
async def test_a_reset_is_down_then_up() -> None:
    async with transport(A) as (a, ears, _), transport(B) as (_, _, b_port), proxy(b_port) as between:
        a.add_links({B: between.port}, SECOND)
        await until(lambda: ears.links)
        between.drop()
        await until(lambda: ears.links == [(B, True), (B, False), (B, True)])


@in_loop
async def test_a_black_hole_says_nothing() -> None:
    async with transport(A) as (a, ears, _), transport(B) as (_, b_ears, b_port), proxy(b_port) as between:
        a.add_links({B: between.port}, SECOND)
        await until(lambda: ears.links)
        between.swallows = True
        assert a.send(B, sent(1))
        await asyncio.sleep(0.3)
        between.swallows = False
        a.send(B, sent(2))
        await until(lambda: b_ears.numbers == [2])
        assert ears.links == [(B, True)]


@in_loop
async def test_a_handshake_that_hangs_is_down_when_its_time_is_over_and_delays_no_other_link() -> None:
    c = "127.0.0.1:5703"
    async with (
        transport(A) as (a, ears, _),
        transport(B) as (_, _, b_port),
        transport(c) as (_, c_ears, c_port),
        proxy(b_port) as between,
    ):
        between.swallows = True
        a.add_links({B: between.port}, SECOND // 2)
        a.add_links({c: c_port}, SECOND // 2)
        await until(lambda: (c, True) in ears.links)
        a.send(c, sent(1))
        await until(lambda: c_ears.numbers == [1])
        assert (B, False) not in ears.links
        await until(lambda: (B, False) in ears.links)
        between.swallows = False
        await until(lambda: (B, True) in ears.links)


@in_loop
async def test_a_longer_limit_reaches_links_that_are_not_up() -> None:
    async with transport(A) as (a, ears, _), proxy(1) as between:
        await between.refuse()
        a.add_links({B: between.port}, SECOND)
        await until(lambda: ears.links)
        a.add_links({}, 2 * SECOND)
        assert a.facts()[B].state == "connecting"
        await until(lambda: a.facts()[B].state == "down")
        assert ears.links == [(B, False)]


@in_loop
async def test_who_hears_a_peer_connects_to_it_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not wait until the time of its next attempt, here in an hour."""
    monkeypatch.setattr(outlink, "RECONNECT_MILLIS", 3_600_000)
    (b_port,) = free_ports(1)
    async with (
        transport(A) as (a, ears, a_port),
        transport(B, port=0) as (b, _, _),
        proxy(b_port) as between,
    ):
        await between.refuse()
        a.add_links({B: between.port}, SECOND)
        await until(lambda: ears.links == [(B, False)])
        b.bind(b_port)
        await between.accept()
        b.add_links({A: a_port}, SECOND)
        await until(lambda: (B, True) in ears.links)


@pytest.mark.parametrize("swallows", [True, False])
@in_loop
async def test_to_hear_a_peer_never_breaks_a_handshake_that_is_under_way(swallows: bool) -> None:
    """A slow link would else never come up: every frame of the peer would begin it anew."""
    async with (
        transport(A) as (a, ears, a_port),
        transport(B) as (b, _, b_port),
        proxy(b_port) as between,
    ):
        between.swallows = swallows
        a.add_links({B: between.port}, LONG)
        b.add_links({A: a_port}, SECOND)
        await until(lambda: between.connections == 1)
        for n in range(20):
            b.send(A, sent(n))
            await asyncio.sleep(0.02)
        assert between.connections == 1
        assert ears.links == ([] if swallows else [(B, True)])
