"""A frame comes through unchanged; whatever is none is refused for a reason, and never anything worse."""

import random

import pytest
from tests.lengths import cases
from tests.node.process.process_helpers import TOKEN, A, B, message

from shaketable.node.messages import LARGEST_MESSAGE, MalformedMessage, decode, encode
from shaketable.node.process import frames
from shaketable.node.process.frames import (
    LARGEST_FRAME,
    MALFORMED,
    MESSAGE,
    OTHER_VERSION,
    OVERTAKING,
    PROBE,
    STRANGER,
    TOO_LARGE,
    WIRE_VERSION,
    EncodeOnce,
    Frame,
    Gaps,
    Generations,
    Numbers,
    UselessFrame,
    decode_frame,
    encode_frame,
    probe_body,
)

FRAME = Frame(A, 3, 7, 9, 1_000_000, MESSAGE, encode(message(1)), mark=11, message=8)
GOOD = encode_frame(FRAME, TOKEN)
REASONS = {MALFORMED, TOO_LARGE, STRANGER, OTHER_VERSION}


def refused(data: bytes) -> str:
    with pytest.raises(UselessFrame) as useless:
        decode_frame(data, TOKEN)
    return str(useless.value)


def test_a_frame_comes_through_unchanged() -> None:
    assert decode_frame(GOOD, TOKEN) == FRAME
    probe = Frame("ä" * 100, 0, 1, 2, 3, PROBE, probe_body(77, padding=500))
    assert decode_frame(encode_frame(probe, TOKEN), TOKEN) == probe
    assert probe.nonce == 77


def test_a_message_to_many_is_encoded_for_the_first_alone() -> None:
    one, same = message(1), message(1)
    once = EncodeOnce()
    assert once(one) == encode(one)
    assert once(one) is once(one)
    assert once(one) is not once(same)
    assert once(same) == encode(same)


def test_each_kind_of_refusal() -> None:
    assert refused(b"") == MALFORMED
    assert refused(b"HELLO WORLD" * 10) == MALFORMED
    assert refused(GOOD[:4] + bytes([WIRE_VERSION + 1]) + GOOD[5:]) == OTHER_VERSION
    assert refused(GOOD[:4] + bytes([WIRE_VERSION + 1])) == OTHER_VERSION
    assert refused(encode_frame(FRAME, b"u" * 16)) == STRANGER
    assert refused(bytes(LARGEST_FRAME + 1)) == TOO_LARGE
    assert refused(encode_frame(FRAME._replace(kind=2), TOKEN)) == MALFORMED
    assert refused(encode_frame(FRAME._replace(body=b""), TOKEN)) == MALFORMED
    assert refused(encode_frame(FRAME._replace(kind=PROBE, body=b"1234567"), TOKEN)) == MALFORMED
    assert refused(encode_frame(FRAME._replace(sender=""), TOKEN)) == MALFORMED
    for length in range(len(GOOD) - len(FRAME.body) + 1):
        assert refused(sealed(GOOD[:length])) == MALFORMED


def test_the_largest_message_fits() -> None:
    large = FRAME._replace(body=bytes(LARGEST_MESSAGE))
    assert decode_frame(encode_frame(large, TOKEN), TOKEN) == large


def sealed(data: bytes) -> bytes:
    """By a node of the run, which alone can do so."""
    start = frames._SEALED
    return data[:5] + frames._seal(TOKEN, "", data[start:]) + data[start:] if len(data) >= start else data


def mutated(rng: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    match rng.randrange(5):
        case 0:
            for _ in range(rng.randrange(1, 5)):
                changed[rng.randrange(len(changed))] = rng.randrange(256)
        case 1:
            del changed[rng.randrange(len(changed)) :]
        case 2:
            at = rng.randrange(len(changed))
            changed[at:at] = rng.randbytes(rng.randrange(1, 20))
        case 3:
            start = rng.randrange(len(changed))
            del changed[start : start + rng.randrange(1, 20)]
        case 4:
            # The header is sound, so that the message's own decoder gets its share.
            body = len(data) - len(FRAME.body)
            changed[body:] = mutated(rng, bytes(changed[body:])) if rng.random() < 0.7 else rng.randbytes(40)
    return bytes(changed)


@cases(20_000, 60_000)
def test_no_bytes_do_worse_than_be_refused(count: int) -> None:
    rng = random.Random(7)
    kinds = {"fit": 0, "no message": 0, "refused": 0}
    reasons: set[str] = set()
    for n in range(count):
        data = rng.randbytes(rng.randrange(200)) if n % 6 == 0 else mutated(rng, GOOD)
        data = sealed(data) if rng.random() < 0.8 else data
        try:
            frame = decode_frame(data, TOKEN)
            if frame.kind == PROBE:
                assert frame.nonce >= 0
            else:
                decode(frame.body)
            kinds["fit"] += 1
        except UselessFrame as useless:
            kinds["refused"] += 1
            reasons.add(str(useless))
        except MalformedMessage:
            kinds["no message"] += 1
    assert min(kinds.values()) > count / 100, kinds
    assert reasons <= REASONS


def test_a_generation_is_judged_by_sender_and_process() -> None:
    def frame(sender: str, process: int, generation: int) -> Frame:
        return FRAME._replace(sender=sender, process=process, generation=generation)

    generations = Generations()
    story = [(A, 0, 1, True), (A, 0, 3, True), (A, 0, 2, False), (A, 0, 3, True), (B, 0, 1, True), (A, 1, 1, True)]
    for sender, process, generation, admitted in story:
        assert generations.admits(frame(sender, process, generation)) is admitted
    for process in range(2, 1000):
        assert generations.admits(frame(A, process, 5))
    assert not generations.admits(frame(A, 999, 4))


def numbered(number: int, process: int = 0) -> Frame:
    return FRAME._replace(sequence=number, process=process)


def test_each_number_of_a_link_is_taken_once_in_whichever_order() -> None:
    order = [*range(1, 200, 2), *range(0, 200, 2)]
    numbers = Numbers()
    assert [numbers.admits(numbered(n)) for n in order] == [True] * 200
    assert [numbers.admits(numbered(n)) for n in order] == [False] * 200
    assert numbers.admits(numbered(1, process=1)), "another process counts afresh"


@pytest.mark.parametrize("jump", [1, OVERTAKING - 1, OVERTAKING, OVERTAKING + 1, 10**15])
def test_what_was_overtaken_by_many_is_taken_for_repeated(jump: int) -> None:
    numbers = Numbers()
    assert numbers.admits(numbered(5))
    assert numbers.admits(numbered(5 + jump))
    assert not numbers.admits(numbered(5))
    assert not numbers.admits(numbered(5 + jump))
    assert numbers.admits(numbered(4)) == (jump + 1 < OVERTAKING)


def test_a_message_tells_by_its_number_how_many_before_it_never_came() -> None:
    gaps, now = Gaps(), 0
    # From whom, of which process, its number; and what it tells.
    story = [
        *((A, 0, 5, None), (A, 0, 6, None), (A, 0, 9, (2, 10)), (A, 0, 10, None)),
        *((B, 0, 1, None), (A, 1, 40, None), (A, 1, 42, (1, 10)), (B, 0, 3, (1, 30))),
    ]
    for sender, process, number, told in story:
        now += 10
        assert gaps.before(FRAME._replace(sender=sender, process=process, message=number), now) == told


def test_the_seal_holds_each_bit_and_the_link() -> None:
    for place in range(5, len(GOOD)):
        spoilt = GOOD[:place] + bytes([GOOD[place] ^ 1]) + GOOD[place + 1 :]
        assert refused(spoilt) == STRANGER
    sealed = encode_frame(FRAME, TOKEN, "n2")
    assert decode_frame(sealed, TOKEN, "n2") == FRAME
    for link in ("n3", "n", "n2\0", ""):
        with pytest.raises(UselessFrame, match=STRANGER):
            decode_frame(sealed, TOKEN, link)
