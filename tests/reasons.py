"""For who writes events by hand: the kind of a reason by its usual words, which a test may know."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from shaketable.harness.records import Ending
from shaketable.node.why import Because, Why

NO_USUAL_ONE: Final = Why.BY_POLICY
"""of words that no node says"""


def reason_in(words: str) -> Because:
    return Because(words, _kind_of(words))


def gone(how: str) -> tuple[str, Ending]:
    """Of a process; one that failed, where it is told in other words."""
    return how, Ending(how) if how in Ending.__members__.values() else Ending.FAILED


@cache
def _kind_of(words: str) -> Why:
    same = [why for why in Why if words in (why.words, why)]
    like = [why for why in Why if why.words.strip("{}") and re.fullmatch(_pattern(why), words)]
    return next(iter([*same, *like]), NO_USUAL_ONE)


def _pattern(why: Why) -> str:
    return ".+".join(map(re.escape, why.words.split("{}")))
