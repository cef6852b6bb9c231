"""What stories of groups share: one body is told under many policies, and how a group comes to be and its members go.

Members are named in the members' order, n1 first, which is a ring's order too. Except where a story says otherwise n1
is the oldest, and so the master, and the others are younger the lower their order: the two elections differ by that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import Final

from shaketable import Body, Cluster, Condition, Observed, Script, script

ALL: Final = ("n1", "n2", "n3", "n4", "n5")
GMS: Final = "gms"
ALL_TO_ALL: Final = "all to all"
RING: Final = "ring"
INFERRED: Final = "ring with inferred"
SWIM: Final = "swim"
LIFEGUARD: Final = "lifeguard"
BY_HEARTBEATS: Final = (ALL_TO_ALL, "master and likely", RING, INFERRED)
DETECTIONS: Final = (*BY_HEARTBEATS, SWIM, LIFEGUARD)
BY_ORDER: Final = "by order"
BY_SENIORITY: Final = "by seniority"
ELECTIONS: Final = (BY_ORDER, BY_SENIORITY)

ABOUT: Final = ("one list a key", "settled", "view sequence", "same notifications", "joins in order")
SILENT: Final = (*ABOUT, "suspected first", "group detection")
"""For checks, a member whose machine is gone has not ended: the stories must ask whether its failure is told."""
CRASHES: Final = (*SILENT, "every failure told")
LEADERSHIP: Final = "leadership agrees"
ELECTED: Final = (*CRASHES, LEADERSHIP)
CALM: Final = ("one master", "one view")
"""These judge what holds when all has been calm for long enough."""
SHUTDOWN: Final = "shutdown is no failure"
REJOIN: Final = "rejoin"
ONE_ELECTION: Final = (BY_ORDER,)
"""for stories in which nobody is elected"""


def scripts_under(
    detections: Sequence[str] = DETECTIONS,
    elections: Sequence[str] = ELECTIONS,
    *,
    about: Iterable[str] = ABOUT,
    settings: Mapping[str, object] | None = None,
    expects_violation: str | None = None,
    broken_too: Iterable[str] = (),
) -> Callable[[Body], list[Script]]:
    """Of one body a script for each pair of policies. Its name and title end with those of which there are several."""

    def under(body: Body, detection: str, election: str) -> Script:
        policies = [detection] * (len(detections) > 1) + [election] * (len(elections) > 1)
        title = (body.__doc__ or "").splitlines()[0]
        made = script(
            name=" ".join([body.__name__, *policies]),
            title=f"{title.removesuffix('.')} ({', '.join(policies)})." if policies else title,
            about=about,
            settings={"family": GMS, "gms_detection": detection, "gms_election": election, **(settings or {})},
            expects_violation=expects_violation,
            broken_too=broken_too,
        )
        return made(body)

    return lambda body: [under(body, *policies) for policies in product(detections, elections)]


def named(name: str, scripts: Iterable[Script]) -> Script:
    """The one of a body's scripts whose name ends so."""
    (found,) = [script for script in scripts if script.name.endswith(name)]
    return found


async def form(cluster: Cluster, *names: str) -> None:
    """The first of them, then the others from the last on. All know the addresses of all."""
    await cluster.form(names[0], knowing=names)
    if names[1:]:
        await cluster.join(*reversed(names[1:]), knowing=names)


def in_line(cluster: Cluster, *names: str) -> list[str]:
    """Of a group that formed so, who is master, then who would follow whom."""
    by_age = cluster.settings.gms_election == BY_SENIORITY
    return [names[0], *(reversed(names[1:]) if by_age else names[1:])]


async def crash_silently(cluster: Cluster, *names: str) -> None:
    """Their machines are gone: nothing runs there any more, and no connection breaks that others would notice. (Where a
    process is killed behind a black hole its connections break all the same.)"""
    await cluster.together(*[cluster.isolate(name, how="blackhole") for name in names])
    await cluster.together(*[cluster.pause(name) for name in names])


def have_failed(cluster: Cluster, failed: Iterable[str], *, told: Iterable[str]) -> Condition:
    """Each of these has told its application once of each of those."""
    return all_of(cluster.that.is_signalled(who, "FAILURE", of=whom) for whom in failed for who in told)


def have_not_failed(cluster: Cluster, who: str, *, told: Iterable[str]) -> Condition:
    return all_of(cluster.that.is_signalled(each, "FAILURE", of=who, times=0) for each in told)


def has_started_the_group_without(cluster: Cluster, who: str, *missing: str) -> Condition:
    """The last start of a whole group that it led has ended, and just these have not come."""
    left = tuple(cluster.seen.view(name).address for name in missing)

    def why_not(seen: Observed) -> str | None:
        ended = seen.nodes[who].group.started_whole
        if not ended:
            return f"no such start has ended at {who}"
        return None if ended[-1] == left else f"missing are {', '.join(ended[-1]) or 'none'}"

    return Condition(f"{who} has started the group without {', '.join(missing)}", why_not)


def follow(cluster: Cluster, names: Iterable[str], master: str) -> Condition:
    return all_of(cluster.that.follows(name, master) for name in names)


def all_of(conditions: Iterable[Condition]) -> Condition:
    first, *others = conditions
    for other in others:
        first = first & other
    return first
