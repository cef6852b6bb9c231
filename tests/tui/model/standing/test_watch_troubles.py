"""Where the watch of a group is broken, by what its members say of their heartbeats; and what it costs to find that."""

from __future__ import annotations

import pytest
from tests.tui.model.folds.test_picture_parts import N1, N2, picture_of
from tests.tui.panels.stories import by_hand

from shaketable.node import events as e
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing import watch_troubles as t
from shaketable.tui.model.standing.links import Links, links
from shaketable.tui.model.standing.watch_troubles import Trouble, troubles

RING = ("n1 sends to n2, and watches n3", "n2 sends to n3, and watches n1", "n3 sends to n1, and watches n2")
STAR = (
    "n1 sends to n2 n3 n4, and watches n2 n3 n4",
    *(f"n{n} sends to n1, and watches n1" for n in (2, 3, 4)),
)
MANY = 50


def group(*told: str) -> Session:
    names = "n1 n2 n3 n4" if any("n4" in each for each in told) else "n1 n2 n3"
    begun = ["all have family = gms", f"n1 leads from 1 [{names}]", f"{names[3:]} take 1 of n1"]
    return by_hand("\n".join([*begun, *told]))


CASES: dict[str, tuple[tuple[str, ...], list[Trouble]]] = {
    "a ring": (RING, []),
    "a star": (STAR, []),
    "a member is gone: one sends to it, and another lost its watcher": (
        (*RING, "n3 is killed"),
        [Trouble(t.TO_NOBODY, ("n3",), ("n2",)), Trouble(t.UNWATCHED, ("n2",))],
    ),
    "the master is gone": (
        (*STAR, "n1 is killed"),
        [Trouble(t.TO_NOBODY, ("n1",), ("n2", "n3", "n4")), Trouble(t.UNWATCHED, ("n2", "n3", "n4"))],
    ),
    "one has another view than its watcher": (
        (*RING, "n2 sends to n1, and watches n1"),
        [Trouble(t.WAITS, ("n2",), ("n3",))],
    ),
    "a master waits for several": (
        (*STAR, "n2 sends to nobody, and watches n1", "n4 sends to nobody, and watches n1"),
        [Trouble(t.WAITS, ("n2", "n4"), ("n1",))],
    ),
    "several wait for a master": (
        (*STAR, "n1 sends to n2, and watches n2 n3 n4"),
        [Trouble(t.WAITS, ("n1",), ("n3", "n4"))],
    ),
}


def found(session: Session) -> list[Trouble]:
    return troubles(session.picture(), links(session))


@pytest.mark.parametrize("name", CASES)
def test_what_is_broken(name: str) -> None:
    told, expected = CASES[name]
    assert found(group(*told)) == expected


def test_nothing_comes_and_nothing_was_done() -> None:
    targets = [(N1, e.HeartbeatTargets((N2.address,), ())), (N2, e.HeartbeatTargets((), (N1.address,)))]
    picture = picture_of(*targets, (N2, e.LinkSilent(N1.address)))
    assert troubles(picture, Links(picture, 9000, 4000)) == [Trouble(t.UNHEARD, ("n1",), ("n2",), since=3000)]


def test_what_is_done_to_a_link_is_said_and_links_that_are_alike_are_one() -> None:
    session = group(*STAR, "fault 1: cut n1->n3", "fault 2: cut n1->n4", "fault 3: cut n4->n1")
    assert [(of.members, of.others, of.done) for of in found(session)] == [
        (("n1",), ("n3", "n4"), "cut"),
        (("n4",), ("n1",), "cut"),
    ]


def test_fifty_members_that_all_send_to_all_are_asked_for_the_watched_links_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = [f"n{n}" for n in range(1, MANY + 1)]
    others = {name: " ".join(each for each in names if each != name) for name in names}
    session = by_hand(
        "\n".join(
            [
                *("all have family = gms", f"n1 leads from 1 [{' '.join(names)}]", f"{others['n1']} take 1 of n1"),
                *(f"{n} sends to {others[n]}, and watches {others[n] if n == 'n1' else 'n1'}" for n in names),
            ]
        )
    )
    asked: list[tuple[str, str]] = []
    of = Links.of

    def counted(self: Links, sender: str, receiver: str) -> object:
        asked.append((sender, receiver))
        return of(self, sender, receiver)

    monkeypatch.setattr(Links, "of", counted)
    assert found(session) == []
    assert len(asked) == 2 * (MANY - 1)
