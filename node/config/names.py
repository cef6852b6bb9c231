"""Names of settings that are none: what is said of them, and whether their values may be shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from shaketable.node.config.fields import HIDDEN

WITHOUT_EFFECT: Final = frozenset(
    f"hazelcast.{name}"
    for name in (
        "partition.max.parallel.replications",
        "partition.migration.interval",
        "partition.migration.fragments.enabled",
        "partition.migration.chunks.enabled",
        "partition.migration.chunks.max.migrating.data.in.mb",
        "invocation.max.retry.count",
        "connect.all.wait.seconds",
        "socket.connect.timeout.seconds",
    )
)
"""Properties of the real system that concern our texts or their surroundings and that nothing here reads yet."""


def shown_by_name(name: str, value: object) -> object:
    """A secret that was given by a wrong name, a misspelt one too, is one all the same."""
    import difflib

    words = name.lower().replace(".", "_").split("_")
    return HIDDEN if any(difflib.get_close_matches(word, ("password", "passwords")) for word in words) else value


def why_not(name: str, names: Sequence[str]) -> str:
    if name in WITHOUT_EFFECT:
        return "Hazelcast has this property, but here it would have no effect"
    import difflib

    close = difflib.get_close_matches(name, names, n=1)
    return "there is no such setting" + (f"; did you mean {close[0]}?" if close else "")
