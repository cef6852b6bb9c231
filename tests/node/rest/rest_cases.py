"""Runs the cases of tests/data/rest.txt: requests, and exactly what is answered and asked of the cluster.

    with rest_groups=CLUSTER_READ           the settings from here on, beside the cluster's password, s3cret
    file tcp-ip: {member-list: [...]}       what is in the node's file from now on; `file none`: it is gone
    cluster says n2 cannot take it          what the cluster makes of changes from now on; `cluster says yes`
    POST member-list                        a request: method, path (short for the three that there are)
    content-type: text/plain                one of its headers
    > dev&s3cret&127.0.0.1:5701             its body
    >> 70000                                a body of so many bytes

Below `----` stand the status, the body, the right methods after a wrong one, and the list that the members took."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from shaketable.node.config import DEFAULT, Settings
from shaketable.node.rest import MEMBER_LIST, RELOAD, UPDATE, Request, Response, Rest

PATHS = {"member-list": MEMBER_LIST, "update": UPDATE, "reload": RELOAD}
CONFIGURED = ("127.0.0.1:5701", "127.0.0.1:5702")
OPEN = {
    "rest_enabled": True,
    "rest_groups": "CLUSTER_READ CLUSTER_WRITE",
    "cluster_password": "s3cret",
}


class Cluster:
    """Takes a list at once, or says why not."""

    def __init__(self, trouble: str = "") -> None:
        self.trouble = trouble
        self.configured: tuple[str, ...] = CONFIGURED

    def member_list(self) -> Sequence[str]:
        return self.configured

    def change_member_list(self, addresses: Sequence[str], done: Callable[[str], None]) -> None:
        if not self.trouble:
            self.configured = tuple(addresses)
        done(self.trouble)


class Cases:
    def __init__(self) -> None:
        self._settings: Settings = DEFAULT.with_values(OPEN)
        self._file: str | None = None
        self._trouble = ""

    def told(self, text: str) -> Iterator[str]:
        """The cases again, with what was really answered."""
        for block in text.strip("\n").split("\n\n"):
            lines = block.split("\n----\n")[0].split("\n")
            commands = [line for line in lines if not line.startswith("#")]
            request = self._request([line for line in commands if not self._set(line)])
            yield "\n".join([*lines, *(["----", *self._answer(request)] if request is not None else [])])

    def _set(self, line: str) -> bool:
        verb, _, rest = line.partition(" ")
        match verb:
            case "with":
                given = re.findall(r'(\S+?)=(?:"([^"]*)"|(\S+))', rest)
                values = {name: quoted or plain for name, quoted, plain in given}
                self._settings = DEFAULT.with_values({**OPEN, **values})
            case "file":
                self._file = None if rest == "none" else rest.replace("|", "\n")
            case "cluster":
                said = rest.removeprefix("says ")
                self._trouble = "" if said == "yes" else said
            case _:
                return False
        return True

    def _request(self, lines: list[str]) -> Request | None:
        if not lines:
            return None
        method, _, path = lines[0].partition(" ")
        headers, body = {}, b""
        for line in lines[1:]:
            if line.startswith(">> "):
                body = b"a" * int(line[3:])
            elif line.startswith("> "):
                body = line[2:].encode()
            else:
                name, _, value = line.partition(": ")
                headers[name] = value
        return Request(method, PATHS.get(path, path), headers, body)

    def _read(self) -> str:
        if self._file is None:
            raise FileNotFoundError
        return self._file

    def _answer(self, request: Request) -> list[str]:
        cluster, answers = Cluster(self._trouble), list[Response]()
        Rest(self._settings, cluster, self._read).handle(request, answers.append)
        (response,) = answers
        lines = [f"{response.status} {response.body.decode()}"]
        lines += [f"allow: {response.allow}"] if response.allow else []
        lines += [f"taken: {' '.join(cluster.configured)}"] if cluster.configured != CONFIGURED else []
        return lines
