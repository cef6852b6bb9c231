"""Two transports on the loopback interface: messages pass, what is no use is dropped and counted, and nothing waits."""

import random
from functools import partial
from typing import Any, cast

import pytest
import zmq
from tests.node.process.process_helpers import TOKEN, A, B, Ears, in_loop, message, sent, transport
from tests.node.process.test_frames import GOOD, mutated
from tests.waiting import until

from shaketable.node.events import FramesDropped, LinkHeard, LinkSilent, MessagesLost
from shaketable.node.messages import encode
from shaketable.node.process import outlink
from shaketable.node.process.frames import LARGEST_FRAME, MESSAGE, PROBE, WIRE_VERSION, Frame, encode_frame, probe_body
from shaketable.node.process.outlink import DOWN, MOST_PENDING, monotonic
from shaketable.node.process.transport import PortTaken, Silence, Useless

SECOND = 1_000_000


@in_loop
async def test_messages_pass_in_order_and_links_come_up() -> None:
    async with transport(A) as (a, a_ears, a_port), transport(B) as (b, b_ears, b_port):
        a.add_links({B: b_port}, SECOND)
        b.add_links({A: a_port}, SECOND)
        await until(lambda: a_ears.links and b_ears.links)
        for n in range(50):
            a.send(B, sent(n))
        await until(lambda: len(b_ears.messages) == 50)
        assert b_ears.numbers == list(range(50))
        assert (a_ears.links, b_ears.links) == ([(B, True)], [(A, True)])
        await until(lambda: LinkHeard(A) in b_ears.events)
        assert a.facts()[B].generation == 1


@in_loop
async def test_what_is_sent_while_the_link_comes_up_arrives() -> None:
    async with transport(A) as (a, _, _), transport(B) as (_, b_ears, b_port):
        a.add_links({B: b_port}, SECOND)
        a.send(B, sent(1))
        await until(lambda: b_ears.numbers == [1])


@in_loop
async def test_an_address_without_a_link_answers_like_a_refused_connection_once() -> None:
    async with transport(A) as (a, ears, _):
        assert not a.send(B, sent(1))
        assert not a.send(B, sent(2))
        assert ears.links == []  # never within the step that sends
        await until(lambda: ears.links == [(B, False)])


@in_loop
async def test_a_port_that_is_taken_is_said_in_one_sentence() -> None:
    async with transport(A) as (_, _, port), transport(B, port=0) as (b, _, _):
        with pytest.raises(PortTaken, match=rf"^{B} cannot listen at port {port}: Address already in use$"):
            b.bind(port)


@in_loop
async def test_a_stranger_is_counted_and_answered_nothing() -> None:
    async with transport(A, token=b"s" * 16) as (a, _, _), transport(B) as (b, ears, port):
        a.add_links({B: port}, SECOND)
        a.send(B, sent(1))
        await until(lambda: b.useless.get("of a stranger", 0) >= 3)
        assert not ears.messages
        assert ears.events[0] == FramesDropped("of a stranger", 1)
        told = [e for e in ears.events if isinstance(e, FramesDropped)]
        assert sum(e.count for e in told) <= b.useless["of a stranger"]


@in_loop
async def test_an_older_generation_is_dropped_and_a_new_process_begins_afresh() -> None:
    async with transport(B) as (b, ears, port):
        with zmq.Context() as context, context.socket(zmq.DEALER) as dealer:
            dealer.linger = 1000
            dealer.connect(f"tcp://127.0.0.1:{port}")
            story = [(0, 2, 1), (0, 1, 2), (0, 2, 3), (1, 1, 4), (0, 1, 5)]
            for process, generation, n in story:
                body = encode(message(n))
                dealer.send(encode_frame(Frame(A, process, generation, n, monotonic(), MESSAGE, body), TOKEN, B))
            await until(lambda: b.useless.get("of an older link generation") == 2)
            assert ears.numbers == [1, 3, 4]


@in_loop
async def test_messages_that_a_link_could_not_take_are_missed_at_the_other_end_and_probes_are_not() -> None:
    async with transport(A) as (a, _, _), transport(B) as (b, b_ears, b_port):
        a.add_links({B: b_port}, SECOND)
        b.add_links({A: b_port}, SECOND)
        a.send(B, sent(1))
        await until(lambda: b_ears.numbers == [1])
        link = cast(Any, a)._links[B]
        up, link.state = link.state, DOWN
        assert not a.send(B, sent(2), sent(3))
        a.probe(B)
        assert not a.send(B, sent(4))
        link.state = up
        a.probe(B)
        a.send(B, sent(5), sent(6))
        await until(lambda: b_ears.numbers == [1, 5, 6])
        (lost,) = [e for e in b_ears.events if isinstance(e, MessagesLost)]
        assert (lost.address, lost.count) == (A, 3)


@in_loop
async def test_a_broken_frame_silences_nobody() -> None:
    """Its word on its generation counts for nothing, however new."""
    async with transport(B) as (b, ears, port):
        with zmq.Context() as context, context.socket(zmq.DEALER) as dealer:
            dealer.linger = 1000
            dealer.connect(f"tcp://127.0.0.1:{port}")
            dealer.send(encode_frame(Frame(A, 0, 2**32 - 1, 1, monotonic(), MESSAGE, b"no message"), TOKEN, B))
            for n in range(5):
                dealer.send(encode_frame(Frame(A, 0, 1, n, monotonic(), MESSAGE, encode(message(n))), TOKEN, B))
            await until(lambda: ears.numbers == [0, 1, 2, 3, 4])
            assert b.useless == {"malformed": 1}


@in_loop
async def test_made_up_senders_leave_nothing_behind_and_a_late_joiner_is_heard() -> None:
    late = "127.0.0.1:6000"
    async with transport(B) as (b, ears, port):
        with zmq.Context() as context, context.socket(zmq.DEALER) as dealer:
            dealer.linger = 1000
            dealer.connect(f"tcp://127.0.0.1:{port}")

            def send(sender: str, kind: int, body: bytes) -> None:
                dealer.send(encode_frame(Frame(sender, 0, 1, 1, monotonic(), kind, body), TOKEN, B))

            for n in range(300):
                send(f"10.0.0.1:{n}", PROBE, probe_body(0))
                send(f"10.0.0.1:{n}", MESSAGE, encode(message(n)))
            await until(lambda: ears.numbers == list(range(300)))
            assert b.useless == {"of an unknown sender": 300}
            assert not [e for e in ears.events if isinstance(e, LinkHeard)]
            assert not cast(Any, b)._generations._newest
            b.add_links({late: port}, SECOND)
            send(late, PROBE, probe_body(0))
            await until(lambda: LinkHeard(late) in ears.events)


@in_loop
async def test_a_live_transport_survives_whatever_comes() -> None:
    rng = random.Random(11)
    async with transport(B) as (b, ears, port), transport(A) as (a, _, _):

        def taken_in(n: int) -> bool:
            return b.received + sum(b.useless.values()) >= n

        with zmq.Context() as context, context.socket(zmq.DEALER) as dealer:
            dealer.linger = 1000
            dealer.connect(f"tcp://127.0.0.1:{port}")
            frames = [rng.randbytes(rng.randrange(1, 200)) if n % 6 == 0 else mutated(rng, GOOD) for n in range(3000)]
            frames += [GOOD[:4] + bytes([WIRE_VERSION + 1]) + GOOD[5:], bytes(LARGEST_FRAME + 1), b"\0"]
            for n, frame in enumerate(frames):
                if n % 500 == 0:
                    dealer.send_multipart([frame, b"", frame])
                dealer.send(frame)
                if n % 100 == 0:
                    await until(partial(taken_in, n - 200))
            await until(partial(taken_in, len(frames) + 3 * 7))
            assert {"malformed", "too large", "of a stranger", "of another version"} <= set(b.useless)
        ears.messages.clear()
        a.add_links({B: port}, SECOND)
        a.send(B, sent(5))
        await until(lambda: 5 in ears.numbers)


@in_loop
async def test_what_one_step_sends_to_one_address_leaves_in_one_go_and_is_counted_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # However long the link takes to come up: nothing that waits grows old, and no probe stands beside it.
    monkeypatch.setattr(outlink, "OLDEST_PENDING", 1000 * SECOND)
    async with transport(A, interval=1000 * SECOND) as (a, a_ears, _), transport(B) as (b, ears, port):
        a.add_links({B: port}, SECOND)
        assert a.send(B, *map(sent, range(MOST_PENDING - 1))), "these wait until the link is up"
        assert not a.send(B, sent(100), sent(101)), "there is room for one of them"
        await until(lambda: a_ears.links)
        assert a.send(B, *map(sent, range(200, 260)))
        assert a.send(B, sent(300))
        await until(lambda: 300 in ears.numbers)
        assert ears.numbers == [*range(MOST_PENDING - 1), 100, *range(200, 260), 300]
        assert a.facts()[B].sent == b.received == len(ears.numbers)
        assert a.facts()[B].dropped == 1
        assert not b.useless


@in_loop
async def test_a_probe_with_a_nonce_is_heard_with_its_sender() -> None:
    async with transport(A) as (a, a_ears, _), transport(B) as (_, ears, port):
        assert a.probe(B, 9) is None
        a.add_links({B: port}, SECOND)
        await until(lambda: a_ears.links)
        assert a.probe(B, nonce=9, padding=5000) is not None
        await until(lambda: ears.probes == [(9, A)])


@in_loop
async def test_only_a_link_on_which_nothing_else_was_sent_is_probed() -> None:
    async with transport(A, port=0) as (a, a_ears, _), transport(B) as (_, b_ears, port):
        a.add_links({B: port}, SECOND)
        await until(lambda: a_ears.links)
        a.send(B, sent(1))
        a.probe_idle_links()
        assert a.facts()[B].sent == 1
        await until(lambda: b_ears.numbers)
        assert b_ears.events == [LinkHeard(A)]
        a.probe_idle_links()
        a.probe_idle_links()
        assert a.facts()[B].sent == 3


@in_loop
async def test_a_probe_for_evidence_never_waits_for_a_link_to_come_up() -> None:
    """It would count as sent, and as swallowed by the link, before it has left."""
    async with transport(A) as (a, a_ears, _), transport(B) as (_, ears, port):
        a.add_links({B: port}, SECOND)
        assert a.facts()[B].state == "connecting"
        assert a.probe(B, 9) is None
        await until(lambda: a_ears.links == [(B, True)])
        a.disconnect(B)
        assert a.probe(B, 10) is None
        await until(lambda: a_ears.links == [(B, True), (B, True)])
        assert a.probe(B, 11) is not None
        await until(lambda: ears.probes == [(11, A)])


@in_loop
async def test_who_hangs_up_is_told_nothing_and_connects_again_with_the_next_send() -> None:
    async with transport(A) as (a, a_ears, _), transport(B) as (_, ears, port):
        a.add_links({B: port}, SECOND)
        await until(lambda: a_ears.links == [(B, True)])
        a.disconnect(B)
        assert a.facts()[B].state == "closed"
        a.send(B, sent(3))
        await until(lambda: ears.numbers == [3])
        assert a_ears.links == [(B, True), (B, True)]
        assert a.facts()[B].generation == 2


def test_silence_is_told_on_change_and_not_after_a_sleep_of_our_own() -> None:
    told = Ears()
    silence = Silence(100, told.report)
    silence.look(0)
    silence.heard(A, 0)
    silence.heard(A, 100)
    silence.look(400)
    assert told.events == [LinkHeard(A)]
    silence.look(401)
    silence.look(500)
    assert told.events == [LinkHeard(A), LinkSilent(A)]
    silence.heard(A, 600)
    assert told.events[2:] == [LinkHeard(A)]
    silence.start_afresh(5000)
    silence.look(5300)
    assert len(told.events) == 3


def test_drops_are_told_at_once_and_then_once_an_interval() -> None:
    told = Ears()
    useless = Useless(100, told.report)
    for now in (0, 10, 20):
        useless.add("malformed", now)
    useless.look(99)
    assert told.events == [FramesDropped("malformed", 1)]
    useless.look(100)
    useless.look(300)
    assert told.events == [FramesDropped("malformed", 1), FramesDropped("malformed", 2)]
    assert useless.counts == {"malformed": 3}


@in_loop
async def test_a_frame_that_was_read_on_the_wire_can_neither_be_changed_nor_repeated_nor_sent_elsewhere() -> None:
    async with transport(B) as (b, ears, port):
        with zmq.Context() as context, context.socket(zmq.DEALER) as dealer:
            dealer.linger = 1000
            dealer.connect(f"tcp://127.0.0.1:{port}")
            frames = [encode_frame(Frame(A, 0, 1, n, 5, MESSAGE, encode(message(n))), TOKEN, B) for n in (1, 2, 3)]
            of_another_link = encode_frame(Frame(A, 0, 1, 4, 5, MESSAGE, encode(message(4))), TOKEN, "127.0.0.1:5703")
            forged = [frames[0][:-1] + b"\0", frames[0].replace(A.encode(), B.encode()), of_another_link]
            assert all(TOKEN not in frame for frame in frames)
            for frame in (frames[1], frames[0], *forged, *frames, frames[2]):  # the first was overtaken, and counts
                dealer.send(frame)
            await until(lambda: sum(b.useless.values()) == 6)
            assert ears.numbers == [2, 1, 3]
            assert b.useless == {"of a stranger": 3, "that was taken already": 3}
