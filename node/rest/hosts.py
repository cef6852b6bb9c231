"""By which name a node was called. A page of elsewhere can call it through a browser on this machine: by a name
of its own that leads here, or as a form that it sends. Neither is answered."""

from __future__ import annotations

from ipaddress import ip_address

from shaketable.node.rest.exchange import Refused, Request


def refuse_pages_of_elsewhere(request: Request) -> None:
    """A request without these headers comes from no browser."""
    host, origin = request.headers.get("host"), request.headers.get("origin")
    if host is not None and not _is_an_address(host):
        raise Refused(403, "call this node by its IP address or as localhost")
    if origin is not None and origin != f"http://{host}":
        raise Refused(403, "this request comes from a page of elsewhere")


def _is_an_address(host: str) -> bool:
    name = host.removeprefix("[").partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    if name == "localhost":
        return True
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
