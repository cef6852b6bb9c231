"""The memo of a session: what is kept in it, until what it was made of has changed."""

from __future__ import annotations

from collections.abc import Callable

from shaketable.tui.model.history.memo import MOST, Itself, MadeOf, Memo, Remembered, Slot

WORDS = Slot(Remembered[str])


def counting(made: list[int]) -> Callable[[], str]:
    def make() -> str:
        made.append(1)
        return f"made {len(made)}"

    return make


def test_each_memo_has_its_own_of_everything() -> None:
    one, other = Memo(), Memo()
    make = counting([])
    assert one[WORDS].get("a", 1, make) == one[WORDS].get("a", 1, make) == "made 1"
    assert other[WORDS].get("a", 1, make) == "made 2"
    assert one[Slot(Remembered[str])].get("a", 1, make) == "made 3"


def test_what_it_was_made_of_says_how_long_it_is_good() -> None:
    kept, make = Remembered[str](), counting([])
    seen = [1]
    assert kept.get("a", Itself(seen), make) == "made 1"
    seen.append(2)
    assert kept.get("a", Itself(seen), make) == "made 1"
    assert kept.get("a", Itself([1, 2]), make) == "made 2"


def test_it_does_not_grow_for_ever() -> None:
    kept, made = Remembered[str](), list[int]()
    for key in range(3 * MOST):
        kept.get(key, 0, counting(made))
    assert kept.get(3 * MOST - 1, 0, counting(made)) == f"made {3 * MOST}"
    assert kept.get(0, 0, counting(made)) == f"made {3 * MOST + 1}"


def test_what_was_made_of_one_object_goes_with_it() -> None:
    kept, make = MadeOf[str](), counting([])
    one, other = [1], [1]
    assert kept.get(one, "a", make) == kept.get(one, "a", make) == "made 1"
    assert kept.get(one, "b", make) == "made 2"
    assert kept.get(other, "a", make) == "made 3"
    assert kept.get(one, "a", make) == "made 4"
