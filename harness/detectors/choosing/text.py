"""How the terminal shows the answer of a search, in 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, inf, isinf
from typing import Final

from rich.table import Table
from rich.text import Text

from shaketable.harness.checks.result import counted
from shaketable.harness.detectors.choosing.answer import BYTES, MESSAGES, Point, good, quickest
from shaketable.harness.detectors.choosing.bound import silences_by_loss
from shaketable.harness.detectors.choosing.candidates import MISSED, PERIOD, to_set
from shaketable.harness.detectors.choosing.question import DAY, HOUR, Question
from shaketable.harness.detectors.choosing.search import UNSURE, Search, Tried
from shaketable.harness.detectors.quality.named import known
from shaketable.harness.detectors.quality.of_a_run import NEVER
from shaketable.harness.detectors.text import BAD, FAINT, GOOD, HEAD, seconds, table_of
from shaketable.node.core.env import SECOND, Micros

NAME: Final = 11


def rendered(
    question: Question, policies: Sequence[str], search: Search, found: Sequence[Point], chosen: Point | None
) -> Iterator[Table | Text]:
    yield Text(f"{asked(question)}, with {question.members} members", "bold reverse")
    yield Text(_life(question), FAINT)
    yield Text()
    yield Text("The quickest of each policy and period that keep it", HEAD)
    yield _kept(found, question)
    yield from _others(question, policies, search)
    fit = good(question, found)
    if fit:
        yield Text()
        yield Text("At equal cost: nine of ten crashes are told within so many seconds", HEAD)
        yield _at_equal_cost(policies, fit, "messages", "msg/s", MESSAGES)
        yield Text()
        yield _at_equal_cost(policies, fit, "bytes", "B/s", BYTES)
    yield Text()
    yield from _answer(question, chosen)


def asked(question: Question) -> str:
    many = f"{question.at_most.many:g}"
    return f"At most {many} false {'removal' if many == '1' else 'removals'} {_a_time(question)}"


def _a_time(question: Question) -> str:
    time = question.at_most.time
    return f"an {time}" if time == "hour" else f"a {time}"


def _life(question: Question) -> str:
    faults = question.faults
    said = known(faults.always).says if faults.always != "none" or not faults.asleep else ""
    if not faults.asleep:
        return said
    every = duration(faults.every)
    sleeps = f"each member sleeps for {faults.asleep / SECOND:g} s, once in {every}"
    return f"{said}; {sleeps}" if said else sleeps


def duration(time: Micros) -> str:
    for unit, name in ((DAY, "d"), (HOUR, "h"), (60 * SECOND, "min")):
        if time >= unit and time % unit == 0:
            return f"{time // unit} {name}"
    return f"{time / SECOND:g} s"


def _kept(found: Sequence[Point], question: Question) -> Table:
    table = table_of("policy", "P", "K", "more", "50%", "90%", "msg/s", "most", "B/s", "wrong", "seen", least=NAME)
    order = {policy: place for place, policy in enumerate(dict.fromkeys(each.policy for each in found))}
    for each in sorted((one for one in found if one.keeps), key=lambda one: (order[one.policy], one.messages)):
        seen = each.tried.seen
        table.add_row(
            each.policy,
            *_settings(each.tried),
            _time(each.median),
            Text(_time(each.told), GOOD if question.within is None or each.told <= question.within else BAD),
            _rate(each.messages),
            _rate(each.most),
            f"{each.bytes:,.0f}",
            f"<{_up(each.tried.most)}",
            f"{seen.sleeps + seen.silenced:,}" if question.faults.asleep else f"{seen.took / HOUR:,.0f} h",
        )
    return table


def _settings(tried: Tried) -> tuple[str, str, str]:
    """The period, the missed heartbeats, and what else was chosen."""
    settings, values = tried.candidate.variant.settings, tried.candidate.values
    more = [value for name, value in values.items() if name not in (PERIOD, MISSED)]
    missed = "-" if settings.swims else str(settings.gms_max_missed)
    return f"{settings.gms_heartbeat_period / SECOND:g}", missed, " ".join(more) or "-"


def _others(question: Question, policies: Sequence[str], search: Search) -> Iterator[Text]:
    """In a sentence each: what was not found, and why."""
    climbed = {climb.ladder.policy for climb in search.climbs}
    dear = [policy for policy in policies if policy not in climbed]
    if dear:
        yield Text()
        yield Text(
            f"Not tried, since a member would send more than {question.messages:g} messages a second: "
            f"{', '.join(dear)}. --messages allows more.",
            FAINT,
        )
    for policy in policies:
        mine = [climb for climb in search.climbs if climb.ladder.policy == policy]
        if mine and not any(climb.kept for climb in mine):
            unsure = [each for climb in mine for each in climb.tried if each.outcome == UNSURE]
            yield Text(f"{policy}: {_why_none(question, unsure)}", BAD)


def _why_none(question: Question, unsure: Sequence[Tried]) -> str:
    hours = min((each.hours_more for each in unsure), default=None)
    if hours is None:
        return "no settings that were tried keep it."
    if isinf(hours):
        return "no settings were shown to keep it, and no time would do."
    return (
        f"not to be shown in {question.hours:g} hours of virtual time; {_hours(hours)} more would, if nothing goes "
        "wrong in them (--hours)."
    )


def _hours(hours: float) -> str:
    return f"{-int(-hours // 1):,} hours"


def _at_equal_cost(
    policies: Sequence[str], fit: Sequence[Point], cost: str, unit: str, levels: Sequence[float]
) -> Table:
    table = table_of(unit, *(f"{level:,g}" if level < 1000 else f"{level:,.0f}" for level in levels), least=NAME)
    for policy in policies:
        mine = [each for each in fit if each.policy == policy]
        if mine:
            table.add_row(policy, *(_cell(quickest(mine, cost, level)) for level in levels))
    return table


def _cell(point: Point | None) -> str:
    return "-" if point is None else _time(point.told)


def _answer(question: Question, chosen: Point | None) -> Iterator[Text]:
    wish = "" if question.within is None else f" and tell nine of ten crashes within {duration(question.within)}"
    if chosen is None:
        yield Text(f"No settings that were tried were shown to keep that{wish}.", BAD)
        return
    how = "The quickest" if question.within is None else "The cheapest that are quick enough"
    seen = chosen.tried.seen
    yield Text(
        f"{how}: {chosen.policy}. Half of all crashes are told within {_time(chosen.median)} s, nine of ten "
        f"within {_time(chosen.told)} s ({counted(chosen.crashes, 'crash', 'crashes')}). A member sends "
        f"{_rate(chosen.messages)} messages a second, and {chosen.bytes:,.0f} bytes.",
        GOOD,
    )
    yield Text(_sure(question, chosen.tried), GOOD)
    yield Text(_watched(question, seen.sleeps, seen.silenced, seen.took / HOUR), FAINT)
    by_loss = silences_by_loss(chosen.policy, chosen.tried.candidate.variant, question, seen)
    if 0 < by_loss < inf:
        swims = chosen.tried.candidate.variant.settings.swims
        what = "a ping fails, and those of all helpers," if swims else "a link is silent for a whole window"
        yield Text(f"Computed: by loss alone {what} {_few(by_loss)} times {_a_time(question)}.", FAINT)
    yield Text()
    for each in to_set(chosen.tried.candidate):
        yield Text(f"    --set {each}")


def _sure(question: Question, tried: Tried) -> str:
    return (
        f"It removes at most {_up(tried.most)} members falsely {_a_time(question)}, with 95 % confidence: "
        f"{tried.seen.removals} were seen."
    )


def _watched(question: Question, sleeps: int, silenced: int, hours: float) -> str:
    if not question.faults.asleep:
        return f"Watched: {hours:,.1f} hours of virtual time."
    of_a_time = question.faults.sleeps(question.members, question.at_most.span)
    said = f"Watched: {sleeps:,} sleeps, where {_a_time(question)} has {of_a_time:,.0f}"
    said += f", and {silenced:,} silences" if silenced else ""
    return f"{said}, in {hours:,.1f} hours of virtual time."


LEGEND: Final = (
    "P: seconds from one heartbeat to the next. K: missed heartbeats that are borne. more: what else was chosen; for a "
    "group gms_probe_timeout and gms_verify_timeout, for swim and lifeguard swim_suspicion_periods, swim_ping_timeout "
    "and swim_helpers, for lifeguard then lifeguard_longest_suspicion, for phi-accrual its threshold. 50%, 90%: "
    "seconds in which half of all crashes are told to the last survivor, and nine of ten. msg/s, B/s: what a member "
    "sends in a second where nobody crashes or sleeps; most: messages that the busiest member sends or receives. "
    "wrong: false removals, at most, with 95 % confidence. seen: sleeps and silences that were watched for that, or "
    "hours where nobody sleeps."
)


def _few(number: float) -> str:
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"


def _up(number: float) -> str:
    """Never less than it is."""
    places = 2 if number < 10 else 0
    return f"{ceil(number * 10**places) / 10**places:.{places}f}"


def _rate(a_second: float) -> str:
    return f"{a_second:.{2 if a_second < 10 else 1}f}"


def _time(time: Micros) -> str:
    if time == NEVER:
        return "never"
    return seconds(time) if time < 100 * SECOND else f"{time / SECOND:.0f}"
