"""What a history tells of a value: its first word, and a sum of all of it where that is not the whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaketable.node.cluster.partition.tags import tag_in, tag_of


@pytest.mark.parametrize("value", ["", "x1", "x" * 200])
def test_a_short_word_stands_for_itself(value: str) -> None:
    assert tag_of(value) == value


def test_of_any_other_value_a_sum_is_told() -> None:
    assert tag_of("x1 and more") == "x1 ~15dcb14a"
    assert tag_of("x" * 201) == f"{'x' * 200} ~{tag_of('x' * 201)[-8:]}"
    assert tag_in(b"x\xff").startswith("x\N{REPLACEMENT CHARACTER} ~")


@given(st.text(min_size=1), st.integers(0, 300))
def test_a_part_of_a_value_is_told_as_another_one(value: str, left: int) -> None:
    whole = value.encode()
    part = whole[:left]
    assert (tag_in(part) == tag_of(value)) == (part == whole)


def test_a_value_that_is_put_again_is_told_alike() -> None:
    assert tag_of("x1 and more") == tag_in(b"x1 and more")
