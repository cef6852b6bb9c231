"""Reads plans in the layout of the text on avoiding data loss on migration: rows, then a migration a line."""

from __future__ import annotations

import re
from typing import NamedTuple

from tests import where

from shaketable.node.messages import Row

DATA = where.DATA / "partition"
TYPES = ("MOVE ", "COPY ", "SHIFT ", "CLEAR ")


class Case(NamedTuple):
    name: str
    current: Row
    target: Row
    planned: list[str]
    prioritised: list[str]
    """as planned, where nothing is said"""


def cases_in(file: str) -> list[Case]:
    parts = re.split(r"^= ", (DATA / file).read_text(), flags=re.MULTILINE)
    return [_case(part) for part in parts[1:]]


def _case(part: str) -> Case:
    name, *lines = part.splitlines()
    rows: dict[str, Row] = {}
    lists: dict[str, list[str]] = {}
    for line in lines:
        key, _, rest = line.partition(":")
        if line.endswith(" MIGRATIONS:"):
            lists[line] = []
        elif key.strip() in ("Replica indices", "CURRENT", "TARGET"):
            rows[key.strip()] = tuple(None if cell.strip() == "NULL" else cell.strip() for cell in rest.split(","))
        elif line.startswith(TYPES):
            lists[list(lists)[-1]].append(line.strip())
    length = len(rows["Replica indices"])
    assert len(rows["CURRENT"]) == len(rows["TARGET"]) == length, f"{name}: the rows are not {length} long"
    planned = lists["PLANNED MIGRATIONS:"]
    return Case(name, rows["CURRENT"], rows["TARGET"], planned, lists.get("PRIORITISED MIGRATIONS:", planned))
