"""Requests by chance: near to good ones, so that every line of the handler is come to, and bytes that are no HTTP."""

from __future__ import annotations

import random
from urllib.parse import quote

from shaketable.node.rest import MEMBER_LIST, RELOAD, UPDATE, Request

METHODS = ("GET", "POST", "POST", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "get", "X")
PATHS = (MEMBER_LIST, MEMBER_LIST, UPDATE, UPDATE, RELOAD, f"{MEMBER_LIST}?a=b", "/", "*", "//", "/hazelcast/rest")
TYPES = ("text/plain", "text/plain", "text/plain; charset=utf-8", "application/x-www-form-urlencoded", "text/html", "")
NAMES = ("dev", "dev", "dev", "dev", "prod", "", "d%65v", "dev\0", "ä" * 50)
PASSWORDS = ("s3cret", "s3cret", "s3cret", "s3cret", "wrong", "", "s3cret ", "%", "s3cre%74")
LISTS = ("127.0.0.1:5701", "127.0.0.1:5701,127.0.0.1", ",", "", "host:1", "127.0.0.1:99999", "1.2.3.4," * 999, ":" * 9)
DOCUMENTS = (
    "tcp-ip: {member-list: [127.0.0.1]}",
    "hazelcast: {cluster-name: dev, network: {join: {tcp-ip: {enabled: true, member-list: [127.0.0.1:5702]}}}}",
    "tcp-ip: {member-list: [[1]]}",
    "a: &a [*a]",
    "{" * 3000,
    "- " * 3000,
    "!!timestamp x",
    "!!float ''",
    "? [a]\n: b",
    "<<: {tcp-ip: {member-list: [127.0.0.1]}}",
    "1" * 5000,
    "\t%YAML 9.9\n---\n...",
    "tcp-ip: {member-list: !!binary aaa}",
)  # fmt: skip
HEADS = (
    b"GET ",
    b"POST ",
    b"HTTP/1.1",
    b"\r\n",
    b"\r\n\r\n",
    b"Content-Length: ",
    b"Transfer-Encoding: chunked\r\n",
    b":",
)


def request(rng: random.Random) -> Request:
    if rng.random() < 0.05:
        addresses = ",".join(f"10.0.0.{rng.randrange(256)}:{rng.randrange(1, 65_536)}" for _ in range(3))
        return Request("POST", MEMBER_LIST, {"content-type": TYPES[0]}, f"dev&s3cret&{quote(addresses)}".encode())
    fields = [rng.choice(NAMES), rng.choice(PASSWORDS), rng.choice((*LISTS, *DOCUMENTS))]
    if rng.random() < 0.2:
        fields = fields[: rng.randrange(4)] * rng.randrange(1, 3)
    encoded = [quote(field) if rng.random() < 0.8 else field for field in fields]
    body = "&".join(encoded).encode()
    if rng.random() < 0.2:
        body = mangled(rng, body)
    headers = {"content-type": rng.choice(TYPES)} if rng.random() < 0.9 else {}
    return Request(rng.choice(METHODS), rng.choice(PATHS), headers, body)


def mangled(rng: random.Random, data: bytes) -> bytes:
    several = bytearray(data)
    for _ in range(rng.randrange(1, 8)):
        at = rng.randrange(len(several) + 1)
        several[at : at + rng.randrange(3)] = rng.randbytes(rng.randrange(4))
    return bytes(several)


def raw(rng: random.Random) -> bytes:
    """What a client may send to the port."""
    if rng.random() < 0.2:
        return rng.randbytes(rng.randrange(3000))
    if rng.random() < 0.2:
        return b"".join(rng.choice((*HEADS, rng.randbytes(5))) for _ in range(rng.randrange(40)))
    asked = request(rng)
    length = len(asked.body) if rng.random() < 0.8 else rng.choice((0, 5, 10**9, -1))
    lines = [f"{asked.method} {asked.path} HTTP/1.{rng.choice('0119')}", "Host: 127.0.0.1", f"Content-Length: {length}"]
    lines += [f"{name}: {value}" for name, value in asked.headers.items()]
    whole = "\r\n".join([*lines, "", ""]).encode() + asked.body
    return mangled(rng, whole) if rng.random() < 0.3 else whole
