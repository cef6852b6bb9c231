"""Drives a Toxiproxy server through toxiproxy-python, and adds the two requests that it lacks.

Beside toxiproxy-python stand two requests of our own: POST /populate, because its own populate() asks for all proxies
again before each one that it makes, and PATCH of a toxic, because it can only add and remove them, and removing is
what hangs a server. toxiproxy-python also has no deadlines, follows HTTP_PROXY, opens a connection for each call and
takes a 500 for a yes; so it is given an HTTP session of ours, in which none of that holds. It keeps the server's
address in a class: one server at a time for each process, and a second is refused. All of this blocks: the fabric
calls it on one thread of its own."""

import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import requests
from toxiproxy import Proxy, Toxiproxy
from toxiproxy import api as library

DEADLINE = 2.0
"""Seconds. A sound server answers in milliseconds; one that needs longer was never seen to recover."""

Json = dict[str, Any]


class FabricError(Exception):
    """The links could not be made as asked: one sentence that says which and why."""


class ServerSilent(FabricError):
    """No answer within the deadline, or nobody there."""


class ServerRefused(FabricError):
    """The server answered, with anything but a yes."""

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.status = status


class _Http(requests.Session):
    """What toxiproxy-python takes for the `requests` module: `get`, `post` and `delete`, each with a deadline."""

    def __init__(self, deadline: float) -> None:
        super().__init__()
        self.trust_env = False
        self._deadline = deadline

    def request(self, method: str, url: str, **options: Any) -> requests.Response:  # type: ignore[override]
        what = f"{method.upper()} {url}"
        options.update(timeout=self._deadline, allow_redirects=False)
        try:
            try:
                reply = super().request(method, url, **options)
            except requests.ConnectTimeout:
                raise
            except requests.ConnectionError:
                # The server closes a connection that was idle for a minute, perhaps just as we used it.
                reply = super().request(method, url, **options)
        except requests.Timeout as error:
            raise ServerSilent(f"{what} got no answer within {self._deadline:g} s") from error
        except requests.RequestException as error:
            raise ServerSilent(f"{what} reached nobody") from error
        if not 200 <= reply.status_code < 300:
            raise ServerRefused(f"{what}: {reply.status_code} {_words(reply)}", reply.status_code)
        return reply


def _words(reply: requests.Response) -> str:
    """Errors come as JSON under text/plain, or as plain words, or as a page of HTML."""
    try:
        return str(reply.json()["error"])
    except (ValueError, KeyError, TypeError):
        return " ".join(reply.text.split())[:200]


_driven = threading.Lock()


class Client:
    """One server, and the only one that this process drives until `close`."""

    def __init__(self, host: str, port: int, deadline: float = DEADLINE) -> None:
        if not _driven.acquire(blocking=False):
            raise FabricError(
                "This process drives a Toxiproxy server already, and toxiproxy-python knows one at a time: "
                "close the first link fabric, or use a second process."
            )
        self._http = _Http(deadline)
        self._server = Toxiproxy()
        self._module = library.requests
        library.requests = self._http
        self.move(host, port)

    def move(self, host: str, port: int) -> None:
        """The server started again somewhere else."""
        self._base = f"http://{host}:{port}"
        self._server.update_api_consumer(host, port)

    def close(self) -> None:
        library.requests = self._module
        self._http.close()
        _driven.release()

    def version(self) -> str:
        # Not Toxiproxy.version(): that one connects first, without a deadline.
        reply = library.APIConsumer.get("/version")
        try:
            return str(reply.json()["version"])
        except (ValueError, KeyError, TypeError) as error:
            said = f"GET /version: {reply.status_code} {_words(reply)}"
            raise FabricError(f"{self._base} answers, but is no Toxiproxy server ({said})") from error

    def proxies(self) -> dict[str, Json]:
        """All proxies with their toxics, as the server tells them (the library's own objects know no toxics)."""
        return _object(library.APIConsumer.get("/proxies"))

    def proxy(self, name: str) -> Json:
        return _object(library.APIConsumer.get(f"/proxies/{name}"))

    def enable(self, name: str, enabled: bool) -> None:
        proxy = _handle(name)
        (proxy.enable if enabled else proxy.disable)()

    def delete(self, name: str) -> None:
        """Gone already is gone as well: the one retry may meet what the first try did."""
        try:
            _handle(name).destroy()
        except ServerRefused as refusal:
            if refusal.status != 404:
                raise

    def add_toxic(
        self, proxy: str, name: str, kind: str, way: str, attributes: Mapping[str, int], toxicity: int
    ) -> None:
        _handle(proxy).add_toxic(name=name, type=kind, stream=way, toxicity=toxicity, attributes=dict(attributes))

    def patch_toxic(self, proxy: str, name: str, attributes: Mapping[str, int], toxicity: int) -> None:
        """Ours: switches or changes a toxic without taking it out."""
        change: Json = {"toxicity": toxicity, "attributes": dict(attributes)}
        self._http.patch(f"{self._base}/proxies/{proxy}/toxics/{name}", json=change)

    def populate(self, proxies: Iterable[Json]) -> Sequence[Json]:
        """Ours: makes many proxies with one request."""
        return _object(self._http.post(f"{self._base}/populate", json=list(proxies))).get("proxies") or []


def _handle(name: str) -> Any:
    """The library's object for a proxy of which only the name matters; asking for it would fetch all others too."""
    return Proxy(name=name, upstream="", listen="", enabled=True)


def _object(reply: requests.Response) -> Json:
    try:
        parsed = reply.json()
    except ValueError as error:
        raise FabricError(f"{reply.url} answers, but is no Toxiproxy server") from error
    if not isinstance(parsed, dict):
        raise FabricError(f"{reply.url} answers with something else than an object")
    return parsed
