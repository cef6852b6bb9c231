"""Conditions over groups: what an application was told and how often, what was sent again, which member watches
which."""

from __future__ import annotations

from typing import Final

from shaketable.harness.conditions.cluster import Condition, so_often
from shaketable.harness.seen.run import Observed

SIGNALS: Final = (
    "JOIN",
    "JOINED_AND_READY",
    "FAILURE_SUSPECTED",
    "NO_LONGER_SUSPECTED",
    "FAILURE",
    "PLANNED_SHUTDOWN",
    "GROUP_LEADERSHIP",
)


def is_signalled(
    who: str, signal: str, of: str | None, times: int, whole_group: bool | None, rejoin: bool | None
) -> Condition:
    """Its application was told this exactly `times` times since its process began. None: of any member, either way."""
    kind = "" if whole_group is None else " with the whole group" if whole_group else " on its own"
    kind += "" if rejoin is None else " by a rejoin" if rejoin else " by no rejoin"
    what = signal + (f" of {of}" if of is not None else "") + kind

    def why_not(seen: Observed) -> str | None:
        node = seen.nodes[who]
        done = sum(
            each.signal == signal
            and (of is None or seen.names.get(each.peer.address) == of)
            and (whole_group is None or each.whole_group is whole_group)
            and (rejoin is None or (each.rejoin is not None) is rejoin)
            for each in node.group.signals
        )
        return None if done == times else f"{who} has told it {what} {so_often(done)}"

    return Condition(f"{who} has told its application {what} {so_often(times)}", why_not)


def takes_again(now: Observed, who: str, times: int) -> Condition:
    """From now on it takes so many notifications or more that are sent for the second time."""
    before = now.nodes[who].group.again

    def why_not(seen: Observed) -> str | None:
        done = seen.nodes[who].group.again - before
        return None if done >= times else f"{who} has taken {done} since"

    return Condition(f"{who} takes {times} or more notifications that are sent again", why_not)


def watches(who: str, whom: str) -> Condition:
    """By the heartbeats that come from there."""

    def why_not(seen: Observed) -> str | None:
        node = seen.nodes[who]
        if not node.running:
            return f"{who} is not running ({node.state})"
        return None if seen.nodes[whom].address in node.group.watched else f"{who} does not watch {whom}"

    return Condition(f"{who} watches {whom}", why_not)


def spares_heartbeats(now: Observed, who: str) -> Condition:
    """From now on it counts heartbeats that it need not send, and none that it sent."""
    before = now.nodes[who].group.copy()

    def why_not(seen: Observed) -> str | None:
        group = seen.nodes[who].group
        sent, spared = group.sent - before.sent, group.spared - before.spared
        if sent:
            return f"{who} has sent {sent} since"
        return None if spared else f"{who} has spared none since"

    return Condition(f"{who} spares all its heartbeats", why_not)


def ignores_a_hint(now: Observed, who: str) -> Condition:
    """From now on a hint that somebody has failed comes to it, and is not followed."""
    before = now.nodes[who].group.hints_ignored

    def why_not(seen: Observed) -> str | None:
        return None if seen.nodes[who].group.hints_ignored > before else f"{who} has ignored no hint since"

    return Condition(f"{who} ignores a hint", why_not)


def drops_foreign_messages(who: str) -> Condition:
    """Some have come to it from another group, or of the same name in another domain."""

    def why_not(seen: Observed) -> str | None:
        return None if seen.nodes[who].group.foreign else f"{who} has dropped none"

    return Condition(f"{who} drops messages of another group", why_not)


def has_started_the_group(who: str) -> Condition:
    """The last start of a whole group that it led has ended, and nobody was missing."""

    def why_not(seen: Observed) -> str | None:
        ended = seen.nodes[who].group.started_whole
        if not ended:
            return f"no such start has ended at {who}"
        return f"missing are {', '.join(seen.names.get(a, a) for a in ended[-1])}" if ended[-1] else None

    return Condition(f"{who} has started the whole group", why_not)
