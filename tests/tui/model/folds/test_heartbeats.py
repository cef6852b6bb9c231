"""The watchers in a group, as its members say it themselves: the chains, and where one is a ring."""

from __future__ import annotations

import pytest
from tests.reasons import gone
from tests.tui.model.folds.test_picture_parts import ALL, picture_of

from shaketable.harness.records import NodeEnded
from shaketable.harness.seen.run import Observed
from shaketable.node import events as e
from shaketable.node.events import Event
from shaketable.node.messages import Member
from shaketable.tui.model.folds.heartbeats import GONE, UNWATCHED, WATCHED, chains, is_watched, watching


def group(text: str, ended: str = "") -> Observed:
    """ "1>2 2>3": n1 sends to n2, which watches it; "1?2": which does not."""
    to: dict[int, list[str]] = {}
    watched: dict[int, list[str]] = {}
    for edge in text.split():
        sender, receiver = int(edge[0]), int(edge[2])
        to.setdefault(sender, []).append(ALL[receiver - 1].address)
        if edge[1] == ">":
            watched.setdefault(receiver, []).append(ALL[sender - 1].address)
    told: list[tuple[Member | None, Event]] = [
        (member, e.HeartbeatTargets(tuple(to.get(n, ())), tuple(watched.get(n, ())))) for n, member in enumerate(ALL, 1)
    ]
    told += [(None, NodeEnded(f"n{n}", *gone("killed"))) for n in ended]
    return picture_of(*told).observed


CASES = {
    "a ring": ("1>2 2>3 3>4 4>1", "", ["1 2 3 4 ring"]),
    "two of them, while there are two masters": ("1>2 2>1 3>4 4>3", "", ["1 2 ring", "3 4 ring"]),
    "open where somebody has gone": ("1>2 2>3 3>4 4>1", "3", ["4 1 2 3 open"]),
    "open in two places": ("1>2 2>3 3>4 4>1", "13", ["2 3 open", "4 1 open"]),
    "one that leads into another": ("1>2 2>1 3?2", "", ["3 2 open", "1 2 ring"]),
    "two that lead into the same one": ("1?3 2>3 3>4", "", ["1 3 4 open", "2 3 open"]),
    "nobody": ("", "", []),
    "all to all is none": ("1>2 1>3 2>1 2>3 3>1 3>2", "", []),
}


@pytest.mark.parametrize("name", CASES)
def test_chains(name: str) -> None:
    text, ended, expected = CASES[name]
    found = chains(group(text, ended))
    told = [" ".join([*(n[1:] for n in each.names), "ring" if each.is_ring else "open"]) for each in found]
    assert told == expected


def test_each_link_of_a_chain_says_whether_it_is_watched() -> None:
    (chain,) = chains(group("4>1 1?2 2>3 3>4", ended="3"))
    assert (chain.names, chain.links) == (("n4", "n1", "n2", "n3"), (WATCHED, UNWATCHED, GONE))


def test_who_does_not_run_may_be_watched_yet() -> None:
    of = watching(group("1>2 2>3 3>1", ended="1"))
    assert (of["n1"].to, of["n1"].watches, of["n1"].watched_by) == ((), (), ("n2",))
    assert (of["n3"].to, of["n3"].watches, of["n3"].watched_by) == (("n1",), ("n2",), ())
    assert [is_watched(of, *pair) for pair in (("n2", "n3"), ("n3", "n1"), ("n3", "n2"))] == [True, False, None]
