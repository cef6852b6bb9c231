"""The built-in relay: what links run through on a machine that has no Toxiproxy server and cannot build one.

A process of its own with Toxiproxy's HTTP API, so that the same client drives it and the same conformance tests hold:
paths, status codes, error texts and JSON are those of 2.12.0 for what the harness uses, with the toxics latency,
bandwidth, timeout and slicer. It stands behind a name of its own in every report. It does not copy the hangs: no
request ever waits for a connection."""

import argparse
import asyncio
import errno
import resource
from typing import Any, TypeVar

from shaketable.harness.worlds.real.relay_http import Answer, BadRequest, Handler, Request, serve
from shaketable.harness.worlds.real.relay_proxy import DIRECTIONS, Proxy, toxic_as_json
from shaketable.harness.worlds.real.relay_stream import Toxic

VERSION = "built-in relay 1"
"""By this it is told from a real server."""

ATTRIBUTES = {
    "latency": ("latency", "jitter"),
    "bandwidth": ("rate",),
    "timeout": ("timeout",),
    "slicer": ("average_size", "size_variation", "delay"),
}

Object = dict[str, Any]
T = TypeVar("T")


class Relay:
    def __init__(self) -> None:
        self._proxies: dict[str, Proxy] = {}

    async def answer(self, request: Request) -> Answer:
        match request.path:
            case ["version"]:
                verbs: dict[str, Handler] = {"GET": self._version}
            case ["proxies"]:
                verbs = {"GET": self._list, "POST": self._create}
            case ["populate"]:
                verbs = {"POST": self._populate}
            case ["reset"]:
                verbs = {"POST": self._reset}
            case ["proxies", _]:
                verbs = {"GET": self._show, "POST": self._update, "PATCH": self._update, "DELETE": self._delete}
            case ["proxies", _, "toxics"]:
                verbs = {"GET": self._toxics, "POST": self._add_toxic}
            case ["proxies", _, "toxics", _]:
                change = self._change_toxic
                verbs = {"GET": self._show_toxic, "POST": change, "PATCH": change, "DELETE": self._remove_toxic}
            case _:
                return Answer(404, "404 page not found\n")
        if request.verb not in verbs:
            return Answer(405, "")
        return await verbs[request.verb](request)

    async def _version(self, request: Request) -> Answer:
        return Answer(200, {"version": VERSION})

    async def _list(self, request: Request) -> Answer:
        return Answer(200, {name: proxy.as_json() for name, proxy in sorted(self._proxies.items())})

    async def _create(self, request: Request) -> Answer:
        wanted = _proxy(request.object())
        _require(wanted)
        if wanted["name"] in self._proxies:
            raise BadRequest(409, "proxy already exists")
        return Answer(201, (await self._place(wanted)).as_json())

    async def _populate(self, request: Request) -> Answer:
        done: list[Object] | None = None
        try:
            wanted = [_proxy(each) for each in request.objects()]
            for number, each in enumerate(wanted, 1):
                _require(each, f" at proxy {number}")
            for each in wanted:
                done = [*(done or []), (await self._place(each)).as_json()]
        except BadRequest as error:
            return Answer(error.status, {"error": str(error), "status": error.status, "proxies": done})
        return Answer(201, {"proxies": done})

    async def _place(self, wanted: Object) -> Proxy:
        """New, or instead of one that differs; one with the same addresses stays as it is."""
        old = self._proxies.get(wanted["name"])
        if old:
            if (old.listen, old.upstream) == (wanted["listen"], wanted["upstream"]):
                return old
            old.disable()
            del self._proxies[old.name]
        proxy = Proxy(wanted["name"], wanted["listen"], wanted["upstream"])
        if wanted["enabled"]:
            await _enable(proxy)
        self._proxies[proxy.name] = proxy
        return proxy

    async def _show(self, request: Request) -> Answer:
        return Answer(200, self._proxy(request).as_json())

    async def _update(self, request: Request) -> Answer:
        proxy = self._proxy(request)
        wanted = _proxy({**proxy.as_json(), **request.object()})
        if (proxy.listen, proxy.upstream) != (wanted["listen"], wanted["upstream"]):
            proxy.disable()
            proxy.listen, proxy.upstream = wanted["listen"], wanted["upstream"]
        if wanted["enabled"]:
            await _enable(proxy)
        else:
            proxy.disable()
        return Answer(200, proxy.as_json())

    async def _delete(self, request: Request) -> Answer:
        proxy = self._proxy(request)
        proxy.disable()
        del self._proxies[proxy.name]
        return Answer(204)

    async def _reset(self, request: Request) -> Answer:
        for proxy in self._proxies.values():
            await _enable(proxy)
            for toxic in list(proxy.toxics):
                proxy.remove(toxic)
        return Answer(204)

    async def _toxics(self, request: Request) -> Answer:
        return Answer(200, [toxic_as_json(toxic) for toxic in self._proxy(request).toxics])

    async def _add_toxic(self, request: Request) -> Answer:
        proxy, wanted = self._proxy(request), request.object()
        kind = _typed(wanted, "type", str, "")
        stream = _typed(wanted, "stream", str, "downstream") or "downstream"
        if stream.lower() not in DIRECTIONS:
            raise BadRequest(400, "stream was invalid, can be either upstream or downstream")
        if kind not in ATTRIBUTES:
            raise BadRequest(400, "invalid toxic type")
        name = _typed(wanted, "name", str, "") or f"{kind}_{stream}"
        toxic = Toxic(name, kind, stream.lower(), attributes=dict.fromkeys(ATTRIBUTES[kind], 0))
        _set(toxic, wanted)
        if any(other.name == name for other in proxy.toxics):
            raise BadRequest(409, "toxic already exists")
        proxy.add(toxic)
        return Answer(200, toxic_as_json(toxic))

    async def _show_toxic(self, request: Request) -> Answer:
        return Answer(200, toxic_as_json(_toxic(self._proxy(request), request)))

    async def _change_toxic(self, request: Request) -> Answer:
        proxy = self._proxy(request)
        toxic = _toxic(proxy, request)
        _set(toxic, request.object())
        proxy.changed(toxic.stream)
        return Answer(200, toxic_as_json(toxic))

    async def _remove_toxic(self, request: Request) -> Answer:
        proxy = self._proxy(request)
        proxy.remove(_toxic(proxy, request))
        return Answer(204)

    def _proxy(self, request: Request) -> Proxy:
        try:
            return self._proxies[request.path[1]]
        except KeyError:
            raise BadRequest(404, "proxy not found") from None


def _toxic(proxy: Proxy, request: Request) -> Toxic:
    for toxic in proxy.toxics:
        if toxic.name == request.path[3]:
            return toxic
    raise BadRequest(404, "toxic not found")


def _proxy(given: Object) -> Object:
    words = {key: _typed(given, key, str, "") for key in ("name", "listen", "upstream")}
    return {**words, "enabled": _typed(given, "enabled", bool, True)}


def _require(proxy: Object, where: str = "") -> None:
    for key in ("name", "upstream"):
        if not proxy[key]:
            raise BadRequest(400, f"missing required field: {key}{where}")


def _set(toxic: Toxic, wanted: Object) -> None:
    """All or nothing; attributes that the type does not have are passed over, as in the real server."""
    toxicity = wanted.get("toxicity", toxic.toxicity)
    if isinstance(toxicity, bool) or not isinstance(toxicity, int | float):
        raise BadRequest(400, "bad request body: json: cannot unmarshal toxicity into type float32")
    given = {key.lower(): value for key, value in _typed(wanted, "attributes", dict, {}).items()}
    values = {key: _typed(given, key, int, toxic.attributes[key]) for key in toxic.attributes}
    if toxic.type == "slicer" and not 0 <= values["size_variation"] < max(1, values["average_size"]):
        raise BadRequest(400, "a slicer's average_size is 1 or more, its size_variation less (the real server dies)")
    if any(value < 0 for value in values.values()):
        raise BadRequest(400, "attributes are 0 or more (the real server dies of some that are not)")
    toxic.toxicity, toxic.attributes = float(toxicity), values


def _typed(given: Object, key: str, kind: type[T], default: T) -> T:
    value = given.get(key, default)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise BadRequest(400, f"bad request body: json: cannot unmarshal {value!r} into field {key}")
    return value


async def _enable(proxy: Proxy) -> None:
    try:
        await proxy.enable()
    except OSError as error:
        words = "address already in use" if error.errno == errno.EADDRINUSE else str(error)
        raise BadRequest(500, f"listen tcp {proxy.listen}: bind: {words}") from error


def main() -> None:
    parser = argparse.ArgumentParser(description="The small stand-in for a Toxiproxy server.")
    parser.add_argument("--port", type=int, required=True, help="of 127.0.0.1, for the HTTP API")
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    asyncio.run(serve("127.0.0.1", parser.parse_args().port, Relay().answer))


if __name__ == "__main__":
    main()
