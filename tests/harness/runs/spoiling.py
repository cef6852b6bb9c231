"""Spoils a recorded run, by a seed: in its bytes, in its lines, or in one value of one of its files."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

DEEP: Final = 100_000
NUMBERS: Final = (
    str(10**30),
    str(-(10**30)),
    str(2**63),
    str(2**63 - 1),
    str(-(2**63)),
    "-1",
    "0",
    "1",
    "0.5",
    "1E+99",
    "1e400",
)
WORDS: Final = (
    '""',
    '"\\u0000"',
    '"\\ud800"',
    '"\\u001b[2J"',
    '"="',
    '"=x"',
    '"=nan"',
    '"=1e999"',
    f'"{"x" * 100_000}"',
)
NESTED: Final = (
    "[]",
    "{}",
    "[null]",
    '{"a":null}',
    '[["a","b"]]',
    "[[1,2]]",
    "[" * DEEP,
    "[" * DEEP + "]" * DEEP,
    '{"a":' * DEEP,
)
VALUES: Final = (*NUMBERS, *WORDS, *NESTED, "null", "true")
"""written as they stand, so that they may be what no JSON is"""
Way = Callable[[bytes, Random], bytes]
MARK: Final = "\ue000"


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in items:
        yield from _paths(each, (*path, key))


def _other_value(text: bytes, random: Random) -> bytes:
    value = json.loads(text)
    path = random.choice(list(_paths(value)))
    at = [value]
    for key in path:
        at.append(at[-1][key])
    if path and random.random() < 0.15:
        del at[-2][path[-1]]
        return json.dumps(value).encode()
    if path and isinstance(path[-1], str) and random.random() < 0.1:
        at[-2][random.choice(["unheard_of", "", path[-1] + " "])] = at[-2].pop(path[-1])
        return json.dumps(value).encode()
    if not path:
        return random.choice(VALUES).encode()
    at[-2][path[-1]] = MARK
    return json.dumps(value, ensure_ascii=False).replace(f'"{MARK}"', random.choice(VALUES)).encode()


def _in_a_line(data: bytes, random: Random) -> bytes:
    lines = data.split(b"\n")
    place = random.randrange(max(1, len(lines) - 1))
    lines[place] = _other_value(lines[place], random)
    return b"\n".join(lines)


def _lines(data: bytes, random: Random) -> bytes:
    lines = data.split(b"\n")
    match random.randrange(4):
        case 0:
            random.shuffle(lines)
        case 1:
            lines.insert(random.randrange(len(lines)), random.choice(lines))
        case 2:
            del lines[random.randrange(len(lines))]
        case 3:
            lines = lines[: random.randrange(len(lines))]
    return b"\n".join(lines)


def _bytes(data: bytes, random: Random) -> bytes:
    spoilt = bytearray(data)
    for _ in range(random.choice((1, 1, 5, 50))):
        at = random.randrange(len(spoilt) or 1)
        match random.randrange(3):
            case 0:
                spoilt[at : at + 1] = bytes([random.randrange(256)])
            case 1:
                del spoilt[at : at + random.choice((1, 10, 1000))]
            case 2:
                spoilt[at:at] = random.choice((b"\xff\xfe", b"\0", b"\n", b"{", b"}", b'"', b"\xed\xa0\x80", b"9" * 40))
    return bytes(spoilt)


def _whole(data: bytes, random: Random) -> bytes:
    packed = gzip.compress(data)
    return random.choice(
        (b"", b"\n", packed, packed[: len(packed) // 2], data[: random.randrange(len(data) or 1)], b"\0" * 4096)
    )


_WAYS: Final[tuple[Callable[[bytes, Random], bytes], ...]] = (
    _in_a_line,
    _in_a_line,
    _in_a_line,
    _lines,
    _bytes,
    _whole,
)


def spoil(folder: Path, seed: int) -> str:
    """It says what it did, for whoever reads that a test has failed."""
    random = Random(seed)
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix in (".json", ".jsonl"))
    said = []
    for _ in range(random.choice((1, 1, 2))):
        path = random.choice(files)
        before = path.read_bytes()
        if path.suffix == ".json" and random.random() < 0.7:
            how: Way = _other_value
        else:
            how = random.choice(_WAYS)
        try:
            path.write_bytes(how(before, random))
        except (ValueError, RecursionError):
            path.write_bytes(_bytes(before, random))  # what was spoilt before is no JSON any more
        said.append(f"{how.__name__} {path.name}")
    return f"seed {seed}: {', '.join(said)}"
