"""What a node answers to HTTP requests about its join configuration (docs/rest.md).

A request comes in whole and is answered by one response, at once or when the cluster has taken a change."""

from shaketable.node.rest.document import document_of, member_list_in, text_of
from shaketable.node.rest.exchange import (
    LARGEST_BODY,
    LARGEST_HEAD,
    MEMBER_LIST,
    RELOAD,
    UPDATE,
    Refused,
    Request,
    Response,
    fail,
)
from shaketable.node.rest.handler import Rest
from shaketable.node.rest.of_node import rest_of

__all__ = [
    "LARGEST_BODY",
    "LARGEST_HEAD",
    "MEMBER_LIST",
    "RELOAD",
    "UPDATE",
    "Refused",
    "Request",
    "Response",
    "Rest",
    "document_of",
    "fail",
    "member_list_in",
    "rest_of",
    "text_of",
]
