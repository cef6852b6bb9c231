"""Of which family a run's nodes are: a cluster, or the members of a group; and of which kind each of these is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from shaketable.node.config import ALL_TO_ALL, CORE, DEFAULT, GMS, INFERRED, RING, WATCHDOG
from shaketable.node.config.data import backup_counts
from shaketable.tui.model.folds.picture import Picture
from shaketable.tui.model.run_facts import RunFacts

_USUAL: Final = {"gms_member_type": CORE, "gms_detection": ALL_TO_ALL, "gms_udp": "none"}


def is_group(facts: RunFacts) -> bool:
    return facts.settings.get("family") == GMS


def told(facts: RunFacts, name: str) -> str:
    """A setting of the run that is a word."""
    return str(facts.settings.get(name, _USUAL.get(name, "")))


def maps_of(facts: RunFacts) -> Sequence[str]:
    """Of a cluster: the maps that it has."""
    return tuple(backup_counts(str(facts.settings.get("maps", DEFAULT.maps))))


def watches_in_a_ring(facts: RunFacts) -> bool:
    return is_group(facts) and told(facts, "gms_detection") in (RING, INFERRED)


def kind_of(picture: Picture, facts: RunFacts, node: str) -> str:
    """ "core", "spectator" or "watchdog"; "" in a cluster."""
    if not is_group(facts):
        return ""
    own = picture.configured.get(node, {}).get("gms_member_type")
    return str(own) if own is not None else told(facts, "gms_member_type")


def watchdogs(picture: Picture, facts: RunFacts) -> list[str]:
    """They are in no view, and never join."""
    if not is_group(facts):
        return []
    return [name for name in picture.observed.nodes if kind_of(picture, facts, name) == WATCHDOG]
