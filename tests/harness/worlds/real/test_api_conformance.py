"""The HTTP API, spoken to directly: the built-in relay answers as the real server does, word for word where the
harness or its user reads the words."""

import http.client
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.waiting import HANG, wait_until

from shaketable.harness.worlds.real.fabric import free_ports
from shaketable.harness.worlds.real.server_process import ServerProcess, server_command


class Api:
    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=HANG)

    def __call__(self, verb: str, path: str, body: Any = None) -> tuple[int, Any]:
        data = body if isinstance(body, str) else None if body is None else json.dumps(body)
        self._connection.request(verb, path, data)
        reply = self._connection.getresponse()
        text = reply.read().decode()
        try:
            return reply.status, json.loads(text)
        except ValueError:
            return reply.status, text


@pytest.fixture(params=["toxiproxy", "relay"], scope="module")
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    program = request.getfixturevalue("toxiproxy") if request.param == "toxiproxy" else "relay"
    (port,) = free_ports(1)
    log: Path = tmp_path_factory.mktemp("server") / "log"
    process = ServerProcess([*server_command(program), str(port)], log)
    wait_until(lambda: process.owns(port), f"the server listens, and says so in {log}")
    yield Api(port)
    process.kill()


@pytest.fixture
def api(server: Api) -> Iterator[Api]:
    yield server
    for name in server("GET", "/proxies")[1]:
        server("DELETE", f"/proxies/{name}")


@pytest.fixture
def proxy(api: Api) -> str:
    assert api("POST", "/proxies", wanted("n1->n2"))[0] == 201
    return "/proxies/n1-%3En2"


def wanted(name: str, **more: Any) -> dict[str, Any]:
    listen, upstream = free_ports(2)
    return {"name": name, "listen": f"127.0.0.1:{listen}", "upstream": f"127.0.0.1:{upstream}", **more}


TIMEOUT = {"name": "hole", "type": "timeout", "stream": "upstream", "toxicity": 0, "attributes": {"timeout": 0}}


def test_a_version(api: Api) -> None:
    status, answer = api("GET", "/version")
    assert status == 200
    assert list(answer) == ["version"]


def test_a_proxy_is_made_shown_and_deleted(api: Api) -> None:
    asked = wanted("n1->n2")
    made = {**asked, "enabled": True, "Logger": {}, "toxics": []}
    assert api("POST", "/proxies", asked) == (201, made)
    assert api("GET", "/proxies/n1-%3En2") == (200, made)
    assert api("GET", "/proxies") == (200, {"n1->n2": made})
    assert api("POST", "/proxies", asked) == (409, {"error": "proxy already exists", "status": 409})
    assert api("DELETE", "/proxies/n1-%3En2") == (204, "")
    assert api("DELETE", "/proxies/n1-%3En2") == (404, {"error": "proxy not found", "status": 404})
    assert api("GET", "/proxies") == (200, {})


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        ({}, 400, "missing required field: name"),
        ({"name": "x"}, 400, "missing required field: upstream"),
        ("{", 400, "bad request body: "),
        ({"name": "x", "upstream": 3}, 400, "bad request body: "),
    ],
)
def test_what_no_proxy_can_be_made_of(api: Api, body: Any, status: int, error: str) -> None:
    got, answer = api("POST", "/proxies", body)
    assert got == status
    assert answer["error"].startswith(error)
    assert answer["status"] == status


def test_a_port_that_is_taken(api: Api) -> None:
    first = wanted("a")
    second = {**wanted("b"), "listen": first["listen"]}
    error = f"listen tcp {first['listen']}: bind: address already in use"
    assert api("POST", "/proxies", first)[0] == 201
    assert api("POST", "/proxies", second) == (500, {"error": error, "status": 500})
    assert api("POST", "/proxies", {**second, "enabled": False})[0] == 201
    assert api("PATCH", "/proxies/b", {"enabled": True}) == (500, {"error": error, "status": 500})
    assert api("GET", "/proxies/b")[1]["enabled"] is False


@pytest.mark.parametrize("verb", ["POST", "PATCH"])
def test_enabling_and_disabling_twice_is_no_mistake(api: Api, proxy: str, verb: str) -> None:
    for enabled in (False, False, True, True):
        status, answer = api(verb, proxy, {"enabled": enabled})
        assert (status, answer["enabled"]) == (200, enabled)


def test_populate_makes_all(api: Api) -> None:
    asked = [wanted("a"), wanted("b", enabled=False)]
    status, answer = api("POST", "/populate", asked)
    assert status == 201
    assert [(p["name"], p["listen"], p["enabled"]) for p in answer["proxies"]] == [
        ("a", asked[0]["listen"], True),
        ("b", asked[1]["listen"], False),
    ]
    assert api("POST", "/populate", []) == (201, {"proxies": None})


def test_populate_checks_all_before_it_makes_any(api: Api) -> None:
    nameless = {**wanted(""), "name": ""}
    error = {"error": "missing required field: name at proxy 2", "status": 400, "proxies": None}
    assert api("POST", "/populate", [wanted("a"), nameless]) == (400, error)
    assert api("GET", "/proxies") == (200, {})


def test_populate_stops_at_a_taken_port_and_keeps_what_it_made(api: Api) -> None:
    first = wanted("a")
    status, answer = api("POST", "/populate", [first, {**wanted("b"), "listen": first["listen"]}, wanted("c")])
    assert (status, answer["status"]) == (500, 500)
    assert answer["error"].endswith("address already in use")
    assert [p["name"] for p in answer["proxies"]] == ["a"]
    assert list(api("GET", "/proxies")[1]) == ["a"]


def test_populate_leaves_the_same_proxy_as_it_is_and_replaces_another(api: Api) -> None:
    asked = wanted("a")
    api("POST", "/populate", [asked])
    api("POST", "/proxies/a/toxics", TIMEOUT)
    api("PATCH", "/proxies/a", {"enabled": False})
    (same,) = api("POST", "/populate", [asked])[1]["proxies"]
    assert (same["enabled"], len(same["toxics"])) == (False, 1)
    (other,) = api("POST", "/populate", [wanted("a")])[1]["proxies"]
    assert (other["enabled"], len(other["toxics"])) == (True, 0)


def test_a_toxic_is_made_switched_and_removed(api: Api, proxy: str) -> None:
    toxics = f"{proxy}/toxics"
    assert api("POST", toxics, TIMEOUT) == (200, TIMEOUT)
    assert api("POST", toxics, TIMEOUT) == (409, {"error": "toxic already exists", "status": 409})
    awake = {**TIMEOUT, "toxicity": 1}
    assert api("PATCH", f"{toxics}/hole", {"toxicity": 1, "name": "other"}) == (200, awake)
    assert api("GET", f"{toxics}/hole") == (200, awake)
    assert api("GET", toxics) == (200, [awake])
    assert api("GET", proxy)[1]["toxics"] == [awake]
    assert api("DELETE", f"{toxics}/hole") == (204, "")
    assert api("DELETE", f"{toxics}/hole") == (404, {"error": "toxic not found", "status": 404})


def test_what_is_not_said_of_a_toxic_has_a_default_and_a_change_is_merged(api: Api, proxy: str) -> None:
    made = {
        "attributes": {"latency": 10, "jitter": 0},
        "name": "latency_downstream",
        "type": "latency",
        "stream": "downstream",
        "toxicity": 1,
    }
    assert api("POST", f"{proxy}/toxics", {"type": "latency", "attributes": {"Latency": 10, "colour": 3}}) == (
        200,
        made,
    )
    changed = {**made, "attributes": {"latency": 10, "jitter": 5}}
    path = f"{proxy}/toxics/latency_downstream"
    assert api("PATCH", path, {"attributes": {"jitter": 5}}) == (200, changed)
    assert api("PATCH", path, {"toxicity": 0.5})[1]["toxicity"] == 0.5


@pytest.mark.parametrize("kind", ["latency", "bandwidth", "timeout", "slicer"])
def test_the_toxics_that_there_are(api: Api, proxy: str, kind: str) -> None:
    attributes = {
        "latency": {"latency": 1, "jitter": 2},
        "bandwidth": {"rate": 3},
        "timeout": {"timeout": 4},
        "slicer": {"average_size": 5, "size_variation": 4, "delay": 6},
    }[kind]
    status, answer = api("POST", f"{proxy}/toxics", {"type": kind, "attributes": attributes})
    assert (status, answer["attributes"]) == (200, attributes)


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({}, "invalid toxic type"),
        ({"type": "boredom"}, "invalid toxic type"),
        ({"type": "latency", "stream": "sideways"}, "stream was invalid, can be either upstream or downstream"),
        ('{"type": "latency", "attributes": {"latency": 10.0}}', "bad request body: "),
        ("{", "bad request body: "),
    ],
)
def test_what_no_toxic_can_be_made_of(api: Api, proxy: str, body: Any, error: str) -> None:
    status, answer = api("POST", f"{proxy}/toxics", body)
    assert status == 400
    assert answer["error"].startswith(error)


@pytest.mark.parametrize(
    ("verb", "path", "status", "answer"),
    [
        ("GET", "/proxies/none", 404, {"error": "proxy not found", "status": 404}),
        ("PATCH", "/proxies/none", 404, {"error": "proxy not found", "status": 404}),
        ("GET", "/proxies/none/toxics", 404, {"error": "proxy not found", "status": 404}),
        ("GET", "/nowhere", 404, "404 page not found\n"),
        ("PUT", "/version", 405, ""),
        ("PATCH", "/proxies", 405, ""),
    ],
)
def test_what_is_not_there(api: Api, verb: str, path: str, status: int, answer: Any) -> None:
    assert api(verb, path, {} if verb == "PATCH" else None) == (status, answer)


def test_reset_enables_all_and_takes_all_toxics(api: Api, proxy: str) -> None:
    api("POST", f"{proxy}/toxics", TIMEOUT)
    api("PATCH", proxy, {"enabled": False})
    assert api("POST", "/reset") == (204, "")
    assert (api("GET", proxy)[1]["enabled"], api("GET", proxy)[1]["toxics"]) == (True, [])


# -- what it does to connections that are there


class Through:
    """A connection through a proxy, held at both ends."""

    def __init__(self, api: Api) -> None:
        asked = wanted("through")
        self._ear = socket.create_server(("127.0.0.1", int(asked["upstream"].rpartition(":")[2])))
        assert api("POST", "/proxies", asked)[0] == 201
        listen = ("127.0.0.1", int(asked["listen"].rpartition(":")[2]))
        self.near = socket.create_connection(listen, timeout=HANG)
        self.far, _ = self._ear.accept()
        self.far.settimeout(10)

    def ended(self) -> bool:
        """In good order (FIN) at both ends; a reset raises."""
        return self.near.recv(10) == b"" and self.far.recv(10) == b""

    def close(self) -> None:
        for each in (self.near, self.far, self._ear):
            each.close()


@pytest.fixture
def through(api: Api) -> Iterator[Through]:
    through = Through(api)
    yield through
    through.close()


@pytest.mark.parametrize("toxicity", [0, 1])
def test_taking_a_timeout_toxic_out_ends_the_connection(api: Api, through: Through, toxicity: int) -> None:
    """So it must never be the way to heal a black hole where the connection is to stay."""
    api("POST", "/proxies/through/toxics", {**TIMEOUT, "toxicity": toxicity})
    through.near.sendall(b"x")
    if toxicity == 0:
        assert through.far.recv(10) == b"x"
    assert api("DELETE", "/proxies/through/toxics/hole")[0] == 204
    assert through.ended()


def test_a_timeout_of_more_than_nothing_ends_a_silent_connection(api: Api, through: Through) -> None:
    attributes = {"timeout": 50}
    api("POST", "/proxies/through/toxics", {"type": "timeout", "stream": "downstream", "attributes": attributes})
    assert through.ended()


def test_deleting_a_proxy_ends_its_connections(api: Api, through: Through) -> None:
    assert api("DELETE", "/proxies/through")[0] == 204
    assert through.ended()


def test_a_new_upstream_ends_connections_and_is_used_by_the_next(api: Api, through: Through) -> None:
    ear = socket.create_server(("127.0.0.1", free_ports(1)[0]))
    status, answer = api("PATCH", "/proxies/through", {"upstream": f"127.0.0.1:{ear.getsockname()[1]}"})
    assert (status, answer["enabled"]) == (200, True)
    assert through.ended()
    host, _, port = answer["listen"].rpartition(":")
    with socket.create_connection((host, int(port)), timeout=HANG), ear:
        ear.settimeout(10)
        ear.accept()[0].close()


def test_bandwidth_0_holds_all_back_and_lets_go_when_it_is_removed(api: Api, through: Through) -> None:
    api("POST", "/proxies/through/toxics", {"type": "bandwidth", "stream": "upstream", "name": "stop"})
    through.near.sendall(b"held")
    through.far.settimeout(0.2)
    with pytest.raises(TimeoutError):
        through.far.recv(10)
    through.far.settimeout(10)
    api("DELETE", "/proxies/through/toxics/stop")
    assert through.far.recv(10) == b"held"
