"""What was done by hand, as a chaos script that does it again: the same calls in the same order, at the same distances.

It is made from the history alone, so a recorded session can be saved as well. Calls that overlapped follow each other;
what was refused, or took no effect, is left out and said so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from shaketable.harness.errors import UserError, reason_of
from shaketable.harness.records import Record
from shaketable.harness.scripting.calls import in_units, value_of
from shaketable.harness.scripting.text import in_a_docstring, name_for
from shaketable.node.config import PRESETS
from shaketable.node.core.env import MILLISECOND
from shaketable.tui.model.hands.by_hand import ByHand, Done, session_in
from shaketable.tui.model.hands.calls import BY_VERB, HEAL, STOP_WORK, WORK, Call, Value
from shaketable.tui.model.hands.repeating import command_for, its_settings
from shaketable.tui.model.run_facts import RunFacts

BY_HAND: Final = "by_hand"
"""the name of what has no usable one"""
_HEAD: Final = '''\
"""{title}

Saved from a session that was driven by hand:
    {command}"""

from shaketable import MILLISECOND, {second}Cluster, script


@script(about=["settled"]{settings})
async def {name}(cluster: Cluster) -> None:
    """{title}"""
    await cluster.form({nodes})
    formed = cluster.seen.now()

    async def at(millis: int) -> None:
        """So long after the cluster had formed; at once, if that is over."""
        await cluster.sleep(max(0, formed + millis * MILLISECOND - cluster.seen.now()))

'''
_END: Final = """\
    await cluster.heal_all()
    await cluster.calm()
    await cluster.expect(cluster.that.settled(), within=cluster.bounds.settle())
"""


def save(records: Iterable[Record], facts: RunFacts, path: Path) -> str:
    """The trouble, or "" """
    try:
        text = script_of(records, facts, path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except UserError as error:
        return str(error)
    except OSError as error:
        if isinstance(error, FileExistsError) and error.filename == str(path):
            return f"there is a file {path} already: give another name"
        return f"{path} cannot be written: {reason_of(error)}"
    return ""


def script_of(records: Iterable[Record], facts: RunFacts, path: Path) -> str:
    if path.suffix != ".py":
        raise UserError(f"{path}: a chaos script ends in .py")
    session = session_in(records)
    body = list(_lines(session))
    title = _title(session.calls)
    head = _HEAD.format(
        title=title,
        command=in_a_docstring(command_for(session, facts, Path(path.name))),
        name=name_for(path, BY_HAND),
        settings=_settings(facts),
        nodes=", ".join(map(_value, session.nodes)),
        second="SECOND, " if any(re.search(r"\bSECOND\b", line) for line in body) else "",
    )
    return head + "".join(f"    {line}\n" for line in body) + _END


def _lines(session: ByHand) -> Iterator[str]:
    calls, formed = session.calls, session.formed
    healed = {d.call.arguments[0] for d in calls if d.call.verb == HEAL and not d.left_out}
    at_work: dict[Value, list[str]] = {}
    last = 0
    for number, each in enumerate(calls, 1):
        call = each.call
        if each.left_out:
            yield f"# left out: {written(call)}: {' '.join(each.trouble.split())}"
            continue
        millis = max(last, (each.time - formed) // MILLISECOND)
        if millis > last:
            yield f"await at({millis:_})"
            last = millis
        if call.verb == HEAL:
            yield f"await cluster.heal(fault_{call.arguments[0]})"
        elif call.verb == STOP_WORK:
            yield from (f"await cluster.stop_work({work})" for work in at_work.pop(call.arguments[0], []))
        elif call.verb == WORK:
            at_work.setdefault(call.arguments[0], []).append(f"work_{number}")
            yield f"work_{number} = await {written(call)}"
        else:
            yield (f"fault_{each.fault} = " if each.fault in healed else "") + step_of(call)
    if any(at_work.values()):
        yield f"await at({max(last, (session.end - formed) // MILLISECOND):_})"
    yield from (f"await cluster.stop_work({work})" for own in at_work.values() for work in own)


def step_of(call: Call) -> str:
    """As it stands in a script."""
    deed = BY_VERB.get(call.verb)
    return written(call) if deed is not None and not deed.steps else f"await {written(call)}"


def written(call: Call) -> str:
    """As a hand would write it, with its times in their units."""
    deed = BY_VERB.get(call.verb)
    factors = {p.name: p.factor for p in deed.parameters} if deed is not None else {}
    ordered = [p.factor for p in deed.parameters if p.positional] if deed is not None else []
    factors_of_arguments = [1] * (len(call.arguments) - len(ordered)) + ordered
    said = [_value(value, factor) for value, factor in zip(call.arguments, factors_of_arguments, strict=False)]
    said += [f"{name}={_value(value, factors.get(name, 1))}" for name, value in call.options.items()]
    return f"cluster.{call.verb}({', '.join(said)})"


def _value(value: Value, factor: int = 1) -> str:
    return in_units(value) if isinstance(value, int) and factor > 1 else value_of(value)


def _title(calls: list[Done]) -> str:
    verbs = [each.call.verb.replace("_", " ") for each in calls if not each.left_out]
    some = ", ".join(verbs[:6]) + (" …" if len(verbs) > 6 else ".")
    return f"Driven by hand: {some}" if verbs else "Driven by hand."


def _settings(facts: RunFacts) -> str:
    preset = PRESETS.get(facts.preset)
    usual = {**preset.outside(), **its_settings(facts)} if preset is not None else {}
    own = {name: value for name, value in facts.settings.items() if usual.get(name) != value}
    return f", settings={own!r}" if own else ""
