"""`shaketable explain clique`: who stays and who leaves when some members cannot talk to each other, and why.

The question comes by arguments, or many of them on standard input; each is answered at once, in its place."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from shaketable.harness.errors import UserError
from shaketable.harness.explain.lines import answer_lines, lines_of_input, say
from shaketable.harness.explain.names import shown
from shaketable.node.cluster.cliques import WORK_PER_SECOND, Decision, Question, Resolution, Unclear

MOST_MEMBERS: Final = 2000
"""beyond that the answer is long in coming, whatever the budget"""
MOST_REPLICAS: Final = 10**9
LONGEST: Final = 10**6
"""seconds"""
_HELP: Final = "shaketable explain clique --help"
_EXAMPLE: Final = '{"members": ["n1", "n2", "n3"], "broken": [["n2", "n3"]]}'


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    members: list[str]
    broken: list[tuple[str, str]]
    lite: list[str] = []
    replicas: dict[str, int] = {}


class Answered(NamedTuple):
    question: Question
    decision: Decision | None
    """None if the time has run out: nobody leaves"""
    seconds: float
    """how much time there was"""


def explain_clique(options: argparse.Namespace) -> int:
    if not 0 < options.timeout <= LONGEST:
        raise UserError(f"--timeout {options.timeout:g}: give seconds above 0, and at most {LONGEST:,}")
    tell = _told_in_json() if options.json else _told_in_words()
    if options.members:
        tell(_answered(_question_of(options), options.timeout), 0)
        return 0
    for option in ("broken", "lite", "replicas"):
        if getattr(options, option):
            raise UserError(f"--{option} without members: name the members before it, the master first; see {_HELP}")

    def answer(asked: _Line, number: int) -> None:
        tell(_answered(question(asked.members, asked.broken, asked.lite, asked.replicas), options.timeout), number)

    lines = lines_of_input(_HELP, "members and --broken pairs")
    return answer_lines(lines, _Line, _EXAMPLE, answer, in_json=options.json)


def _answered(asked: Question, seconds: float) -> Answered:
    resolution = Resolution(asked, int(seconds * WORK_PER_SECOND))
    while resolution.step(WORK_PER_SECOND):
        pass
    return Answered(asked, resolution.decision, seconds)


# The answer


def _told_in_json() -> Callable[[Answered, int], None]:
    def tell(answer: Answered, number: int) -> None:
        decision = answer.decision
        stay, leave = (decision.stay, decision.leave) if decision else (answer.question.members, ())
        said: dict[str, object] = {"stay": stay, "leave": leave}
        if decision is None:
            said["timed_out"] = True  # else one would take it for "nothing is broken"
        say(sys.stdout, json.dumps(said))
        if decision is None:
            line = f"line {number}: " if number else ""
            say(
                sys.stderr,
                f"shaketable: {line}no decision within {answer.seconds:g} s of counted work, so nobody leaves; "
                "--timeout gives it more",
            )

    return tell


def _told_in_words() -> Callable[[Answered, int], None]:
    from shaketable.harness.console.screen import Screen
    from shaketable.harness.explain.clique_text import explanation  # only words need rich

    screen = Screen()

    def tell(answer: Answered, number: int) -> None:
        if number > 1:
            screen.print()
        for line in explanation(*answer, number):
            screen.print(line)

    return tell


# The question


def question(
    members: Sequence[str], broken: Iterable[tuple[str, str]], lite: Sequence[str], replicas: Mapping[str, int]
) -> Question:
    """Refuses in one sentence what makes no sense; only then names are what they seem."""
    if not members:
        raise UserError("the member list is empty: name at least the master")
    if len(members) > MOST_MEMBERS:
        raise UserError(f"{len(members):,} members are too many: at most {MOST_MEMBERS:,} can be decided about")
    known: set[str] = set()
    for name in members:
        if not name:
            raise UserError("a member has an empty name: give each a name of its own")
        if name in known:
            raise UserError(f"{shown(name)} is in the member list twice: name each member once, the master first")
        known.add(name)
    for name in (*lite, *replicas):
        _refuse_unknown(name, known, "lite" if name in lite else "replicas")
    for name, count in replicas.items():
        if not 0 <= count <= MOST_REPLICAS:
            raise UserError(
                f"{shown(name)} cannot hold {count:,} replicas: give a whole number from 0 on, up to {MOST_REPLICAS:,}"
            )
    broken = list(broken)
    for one, other in broken:
        for name in (one, other):
            _refuse_unknown(name, known, f"the broken pair {shown(one)}, {shown(other)}")
        if one == other:
            raise UserError(f"{shown(one)} cannot have a broken pair with itself: a pair names two members")
    try:
        return Question(members, broken, lite, replicas)
    except Unclear as unclear:
        raise UserError(f"{shown(str(unclear))}; see {_HELP}") from None


def _refuse_unknown(name: str, known: set[str], where: str) -> None:
    if name not in known:
        raise UserError(f"{shown(name)}, named in {where}, is not in the member list: add it there, or correct it")


def _question_of(options: argparse.Namespace) -> Question:
    for name in options.members:
        if "," in name:
            raise UserError(f"{shown(name)} holds a comma: give the members one by one, with blanks between them")
        if not name.isprintable():
            raise UserError(f"{shown(name)} cannot be printed: such names are taken as JSON only; see {_HELP}")
    return question(
        options.members,
        [_pair(said, options.members) for said in options.broken],
        options.lite,
        dict(_counts(options.replicas)),
    )


def _pair(said: str, members: Sequence[str]) -> tuple[str, str]:
    """With a comma, or with a dash where only one dash has a member before it and a member after it."""
    one, comma, other = said.partition(",")
    if comma and one and other and "," not in other:
        return one, other
    dashes = [(said[:at], said[at + 1 :]) for at, c in enumerate(said) if c == "-"]
    sensible = dashes if len(dashes) == 1 else [(a, b) for a, b in dashes if a in members and b in members]
    if not comma and len(sensible) == 1 and all(sensible[0]):
        return sensible[0]
    raise UserError(f"--broken {shown(said)}: a broken pair is two members with a comma between them, such as n2,n3")


def _counts(said: Sequence[str]) -> Iterator[tuple[str, int]]:
    seen: set[str] = set()
    for each in said:
        name, _, count = each.rpartition("=")
        if not name or not (count.isascii() and count.isdigit() and len(count) <= len(str(MOST_REPLICAS))):
            raise UserError(f"--replicas {shown(each)}: give MEMBER=COUNT with a whole number from 0 on, such as n2=5")
        if name in seen:
            raise UserError(f"--replicas {shown(each)}: {shown(name)} is given already; give it once")
        seen.add(name)
        yield name, int(count)
