"""The url-encoded fields of a request's body, and the right to change something: by cluster name and password, in
constant time."""

from __future__ import annotations

import hmac
import re
from typing import Final
from urllib.parse import unquote_plus

from shaketable.node.config import Settings
from shaketable.node.rest.exchange import LARGEST_BODY, Refused, Request

CONTENT_TYPES: Final = ("text/plain", "application/x-www-form-urlencoded")
_NO_CODE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")


def fields_of(request: Request, names: tuple[str, ...]) -> list[str]:
    """Joined by `&`, in this order, without their names: as the text's curl sends them."""
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type not in CONTENT_TYPES:
        raise Refused(415, f"the content type has to be {' or '.join(CONTENT_TYPES)}")
    if len(request.body) > LARGEST_BODY:
        raise Refused(413, f"a body has at most {LARGEST_BODY} bytes")
    try:
        encoded = request.body.decode("ascii")
    except UnicodeDecodeError:
        raise Refused(400, "the fields have to be url-encoded") from None
    parts = encoded.split("&")
    if len(parts) != len(names):
        raise Refused(400, f"the body has to have {len(names)} fields, joined by &: {', '.join(names)}")
    return [_decoded(part) for part in parts]


def _decoded(part: str) -> str:
    if _NO_CODE.search(part):
        raise Refused(400, "the fields have to be url-encoded: a % has two digits behind it")
    try:
        return unquote_plus(part, errors="strict")
    except UnicodeDecodeError:
        raise Refused(400, "the fields have to be url-encoded UTF-8") from None


def check_credentials(settings: Settings, name: str, password: str) -> None:
    """Both are compared, whatever came of the first, and the answer does not say which was wrong. Where no password is
    set nobody has the right one."""
    same_name = hmac.compare_digest(name.encode(), settings.cluster_name.encode())
    same_password = hmac.compare_digest(password.encode(), settings.cluster_password.encode())
    if not (same_name & same_password & bool(settings.cluster_password)):
        raise Refused(403, "wrong cluster name or password")
