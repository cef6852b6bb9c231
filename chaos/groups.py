"""What stories of groups share: one body is told under many policies, and how a group comes to be and its members go.

Members are named in the members' order, n1 first, which is a ring's order too. Except where a story says otherwise n1
is the oldest, and so the master, and the others are younger the lower their order: the two elections differ by that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from types import FunctionType
from typing import Final

from shaketable.harness.cluster import Cluster
from shaketable.harness.conditions import Condition
from shaketable.harness.observed import Observed
from shaketable.harness.scripts import Body, Script, Values, script
from shaketable.node.config import BY_ORDER, BY_SENIORITY, DETECTIONS, ELECTIONS, GMS

ABOUT: Final = ("one list a key", "settled", "view sequence", "same notifications", "joins in order")
SILENT: Final = (*ABOUT, "suspected first", "group detection")
"""Whose machine is gone has not ended as far as checks know: that its failure is told is for the stories to ask."""
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
    settings: Values | None = None,
    expects_violation: str | None = None,
    broken_too: Iterable[str] = (),
) -> Callable[[Body], Script | Body]:
    """Of one body a script for each pair of policies. Its name and title end with those of which there are several."""

    def make(body: Body) -> Script | Body:
        assert isinstance(body, FunctionType)
        assert body.__doc__, f"{body.__name__} has no title"
        for detection, election in product(detections, elections):
            policies = [detection] * (len(detections) > 1) + [election] * (len(elections) > 1)
            name = "_".join([body.__name__, *policies]).replace(" ", "_")
            one = FunctionType(body.__code__, body.__globals__, name, body.__defaults__, body.__closure__)
            title = body.__doc__.splitlines()[0]
            one.__doc__ = f"{title.removesuffix('.')} ({', '.join(policies)})." if policies else title
            values = {"family": GMS, "gms_detection": detection, "gms_election": election, **(settings or {})}
            make_one = script(about=about, settings=values, expects_violation=expects_violation, broken_too=broken_too)
            body.__globals__[name] = make_one(one)
        found: Script | Body = body.__globals__.get(body.__name__, body)
        return found

    return make


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
    return all_of(cluster.is_signalled(who, "FAILURE", of=whom) for whom in failed for who in told)


def have_not_failed(cluster: Cluster, who: str, *, told: Iterable[str]) -> Condition:
    return all_of(cluster.is_signalled(each, "FAILURE", of=who, times=0) for each in told)


def has_started_the_group_without(cluster: Cluster, who: str, *missing: str) -> Condition:
    """The last start of a whole group that it led has ended, and just these have not come."""
    left = tuple(cluster.view(name).address for name in missing)

    def why_not(seen: Observed) -> str | None:
        ended = seen.nodes[who].group.started_whole
        if not ended:
            return f"no such start has ended at {who}"
        return None if ended[-1] == left else f"missing are {', '.join(ended[-1]) or 'none'}"

    return Condition(f"{who} has started the group without {', '.join(missing)}", why_not)


def follow(cluster: Cluster, names: Iterable[str], master: str) -> Condition:
    return all_of(cluster.follows(name, master) for name in names)


def all_of(conditions: Iterable[Condition]) -> Condition:
    first, *others = conditions
    for other in others:
        first = first & other
    return first
