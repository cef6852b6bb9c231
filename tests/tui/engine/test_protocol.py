"""The pipe between screens and engine: frames in any pieces, and one sentence for what is none."""

from __future__ import annotations

import msgspec
import pytest

from shaketable.tui.engine.protocol import (
    EVENTS,
    MESSAGE,
    MOST_BYTES,
    Begin,
    Do,
    Done,
    Malformed,
    Splitter,
    frame_of,
    framed,
    order_in,
    word_in,
)
from shaketable.tui.model.hands.calls import Call

STREAM = framed(Done(3, "it is paused")) + frame_of(EVENTS, b'{"a":1}\n') + frame_of(EVENTS, b"")


@pytest.mark.parametrize("size", [1, 2, 7, len(STREAM)])
def test_frames_come_whole_however_the_stream_is_cut(size: int) -> None:
    splitter = Splitter()
    frames = [f for at in range(0, len(STREAM), size) for f in splitter.feed(STREAM[at : at + size])]
    assert [kind for kind, _ in frames] == [MESSAGE, EVENTS, EVENTS]
    assert word_in(frames[0][1]) == Done(3, "it is paused")
    assert [content for _, content in frames[1:]] == [b'{"a":1}\n', b""]


@pytest.mark.parametrize(
    "data",
    [b"Traceback (most recent call last)", MESSAGE + (MOST_BYTES + 1).to_bytes(4, "big")],
    ids=["a stray print", "a frame that is too large"],
)
def test_what_is_no_frame_is_refused_before_it_is_kept(data: bytes) -> None:
    with pytest.raises(Malformed):
        list(Splitter().feed(data))


@pytest.mark.parametrize(
    "text",
    [
        b"{}",
        b'{"type":"Done"}',
        b'{"type":"Done","number":"3"}',
        b'{"type":"Done","number":3,"and":1}',
        b'{"type":"Never"}',
        b"\xff",
    ],
)
def test_what_is_no_word_gets_one_sentence(text: bytes) -> None:
    with pytest.raises(Malformed, match=r"^the engine says what no engine says: [^\n]*$"):
        word_in(text)


def test_an_order_comes_through_as_it_was() -> None:
    for order in (Begin("sim", 3, speed=None), Do(1, Call("cut", ("n1", "n2"), {"one_way": True}))):
        assert order_in(msgspec.json.encode(order)) == order
    with pytest.raises(Malformed, match="the screen says what no screen says"):
        order_in(b'{"type":"Do","number":1,"call":{"verb":"cut","arguments":[{"where":{}}]}}')
