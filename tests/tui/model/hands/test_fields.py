"""What is said beside a field while it is typed."""

from __future__ import annotations

import pytest

from shaketable.tui.model.hands.calls import BY_VERB, DEEDS
from shaketable.tui.model.hands.fields import complaint, unit_of


@pytest.mark.parametrize("deed", DEEDS, ids=[deed.verb for deed in DEEDS])
def test_the_usual_values_are_fine(deed) -> None:  # type: ignore[no-untyped-def]
    said = {p.name: complaint(deed, p, {q.name: q.usual for q in deed.parameters}) for p in deed.parameters}
    assert said == dict.fromkeys(said, "")


def test_beside_a_field_stands_its_unit_and_what_it_means_to_say_nothing() -> None:
    said = {p.name: unit_of(p) for verb in ("slow", "drop", "hold", "flap") for p in BY_VERB[verb].parameters}
    assert (said["latency"], said["kind"], said["count"], said["to"]) == (
        "ms",
        "a message",
        "or no limit",
        "nodes, or to all",
    )
    assert (said["after"], said["perhaps"], said["times"]) == ("or before them", "yes, or no", "or it goes on")


@pytest.mark.parametrize(
    ("verb", "name", "typed", "said"),
    [
        ("slow", "latency", "", "for example 200"),
        ("slow", "latency", "much", "a number, please"),
        ("slow", "latency", "0", "at least 1"),
        ("slow", "latency", "1.5", "whole milliseconds"),
        ("slow", "jitter", "201", "no more than the latency"),
        ("thin", "rate", "999", "at least 1000"),
        ("thin", "rate", "1500", "a multiple of 1000"),
        ("thin", "rate", "1000.5", "a whole number, please"),
        ("flap", "down", "0", "at least 1"),
        ("clock", "jump", "1e300", "too large"),
        ("slow", "latency", "1e300", "too large"),
        ("isolate", "how", "gently", "cut · blackhole"),
        ("drop", "kind", "members", "membersupdate"),
        ("drop", "count", "", ""),
        ("hold", "event", "ViewInst", "ViewInstalled"),
        ("hold", "after", "-1", "at least 0"),
        ("load", "busy", "17", "at most 16"),
        ("work", "writes_percent", "101", "at most 100"),
        ("clock", "jump", "0.0000001", "too exact: whole microseconds"),
        ("clock", "jump", "nan", "a number, please"),
        ("put", "key", "", "for example k1"),
        ("start_group", "expected", "n2, n3 n2", "n2 is there twice"),
        ("hint", "failed", "", "for example n2"),
        ("drop", "to", "", ""),
        ("drop", "to", "n2 n2", "n2 is there twice"),
        ("drop", "perhaps", "maybe", "no · yes"),
        ("hold", "where", "", ""),
        ("hold", "where", "version=3", ""),
        ("hold", "where", "colour=red", "where: ViewInstalled has no field colour to compare; it has"),
        ("hold", "where", "version=new", "where: version of ViewInstalled is a whole number, not 'new'"),
        ("hold", "where", "version", "give name=value"),
        ("hold", "where", "version=1 version=2", "version is there twice"),
        ("hold", "where", "cause='", "a quote is open"),
        ("start", "settings", "lite_member=true", ""),
        ("start", "settings", "lite=true", "there is no such setting"),
        ("start", "settings", "lite_member=perhaps", "give true or false"),
        ("start", "knowing", "n1 127.0.0.1:9", ""),
    ],
)
def test_what_is_wrong(verb: str, name: str, typed: str, said: str) -> None:
    deed = BY_VERB[verb]
    (parameter,) = [each for each in deed.parameters if each.name == name]
    values = {each.name: each.usual for each in deed.parameters} | {name: typed}
    assert said in complaint(deed, parameter, values)
    assert bool(said) == bool(complaint(deed, parameter, values))
