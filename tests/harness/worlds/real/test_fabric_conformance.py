"""What each fault does to the bytes of a link, the same through the real server and through the built-in relay."""

import asyncio
from collections.abc import Iterator

import pytest
from tests.harness.worlds.real.fabric_helpers import (
    Receiver,
    Sender,
    Told,
    client_of,
    connect,
    link_to,
    receiving,
    refused,
)
from tests.lengths import cases
from tests.waiting import HANG, until

from shaketable.harness.faults.links import SOUND, LinkState, Slices
from shaketable.harness.worlds.real.fabric import FabricError, LinkFabric, LinkPorts, free_ports
from shaketable.node.core.env import MILLISECOND

CUT = LinkState(cut=True)
BLACKHOLE = LinkState(blackhole=True)


@pytest.fixture
def receiver(runner: asyncio.Runner) -> Iterator[Receiver]:
    receiver = Receiver()
    runner.run(receiver.start())
    yield receiver
    runner.run(receiver.stop())


def numbered(first: int, last: int) -> bytes:
    return b"".join(b"%06d," % number for number in range(first, last))


async def test_its_name_says_which_it_is(fabric: LinkFabric, choice: str) -> None:
    assert fabric.description.startswith("built-in relay" if choice == "relay" else "toxiproxy 2.")


async def test_a_sound_link_passes_everything_both_ways(fabric: LinkFabric, receiver: Receiver) -> None:
    sender = await connect((await link_to(fabric, receiver.port)).listen)
    await sender.send(numbered(0, 300_000))
    await until(lambda: len(receiver.bytes) == 2_100_000)
    assert receiver.bytes == numbered(0, 300_000)
    receiver.open[0].write(b"back")
    assert await asyncio.wait_for(sender.reader.readexactly(4), HANG) == b"back"


async def test_the_end_of_one_side_is_the_end_of_the_other(fabric: LinkFabric, receiver: Receiver) -> None:
    link = await link_to(fabric, receiver.port)
    sender = await connect(link.listen)
    await sender.send(b"last words")
    sender.writer.close()
    await until(lambda: receiver.connections == 1 and not receiver.open)
    assert receiver.bytes == b"last words"
    sender = await connect(link.listen)
    await until(lambda: len(receiver.open) == 1)
    receiver.open[0].close()
    assert await sender.ended()


async def test_a_cut_ends_connections_and_refuses_new_ones(fabric: LinkFabric, receiver: Receiver) -> None:
    link = await link_to(fabric, receiver.port)
    sender = await connect(link.listen)
    await sender.send(b"before")
    await until(lambda: receiver.bytes == b"before")
    await fabric.apply(link.name, CUT)
    assert await sender.ended()
    await until(lambda: not receiver.open)
    assert await refused(link.listen)
    await fabric.apply(link.name, SOUND)
    sender = await connect(link.listen)
    await sender.send(b" after")
    await until(lambda: receiver.bytes == b"before after")


async def test_a_black_hole_swallows_at_once_and_heals_without_a_new_connection(
    fabric: LinkFabric, receiver: Receiver
) -> None:
    """Many times over, as the first one makes the toxic and all others only switch it."""
    link = await link_to(fabric, receiver.port)
    sender = await connect(link.listen)
    for turn in range(20):
        await fabric.apply(link.name, BLACKHOLE)
        await sender.send(b"lost")
        await until(lambda: len(receiver.open) == 1)
        receiver.open[0].write(b"back")
        assert await asyncio.wait_for(sender.reader.readexactly(4), HANG) == b"back"
        await asyncio.sleep(0.02)
        await fabric.apply(link.name, SOUND)
        await sender.send(b"%03d," % turn)
        expected = b"".join(b"%03d," % number for number in range(turn + 1))
        await until(lambda expected=expected: len(receiver.bytes) >= len(expected))  # type: ignore[misc]
        assert receiver.bytes == expected
    assert receiver.connections == 1


async def test_a_new_connection_into_a_black_hole_looks_alive(fabric: LinkFabric, receiver: Receiver) -> None:
    link = await link_to(fabric, receiver.port)
    await fabric.apply(link.name, BLACKHOLE)
    sender = await connect(link.listen)
    await sender.send(b"lost")
    await until(lambda: receiver.connections == 1)
    await asyncio.sleep(0.1)
    assert receiver.bytes == b""
    await fabric.apply(link.name, SOUND)
    await sender.send(b"found")
    await until(lambda: receiver.bytes == b"found")


async def test_latency_delays_and_keeps_the_order(fabric: LinkFabric, receiver: Receiver) -> None:
    link = await link_to(fabric, receiver.port)
    sender = await connect(link.listen)
    await fabric.apply(link.name, LinkState(latency=200 * MILLISECOND, jitter=100 * MILLISECOND))
    sent = asyncio.get_running_loop().time()
    for number in range(50):
        await sender.send(numbered(number, number + 1))
        await asyncio.sleep(0.005)
    await until(lambda: len(receiver.bytes) == 350)
    assert receiver.bytes == numbered(0, 50)
    assert receiver.reads[0][0] - sent >= 0.095
    assert receiver.connections == 1


async def test_a_healed_latency_lets_go_at_once_and_keeps_the_connection(
    fabric: LinkFabric, receiver: Receiver
) -> None:
    link = await link_to(fabric, receiver.port)
    sender = await connect(link.listen)
    await fabric.apply(link.name, LinkState(latency=60_000 * MILLISECOND))
    await sender.send(b"late,")
    await asyncio.sleep(0.05)
    assert receiver.bytes == b""
    await fabric.apply(link.name, SOUND)
    await sender.send(b"new")
    await until(lambda: receiver.bytes == b"late,new")
    assert receiver.connections == 1


async def test_a_thin_link_takes_its_time_and_its_heal_replays_nothing(fabric: LinkFabric, receiver: Receiver) -> None:
    link = await link_to(fabric, receiver.port)
    sender = await connect(link.listen)
    await fabric.apply(link.name, LinkState(rate=10_000))
    await sender.send(bytes(100_000))
    await until(lambda: len(receiver.bytes) >= 5_000)
    began, so_far = receiver.reads[0][0], len(receiver.bytes)
    await until(lambda: len(receiver.bytes) >= so_far + 5_000)
    assert receiver.reads[-1][0] - began >= 0.25
    await fabric.apply(link.name, SOUND)
    assert await sender.ended()
    await until(lambda: not receiver.open)
    arrived = len(receiver.bytes)
    assert arrived < 100_000
    await (await connect(link.listen)).send(b"new")
    await until(lambda: len(receiver.bytes) == arrived + 3)


async def test_a_sliced_link_delivers_in_small_pieces(fabric: LinkFabric, receiver: Receiver) -> None:
    link = await link_to(fabric, receiver.port)
    sender = await connect(link.listen)
    await fabric.apply(link.name, LinkState(slices=Slices(size=64, variation=32, pause=10 * MILLISECOND)))
    await sender.send(numbered(0, 100))
    await until(lambda: len(receiver.bytes) == 700)
    assert receiver.bytes == numbered(0, 100)
    assert len(receiver.reads) >= 4
    await fabric.apply(link.name, SOUND)
    await (await connect(link.listen)).send(numbered(100, 200))
    await until(lambda: receiver.bytes == numbered(0, 200))


async def test_a_reset_drops_connections_once(fabric: LinkFabric, receiver: Receiver) -> None:
    link = await link_to(fabric, receiver.port)
    sender = await connect(link.listen)
    await fabric.reset(link.name)
    assert await sender.ended()
    await (await connect(link.listen)).send(b"on we go")
    await until(lambda: receiver.bytes == b"on we go")
    await fabric.apply(link.name, CUT)
    await fabric.reset(link.name)
    assert await refused(link.listen)


async def test_a_dead_receiver_shows_as_connections_that_close_at_once(fabric: LinkFabric) -> None:
    (port,) = free_ports(1)
    link = await link_to(fabric, port)
    for _ in range(5):
        assert await (await connect(link.listen)).ended()
    receiver = Receiver()
    receiver.port = port
    await receiver.start()
    await (await connect(link.listen)).send(b"alive")
    await until(lambda: receiver.bytes == b"alive")
    await receiver.stop()


@pytest.mark.parametrize("under", [BLACKHOLE, LinkState(latency=60_000 * MILLISECOND)])
async def test_what_lay_under_a_cut_is_there_when_the_cut_heals(
    fabric: LinkFabric, receiver: Receiver, under: LinkState
) -> None:
    link = await link_to(fabric, receiver.port)
    await fabric.apply(link.name, LinkState(cut=True, blackhole=under.blackhole, latency=under.latency))
    assert await refused(link.listen)
    await fabric.apply(link.name, under)
    sender = await connect(link.listen)
    await sender.send(b"not to be seen yet")
    await until(lambda: receiver.connections == 1)
    await asyncio.sleep(0.1)
    assert receiver.bytes == b""
    await fabric.apply(link.name, CUT)
    assert await sender.ended()
    await fabric.apply(link.name, SOUND)
    await (await connect(link.listen)).send(b"sound")
    await until(lambda: receiver.bytes == b"sound")


async def test_healing_a_thin_link_leaves_its_black_hole(fabric: LinkFabric, receiver: Receiver) -> None:
    link = await link_to(fabric, receiver.port)
    await fabric.apply(link.name, LinkState(rate=1_000_000))
    await fabric.apply(link.name, LinkState(rate=1_000_000, blackhole=True))
    await fabric.apply(link.name, BLACKHOLE)
    await (await connect(link.listen)).send(b"lost")
    await until(lambda: receiver.connections == 1)
    await asyncio.sleep(0.05)
    assert receiver.bytes == b""


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (LinkState(rate=0), "1000 bytes per second at least"),
        (LinkState(rate=1500), "whole KB/s"),
        (LinkState(latency=-1000), "0 or more"),
        (LinkState(latency=1500), "whole milliseconds"),
        (LinkState(jitter=-1000), "0 or more"),
        (LinkState(slices=Slices(size=0, variation=0)), "1 byte or more"),
        (LinkState(slices=Slices(size=10, variation=10)), "vary by 0 to 9"),
        (LinkState(slices=Slices(size=10, variation=-1)), "vary by 0 to 9"),
        (LinkState(slices=Slices(pause=-1)), "0 or more"),
    ],
)
async def test_a_value_that_could_kill_the_server_never_gets_there(
    fabric: LinkFabric, wrong: LinkState, right: str
) -> None:
    link = await link_to(fabric, 1)
    with pytest.raises(FabricError, match=right):
        await fabric.apply(link.name, wrong)


async def test_a_link_that_is_not_there(fabric: LinkFabric) -> None:
    with pytest.raises(FabricError, match="no link n1->n9"):
        await fabric.apply("n1->n9", CUT)


async def test_links_are_opened_all_or_none(fabric: LinkFabric, receiver: Receiver) -> None:
    a, b, later = free_ports(3)
    with pytest.raises(FabricError, match=f"port {receiver.port} of link n1->n3 is taken"):
        await fabric.open([LinkPorts("n1->n2", a, 1), LinkPorts("n1->n3", receiver.port, 1)])
    assert await refused(a)
    await fabric.open([LinkPorts("n1->n2", a, receiver.port), LinkPorts("n1->n3", b, receiver.port)])
    await fabric.open([LinkPorts("n9->n1", later, receiver.port)])
    for port in (a, b, later):
        await (await connect(port)).send(b"x")
    await until(lambda: receiver.bytes == b"xxx")


@pytest.mark.parametrize(
    ("name", "port", "words"),
    [
        ("n1->n2", 1, "open already"),
        ("n1/n2", 1, "a link's name"),
        ("..", 1, "a link's name"),
        ("n1->n3", 0, "another"),
    ],
)
async def test_links_that_cannot_be(fabric: LinkFabric, name: str, port: int, words: str) -> None:
    link = await link_to(fabric, 1)
    with pytest.raises(FabricError, match=words):
        await fabric.open([LinkPorts(name, port or link.listen, 1)])


async def test_what_somebody_else_changed_is_noticed_and_mended(fabric: LinkFabric, receiver: Receiver) -> None:
    link = await link_to(fabric, receiver.port)
    client_of(fabric).enable(link.name, False)
    with pytest.raises(FabricError, match="enabled is False"):
        await fabric.apply(link.name, BLACKHOLE)
    await fabric.apply(link.name, BLACKHOLE)
    assert not await refused(link.listen)


async def test_two_hundred_of_many_links_are_cut_at_once(fabric: LinkFabric, receiver: Receiver) -> None:
    ports = free_ports(380)
    links = [LinkPorts(f"n{number}->x", port, receiver.port) for number, port in enumerate(ports)]
    await fabric.open(links)
    await fabric.apply_all({link.name: CUT for link in links[:200]})
    assert await refused(ports[0])
    assert await refused(ports[199])
    assert not await refused(ports[200])


@cases(20, 60)
async def test_many_changes_at_once_end_in_the_last_state(count: int, fabric: LinkFabric, receiver: Receiver) -> None:
    """Cuts, black holes and slow links in a storm, with senders that come back and a receiver that dies now and then:
    nothing hangs, nothing breaks, and all links pass in the end."""
    links = [LinkPorts(f"n{number}->x", port, receiver.port) for number, port in enumerate(free_ports(8))]
    await fabric.open(links)
    states = [
        CUT,
        SOUND,
        BLACKHOLE,
        LinkState(latency=100 * MILLISECOND, jitter=40 * MILLISECOND),
        LinkState(rate=5000),
    ]
    over = asyncio.Event()

    async def chatter(port: int) -> None:
        while not over.is_set():
            try:
                sender = await connect(port)
                while not over.is_set():
                    await sender.send(bytes(300))
                    await asyncio.sleep(0.005)
                    if sender.reader.at_eof():
                        break
                sender.writer.close()
            except OSError:
                await asyncio.sleep(0.02)

    talkers = [asyncio.create_task(chatter(link.listen)) for link in links]
    for turn in range(count):
        await fabric.apply_all({link.name: states[(turn * 7 + i * 3) % len(states)] for i, link in enumerate(links)})
        if turn % 20 == 19:
            await receiver.stop()
            await receiver.start()
    await fabric.apply_all({link.name: SOUND for link in links})
    over.set()
    await asyncio.gather(*talkers)
    await until(lambda: not receiver.open)
    receiver.bytes = b""
    for link in links:
        await (await connect(link.listen)).send(b"x")
    await until(lambda: receiver.bytes == b"x" * 8)


async def test_nothing_of_this_was_trouble(fabric: LinkFabric, told: Told) -> None:
    async with receiving() as receiver:
        link = await link_to(fabric, receiver.port)
        sender: Sender = await connect(link.listen)
        for state in (CUT, SOUND, BLACKHOLE, LinkState(rate=1000), SOUND):
            await fabric.apply(link.name, state)
        await asyncio.sleep(1.5)  # the watch looks at least once
        sender.writer.close()
    assert told.trouble == []
