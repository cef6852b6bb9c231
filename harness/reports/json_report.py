"""report.json: the verdict of a session as it is, for programs. Its schema has a version (harness/verdict.py)."""

from __future__ import annotations

import msgspec

from shaketable.harness.verdict import SessionVerdict


def to_json(session: SessionVerdict) -> str:
    return msgspec.json.format(msgspec.json.encode(session), indent=1).decode() + "\n"


def from_json(text: str) -> SessionVerdict:
    return msgspec.json.decode(text, type=SessionVerdict)
