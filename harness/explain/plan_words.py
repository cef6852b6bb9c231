"""A migration in the words of the text's own examples (text 3.3.2.2), and its reason."""

from __future__ import annotations

from shaketable.harness.explain.names import shown
from shaketable.node.messages import NOWHERE, Migration, Row


def said(migration: Migration) -> str:
    """The text has no examples of the last two, and no plan without migrations."""
    source, destination = shown(migration.source or ""), shown(migration.destination or "")
    new = migration.destination_new_index
    match migration.type:
        case "MOVE":
            return f"MOVE migrate index {new} from {source} to {destination}"
        case "COPY":
            return f"COPY migrate {destination} to index {new}"
        case "SHIFT DOWN":
            return (
                f"SHIFT DOWN migrate index {new} from {source} to {destination} "
                f"and index {migration.source_new_index} to {source}"
            )
        case "SHIFT UP":
            return f"SHIFT UP migrate {destination} from {migration.destination_current_index} to {new}"
        case "SHIFT UP+SHIFT DOWN":
            return (
                f"SHIFT UP migrate {destination} from {migration.destination_current_index} to {new} "
                f"+ SHIFT DOWN index {migration.source_new_index} to {source}"
            )
        case "CLEAR":
            return f"CLEAR index {migration.source_current_index} of {source}"


def reason(migration: Migration, start: Row, before: Row, target: Row) -> str:
    """`start` is the row that the plan begins with, `before` the one that this finds in planned order; the target has
    no cycles any more."""
    source, destination = shown(migration.source or ""), shown(migration.destination or "")
    at, old = migration.destination_new_index, migration.destination_current_index
    back = target.index(migration.source) if migration.source in target and migration.source else NOWHERE
    returns = migration.destination in start
    new = f"{destination} {'is to come back' if returns else 'holds nothing of the partition yet'}"
    match migration.type:
        case "MOVE" if back == NOWHERE:
            return f"{new}, and {source} is not wanted any more."
        case "MOVE" if back < at:
            who = "holds no index now" if returns else "holds nothing of the partition yet"
            return (
                f"{source} is wanted at index {back}, and index {at} may not fall empty meanwhile. So {destination}, "
                f"who {who}, takes that first."
            )
        case "MOVE":
            holder = shown(before[back] or "")
            return (
                f"{new}. {source} is wanted at index {back}, which {holder} still holds: it comes back by a later step."
            )
        case "COPY":
            return f"Nobody holds index {at}, and {new}."
        case "SHIFT DOWN":
            return (
                f"{new}. {source} is wanted at index {back}, which nobody holds: it goes there in the same step, so "
                "that its copy is not missed meanwhile."
            )
        case "SHIFT UP" if migration.source is None:
            empty = (
                f"The target has nobody at its index {old}."
                if target[old] is None
                else f"Its index {old} falls empty until a later step: hotter ones come first."
            )
            return f"Nobody holds index {at}, and {destination} is wanted there. {empty}"
        case "SHIFT UP":
            leaves = "is not wanted any more" if back == NOWHERE else f"is wanted at index {back}, and comes back later"
            return f"The target has nobody at index {old}, so {destination} may go up at once. {source} {leaves}."
        case "SHIFT UP+SHIFT DOWN":
            return (
                f"The target has nobody at index {old}, so {destination} may go up at once. {source} is wanted at "
                f"index {back}, which nobody holds: it goes there in the same step."
            )
        case "CLEAR":
            return f"The target has nobody at index {migration.source_current_index}. This comes last."
