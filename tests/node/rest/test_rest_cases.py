"""What each request is answered, and what is asked of the cluster: tests/data/rest.txt."""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Sequence

import pytest
from tests.conftest import AsWritten
from tests.node.rest.rest_cases import CONFIGURED, OPEN, Cases, Cluster
from tests.where import DATA

from shaketable.node.config import DEFAULT
from shaketable.node.rest import (
    LARGEST_BODY,
    MEMBER_LIST,
    Refused,
    Request,
    Response,
    Rest,
    document_of,
    member_list_in,
)

CASES = DATA / "rest.txt"
SETTINGS = DEFAULT.with_values(OPEN)
POST = Request("POST", MEMBER_LIST, {"content-type": "text/plain"}, b"dev&s3cret&127.0.0.1:5701,127.0.0.1:5702")


def no_file() -> str:
    raise FileNotFoundError


def test_each_request_is_answered_as_it_is_written(as_written: AsWritten) -> None:
    as_written(CASES, "\n\n".join(Cases().told(CASES.read_text(encoding="utf-8"))) + "\n")


def test_the_answers_are_the_texts_byte_for_byte() -> None:
    """Beside the cases: these are typed off the text, with the closing brace that its first sample lacks."""
    cluster, answers = Cluster(), list[Response]()
    rest = Rest(SETTINGS, cluster, no_file)
    rest.handle(Request("GET", MEMBER_LIST), answers.append)
    rest.handle(POST, answers.append)
    shown, changed = (answer.body.decode() for answer in answers)
    assert shown == '{"status":"success","member-list":["127.0.0.1:5701","127.0.0.1:5702"]}'
    message = "The member list of TCP-IP join config is updated at run time. "
    assert changed == f'{{"status":"success","message":"{message}","member-list":["127.0.0.1:5701","127.0.0.1:5702"]}}'


def test_it_is_pending_until_the_cluster_has_answered() -> None:
    waiting = list[Callable[[str], None]]()

    class Slow(Cluster):
        def change_member_list(self, addresses: Sequence[str], done: Callable[[str], None]) -> None:
            waiting.append(done)

    answers = list[Response]()
    Rest(SETTINGS, Slow(), no_file).handle(POST, answers.append)
    assert not answers
    waiting[0]("n2 cannot take it")
    assert [(answer.status, json.loads(answer.body)) for answer in answers] == [
        (500, {"status": "fail", "message": "n2 cannot take it"})
    ]


@pytest.mark.parametrize("body", [b"dev&wrong&x", b"prod&s3cret&x", b"prod&wrong&x", b"dev&s3cret&x"])
def test_name_and_password_are_both_compared_in_constant_time(body: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = list[tuple[bytes, bytes]]()
    real = hmac.compare_digest

    def seen(a: bytes, b: bytes) -> bool:
        compared.append((a, b))
        return real(a, b)

    monkeypatch.setattr(hmac, "compare_digest", seen)
    Rest(SETTINGS, Cluster(), no_file).handle(Request("POST", MEMBER_LIST, POST.headers, body), lambda answer: None)
    name, password, _ = body.split(b"&")
    assert compared == [(name, b"dev"), (password, b"s3cret")]


def test_without_a_password_nobody_changes_anything() -> None:
    """The settings do not let it come to that; the handler does not rely on it."""
    open_to_all = DEFAULT.with_values({**OPEN, "rest_groups": "CLUSTER_READ", "cluster_password": ""})
    object.__setattr__(open_to_all, "rest_groups", "CLUSTER_WRITE")
    cluster, answers = Cluster(), list[Response]()
    body = Request("POST", MEMBER_LIST, POST.headers, b"dev&&127.0.0.1")
    Rest(open_to_all, cluster, no_file).handle(body, answers.append)
    assert answers[0].status == 403
    assert cluster.configured == CONFIGURED


def test_a_document_of_a_configuration_says_the_same_when_it_is_read() -> None:
    text = document_of(SETTINGS, CONFIGURED)
    assert member_list_in(text, SETTINGS) == CONFIGURED
    assert "s3cret" not in text


@pytest.mark.parametrize(
    "text",
    [
        "[" * LARGEST_BODY,
        "[" * 250 + "]" * 250,
        "a: {" * 1000,
        f"[{','.join(LARGEST_BODY // 2 * '1')}]",
        "- 1\n" * (LARGEST_BODY // 4),
        f"a: 1{':1' * (LARGEST_BODY // 2 - 2)}",
        f"? 0x{'f' * 5000}\n: x",
        f"tcp-ip: {{member-list: [{'1' * 2000}]}}",
    ],
    ids=lambda text: text[:12],
)
def test_a_document_that_says_too_much_is_given_up_early(text: str) -> None:
    """A node that reads one hears no heartbeats meanwhile: some of these took it many seconds."""
    with pytest.raises(Refused, match=r"^the document is longer or deeper than a configuration can be$"):
        member_list_in(text, SETTINGS)


def test_the_longest_list_is_not_too_much() -> None:
    addresses = tuple(f"10.100.{number // 250}.{number % 250}:55701" for number in range(1000))
    assert member_list_in(document_of(SETTINGS, addresses), SETTINGS) == addresses
    with pytest.raises(Refused, match="it has more than 1000 addresses"):
        member_list_in(document_of(SETTINGS, [*addresses, "10.0.0.1"]), SETTINGS)
