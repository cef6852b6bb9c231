"""One request, one response: which endpoint, who may use it, and what came of the change that it asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from shaketable.node.config import Settings, open_groups
from shaketable.node.rest.addresses import checked
from shaketable.node.rest.document import member_list_in
from shaketable.node.rest.exchange import (
    MEMBER_LIST,
    RELOAD,
    UPDATE,
    Refused,
    Request,
    Response,
    changed,
    fail,
    listed,
)
from shaketable.node.rest.fields import check_credentials, fields_of
from shaketable.node.rest.hosts import refuse_pages_of_elsewhere

Respond = Callable[[Response], None]
READ: Final = "CLUSTER_READ"
WRITE: Final = "CLUSTER_WRITE"
WHO: Final = ("cluster name", "cluster password")


class Cluster(Protocol):
    """What the handler needs of the node's member."""

    def member_list(self) -> Sequence[str]:
        """Of the join configuration, as it was written."""

    def change_member_list(self, addresses: Sequence[str], done: Callable[[str], None]) -> None:
        """On all members; `done` is told what went wrong, or ""."""


@dataclass(frozen=True, slots=True)
class _Change:
    """What the cluster is asked for."""

    addresses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Endpoint:
    group: str
    understand: Callable[[Request], Response | _Change]


class Rest:
    def __init__(self, settings: Settings, cluster: Cluster, read_file: Callable[[], str]) -> None:
        """`read_file` gives what is now in the file that the node was started with; an OSError if it cannot."""
        self._settings = settings
        self._groups = open_groups(settings.rest_groups)
        self._cluster = cluster
        self._read_file = read_file
        self._endpoints: dict[str, dict[str, _Endpoint]] = {
            MEMBER_LIST: {"GET": _Endpoint(READ, self._show), "POST": _Endpoint(WRITE, self._replace)},
            UPDATE: {"POST": _Endpoint(WRITE, self._update)},
            RELOAD: {"POST": _Endpoint(WRITE, self._reload)},
        }

    def handle(self, request: Request, respond: Respond) -> None:
        """Responds once, now or later."""
        understood = self._understood(request)
        if isinstance(understood, Response):
            respond(understood)
            return

        def done(trouble: str) -> None:
            respond(fail(500, trouble) if trouble else changed(understood.addresses))

        self._cluster.change_member_list(understood.addresses, done)

    def _understood(self, request: Request) -> Response | _Change:
        try:
            refuse_pages_of_elsewhere(request)
            return self._endpoint(request).understand(request)
        except Refused as refused:
            return refused.response
        except Exception:  # whatever a stranger sends must never be the end of a node
            return fail(500, "this request cannot be handled")

    def _endpoint(self, request: Request) -> _Endpoint:
        methods = self._endpoints.get(request.path.partition("?")[0])
        if methods is None:
            raise Refused(404, "there is nothing at this path")
        endpoint = methods.get(request.method)
        if endpoint is None:
            allow = ", ".join(methods)
            raise Refused(405, f"this path takes {allow}", allow)
        if endpoint.group not in self._groups:
            raise Refused(403, f"the endpoint group {endpoint.group} is not enabled")
        return endpoint

    def _show(self, request: Request) -> Response:
        return listed(self._cluster.member_list())

    def _replace(self, request: Request) -> _Change:
        return _Change(checked(self._permitted(request, "addresses").split(",")))

    def _update(self, request: Request) -> _Change:
        return _Change(member_list_in(self._permitted(request, "document"), self._settings))

    def _reload(self, request: Request) -> _Change:
        self._permitted(request)
        try:
            document = self._read_file()
        except (OSError, ValueError):
            raise Refused(400, "the file that this node was started with cannot be read") from None
        return _Change(member_list_in(document, self._settings))

    def _permitted(self, request: Request, *more: str) -> str:
        """The field behind name and password, if there is to be one."""
        name, password, *rest = fields_of(request, (*WHO, *more))
        check_credentials(self._settings, name, password)
        if not self._settings.tcp_ip_join:
            raise Refused(400, "tcp-ip join is disabled: there is no member list in use")
        return rest[0] if rest else ""
