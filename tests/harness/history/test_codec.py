"""Event -> line -> row -> event, for every kind of event there is."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reasons import reason_in

from shaketable.harness.history.codec import (
    COLUMNS,
    EVENT_TYPES,
    CodecError,
    from_line,
    from_row,
    hashed_lines,
    row_of,
    to_line,
)
from shaketable.harness.records import (
    OURS,
    Ending,
    FaultEnded,
    FaultTook,
    NodeEnded,
    NodeNamed,
    Record,
    RunBegan,
    UnderTest,
)
from shaketable.node.events import DisconnectionResolved, Event, LinkUp, MemberRemoved, Suspected, ViewInstalled
from shaketable.node.events.base import Cause
from shaketable.node.messages import Member, Migration, MigrationInfo
from shaketable.node.messages.partition import MigrationType
from shaketable.node.why import Why

N1, N2 = Member("127.0.0.1:5701", "aaaa"), Member("127.0.0.1:5702", "bbbb")

whole = st.integers(-(2**63), 2**63 - 1)
texts = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(["=", "=1.5", "==", "null"])
st.register_type_strategy(int, whole)
st.register_type_strategy(str, texts)
st.register_type_strategy(float, st.floats(allow_nan=False))


@st.composite
def migrations(draw: st.DrawFn) -> MigrationInfo:
    """Not every one can be built."""
    row = draw(st.lists(st.none() | texts, max_size=7, unique=True))
    kind: MigrationType = draw(st.sampled_from(get_args(MigrationType)))
    index = st.integers(-1, len(row) - 1)
    member = st.none() | texts
    migration = Migration(kind, draw(member), draw(index), draw(index), draw(member), draw(index), draw(index))
    name, numbers = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200), st.integers(0, 2**53)
    return MigrationInfo(draw(name), draw(texts), draw(st.integers(0, 99_999)), migration, draw(numbers), tuple(row))


st.register_type_strategy(MigrationInfo, migrations())


def arbitrary(event: type[Event]) -> st.SearchStrategy[Event]:
    return st.builds(event, **{f.name: st.from_type(f.type) for f in msgspec.structs.fields(event)})


causes = st.none() | st.builds(Cause, st.text(min_size=1), st.integers(0, 1 << 60), st.booleans(), texts)


@settings(deadline=None)  # a busy machine is no fault
@given(whole, texts, texts, whole, st.one_of(*map(arbitrary, EVENT_TYPES)), causes)
def test_every_event_comes_back_from_its_line_as_it_was(
    time: int, node: str, incarnation: str, sequence: int, event: Event, cause: Cause | None
) -> None:
    record = Record(time, node, incarnation, sequence, event, cause)
    line = to_line(record)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert from_line(line) == record
    assert type(from_line(line).event) is type(event)
    assert to_line(from_row(row_of(line))) == line


@settings(deadline=None)
@given(st.one_of(*map(arbitrary, EVENT_TYPES)), st.data())
def test_a_line_that_was_meddled_with_is_read_or_refused_as_its_row_is(event: Event, data: st.DataObject) -> None:
    """Lines are read the quick way, by a type for each kind; it must be as strict as the slow one, and no stricter."""
    columns = msgspec.json.decode(to_line(Record(5, "n1", "aaaa", 7, event, Cause("Heartbeat", 3, True, "bbbb"))))
    part = columns["detail"] if "detail" in columns and data.draw(st.booleans()) else columns
    key = data.draw(st.sampled_from([*part, "lite", *COLUMNS]))
    value = data.draw(
        st.sampled_from([None, 1, -1, 1.5, "", "=1", True, [], {}, ["a"], [["a", "b"]], {"a": 1}, "gone"])
    )
    if value == "gone":
        part.pop(key, None)
    else:
        part[key] = value
    line = msgspec.json.encode(columns)
    assert read_by(from_line, line) == read_by(lambda each: from_row(row_of(each)), line)


def read_by(read: Callable[[bytes], Record], line: bytes) -> Record | str:
    """What comes of it, or the complaint."""
    try:
        return read(line)
    except CodecError as error:
        return str(error)


@pytest.mark.parametrize("event", EVENT_TYPES, ids=lambda event: event.__name__)
def test_no_two_kinds_share_a_name(event: type[Event]) -> None:
    assert [other for other in EVENT_TYPES if other.__name__ == event.__name__] == [event]


def test_a_line_has_its_columns_in_order_and_no_nulls() -> None:
    record = Record(1500, "n2", "bbbb", 7, ViewInstalled(3, "aaaa", N1, (N1, N2), *reason_in("published")))
    assert to_line(record).decode() == (
        '{"time":1500,"node":"n2","incarnation":"bbbb","sequence":7,"kind":"ViewInstalled","version":3,"author":"aaaa",'
        '"master":"127.0.0.1:5701","master_uuid":"aaaa",'
        '"members":[["127.0.0.1:5701","aaaa",false],["127.0.0.1:5702","bbbb",false]],"reason":"published","why":"published"}\n'
    )


def test_what_has_no_column_is_in_the_detail_null_or_not() -> None:
    line = to_line(Record(1, "n1", "aaaa", 2, Suspected(N2, *reason_in("connection lost"))))
    assert line.decode().endswith(
        '"peer":"127.0.0.1:5702","peer_uuid":"bbbb","reason":"connection lost","why":"connection-lost",'
        '"detail":{"silence":null}}\n'
    )
    assert (
        to_line(Record(1, "n1", "aaaa", 2, LinkUp("x")))
        .decode()
        .endswith('"kind":"LinkUp","detail":{"address":"x"}}\n')
    )


def test_what_was_added_later_is_left_out_where_there_is_none() -> None:
    resolved = DisconnectionResolved(3, (N1, N2), (), (), (N2,), 5)
    line = to_line(Record(1, "n1", "aaaa", 2, resolved))
    assert line.decode().endswith(
        '"detail":{"reports":[],"unsettled":[],"leave":[["127.0.0.1:5702","bbbb",false]],"work":5}}\n'
    )
    assert from_line(line).event == resolved
    held = msgspec.structs.replace(resolved, replicas=(4, 3))
    line = to_line(Record(1, "n1", "aaaa", 2, held))
    assert line.decode().endswith('"work":5,"replicas":[4,3]}}\n')
    assert from_line(line).event == held


@pytest.mark.parametrize(
    ("line", "event"),
    [
        (b'"kind":"FaultTook","detail":{"fault":1,"how":"seen"}', FaultTook(1, "seen")),
        (b'"kind":"FaultEnded","detail":{"fault":1,"how":"seen"}', FaultEnded(1, "seen")),
        (b'"kind":"NodeEnded","peer":"n1","reason":"died","why":"died"', NodeEnded("n1", "died", Ending.DIED)),
        (
            b'"kind":"MemberRemoved","version":3,"peer":"x","peer_uuid":"y","reason":"left","why":"left"',
            MemberRemoved(Member("x", "y"), 3, "left", Why.LEFT),
        ),
    ],
)
def test_a_line_from_before_a_field_was_added_is_read(line: bytes, event: Event) -> None:
    whole = b'{"time":1,"node":"","incarnation":"","sequence":2,' + line + b"}"
    assert from_line(whole).event == event
    assert to_line(Record(1, "", "", 2, event)) == whole + b"\n"


def test_the_harness_names_a_node_in_the_same_column_as_a_peer() -> None:
    row = row_of(to_line(Record(0, "", "", 1, NodeNamed("n1", "127.0.0.1:5701"))))
    assert (row.peer, row.peer_uuid) == ("n1", None)


def test_a_line_holds_no_float_and_settings_come_back() -> None:
    began = RunBegan("=chaos/a.py", "sim", "simulated", 7, "fast", {"b_seconds": 0.25, "a": "=x", "c": 3})
    line = to_line(Record(0, "", "", 0, began))
    assert b'"settings":{"a":"==x","b_seconds":"=0.25","c":3}' in line
    assert from_line(line).event == began


def test_what_is_hashed_holds_neither_path_nor_version() -> None:
    here = RunBegan("chaos/kill.py", "real", "toxiproxy 2.12.0", 7, "fast", {})
    there = RunBegan("there/kill.py", "real", "toxiproxy 2.13.1", 7, "fast", {})
    assert hashed_lines([Record(0, "", "", 0, here)]) == hashed_lines([Record(0, "", "", 0, there)])


def test_our_own_system_leaves_no_trace_in_a_line_and_another_one_comes_back() -> None:
    ours = RunBegan("kill", "sim", "simulated", 7, "fast", {})
    copied = pickle.loads(pickle.dumps(ours))
    line = to_line(Record(0, "", "", 0, ours))
    assert line.decode().endswith('"preset":"fast","settings":{}}}\n')
    assert line == to_line(Record(0, "", "", 0, copied)) == to_line(from_line(line))
    other = UnderTest(name="other", title="=1", tells=("Started", "ViewInstalled"), infers=("Started",))
    theirs = RunBegan("kill", "real", "toxiproxy 2.12.0", 7, "fast", {}, other)
    line = to_line(Record(0, "", "", 0, theirs))
    assert line.decode().endswith(
        '"system":{"name":"other","title":"=1","tells":["Started","ViewInstalled"],"infers":["Started"]}}}\n'
    )
    assert from_line(line).event == theirs


def test_the_version_of_the_system_is_not_hashed_and_its_name_is() -> None:
    hashed = [
        hashed_lines([Record(0, "", "", 0, RunBegan("kill", "real", "", 7, "fast", {}, system))])
        for system in (UnderTest(name="other", version="1"), UnderTest(name="other", version="2"), OURS)
    ]
    assert hashed[0] == hashed[1] != hashed[2]


def test_the_columns_are_those_of_the_design() -> None:
    assert " ".join(COLUMNS) == (
        "time node incarnation sequence kind cause cause_after cause_told cause_sender version author master "
        "master_uuid members peer peer_uuid partition replica reason why detail"
    )


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b"", "this is no line of a history"),
        (b"\xff\xfe", "this is no line of a history"),
        (b"[" * 5000, "this is no line of a history"),
        (b'{"time":1}', "this is no line of a history"),
        (b'{"time":1.5,"node":"","incarnation":"","sequence":1,"kind":"Leaving"}', "this is no line of a history"),
        (b'{"time":1,"node":"","incarnation":"","sequence":1,"kind":"Dancing"}', "no event of the kind 'Dancing'"),
        (b'{"time":1,"node":"","incarnation":"","sequence":1,"kind":"Stopped"}', "a Stopped that does not fit"),
        (
            b'{"time":1,"node":"","incarnation":"","sequence":1,"kind":"LinkUp","detail":[]}',
            "a LinkUp that does not fit",
        ),
        (b'{"time":1,"node":"","incarnation":"","sequence":1,"kind":"LinkUp","detail":{"address":7}}', "a LinkUp that"),
        (
            b'{"time":1,"node":"","incarnation":"","sequence":1,"kind":"LinkUp","detail":{"address":"a","b":1}}',
            "a LinkUp that does not fit",
        ),
        (
            b"""{"time":1,"node":"","incarnation":"","sequence":1,"kind":"RunBegan","detail":
            {"script":"","world":"","fabric":"","seed":1,"preset":"","settings":{"a":"=no number"}}}""",
            "a RunBegan that does not fit",
        ),
    ],
)
def test_a_line_that_is_none_is_refused_in_a_few_words(line: bytes, complaint: str) -> None:
    with pytest.raises(CodecError, match=complaint):
        from_line(line)


def test_a_column_of_the_future_is_refused() -> None:
    with pytest.raises(CodecError, match="unknown field `colour`"):
        row_of(b'{"time":1,"node":"","incarnation":"","sequence":1,"kind":"Leaving","colour":1}')
