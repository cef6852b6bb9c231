"""Orders as they are typed: a deed with its nodes and values, or a few words for looking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Final

from shaketable.harness.errors import UserError
from shaketable.harness.faults.parameters import ONE_WAY
from shaketable.tui.model.hands.calls import BY_VERB, HEAL, OF_A_LINK, OF_A_NODE, START, Call, Deed, heal
from shaketable.tui.model.hands.filling_in import filled_in
from shaketable.tui.model.hands.groups import GROUPS, NODES
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.family import is_group
from shaketable.tui.model.standing.possible import deeds_for, messages_for, nodes_for, present, refused, why_not

LOOKING: Final = {
    "status": "the nodes, the faults that are on, and the checks",
    "events [N]": "the last N events of note (20)",
    "at TIME": "go to a time, as 12.5, 1:30, 50% or end, and say how things stood there",
    "why EVENT": "what led to an event: NODE:NUMBER as it is shown, NODE@SECONDS, or NODE",
    "wait SECONDS": "read no order for so long, in the time of the cluster",
    "speed X": "of a simulated run: so many of its seconds in one of yours; 0 halts it, max is as fast as it can",
    "save FILE": "what was done by hand, as a chaos script",
    "help": "all orders",
    "quit": "end the run; so does the end of the input",
}
IN_A_GROUP: Final = {
    "status": "the masters, the members, the doubts, the last notifications, the faults that are on, and the checks"
}
WORDS: Final = tuple(each.partition(" ")[0] for each in LOOKING)


def call_of(words: Sequence[str], session: Session) -> Call:
    """A `UserError` says what is wrong with it."""
    verb, *rest = words
    if verb == HEAL and rest == ["all"]:
        verb, rest = "heal_all", []
    if verb == HEAL:
        if len(rest) != 1 or not rest[0].isdecimal():
            raise UserError("heal takes the number of a fault, or the word all")
        return heal(int(rest[0]))
    deeds = {deed.verb: deed for deed in deeds_for(session.facts)}
    deed = deeds.get(verb)
    if deed is None:
        near = get_close_matches(verb, [*deeds, HEAL, *WORDS], 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise UserError(f"there is no order {verb}: {hint}help lists all")
    trouble = why_not(deed, session)
    if trouble:
        raise UserError(f"{verb}: {trouble}")
    if deed.verb == START:
        return Call(START) if not rest else Call(START, tuple(rest))
    call = _filled(deed, rest, session)
    refusal = refused(call, session.facts)
    if refusal:
        raise UserError(f"{verb}: {refusal}")
    return call


def _filled(deed: Deed, rest: list[str], session: Session) -> Call:
    one_way = ONE_WAY in rest
    plain = [word for word in rest if "=" not in word and word != ONE_WAY]
    typed = dict(word.split("=", 1) for word in rest if "=" in word)
    unknown = [name for name in typed if name not in {parameter.name for parameter in deed.parameters}]
    if unknown or (one_way and not deed.one_way):
        raise UserError(f"{deed.verb} takes no {(unknown or [ONE_WAY])[0]}: {usage(deed)}")
    wanted = {OF_A_LINK: 2, OF_A_NODE: 1}.get(deed.of, 0)
    nodes, values = plain[:wanted], plain[wanted:]
    known = present(session).nodes
    wrong = [name for name in nodes if name not in known]
    if len(nodes) < wanted:
        raise UserError(f"{deed.verb} is done to {'a node' if wanted == 1 else 'two nodes'}: {usage(deed)}")
    if wrong:
        raise UserError(f"there is no node {wrong[0]}: there are {' '.join(nodes_for(deed, present(session)))}")
    ordered = [parameter for parameter in deed.parameters if parameter.positional]
    if ordered and ordered[-1].unit in (GROUPS, NODES) and values:
        values = [*values[: len(ordered) - 1], " ".join(values[len(ordered) - 1 :])]
    if len(values) > len(ordered):
        raise UserError(f"{deed.verb} does not take {values[-1]}: {usage(deed)}")
    typed |= {parameter.name: value for parameter, value in zip(ordered, values, strict=False)}
    return filled_in(deed, nodes, typed, one_way=one_way)


def usage(deed: Deed) -> str:
    words = [deed.verb, *{OF_A_LINK: ("NODE", "NODE"), OF_A_NODE: ("NODE",)}.get(deed.of, ())]
    for parameter in deed.parameters:
        given = parameter.usual or "N"
        words.append(given if parameter.positional else f"[{parameter.name}={given}]")
    return " ".join([*words, *[f"[{ONE_WAY}]"] * deed.one_way])


def help_lines(session: Session) -> Iterator[str]:
    of_a_group = is_group(session.facts)
    for order, said in LOOKING.items():
        yield f"{order}: {IN_A_GROUP.get(order, said) if of_a_group else said}"
    yield "heal N: end fault N; heal all ends all of them"
    yield from (f"{usage(deed)}: {deed.title}" for deed in deeds_for(session.facts) if deed.verb in BY_VERB)
    whose = "the members of a group" if of_a_group else "the nodes"
    yield f"messages that {whose} send: {' '.join(messages_for(session.facts))}"
