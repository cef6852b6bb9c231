"""Conditions over what is observed: each answers with the reason why it does not hold yet, or None when it holds.

That reason is the failure message of a script that waited in vain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shaketable.harness.errors import ScriptError
from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.messages import Member


@dataclass(frozen=True, slots=True)
class Condition:
    """What a script waits for. Join two by `&` or `|`. To make your own, give a label and a function."""

    label: str
    """what the history and a failed run say of it"""
    why_not: Callable[[Observed], str | None]
    """the reason why it does not hold; None: it holds"""
    either: bool = False
    """whether one of several is enough, as the label says"""
    still_not: Callable[[Observed], bool] = lambda seen: False
    """a quick look: what was in the way when it was asked last still is. False: it has to be asked"""

    def ask(self, seen: Observed) -> str | None:
        """The reason why it does not hold, in words. None: it holds."""
        answer: object = self.why_not(seen)
        if answer is None or (isinstance(answer, str) and answer):
            return answer
        raise ScriptError(
            f"the condition {self.label!r} answers None or why it does not hold, not {type(answer).__name__}"
        )

    def __and__(self, other: Condition) -> Condition:
        return Condition(
            f"{self.label}, and {other.label}",
            lambda seen: self.ask(seen) or other.ask(seen),
            still_not=lambda seen: self.still_not(seen) or other.still_not(seen),
        )

    def __or__(self, other: Condition) -> Condition:
        def why_not(seen: Observed) -> str | None:
            this = self.ask(seen)
            that = other.ask(seen) if this else None
            return f"{this}, and {that}" if this and that and that != this else this and that

        one, another = (each.label.removeprefix("either ") if each.either else each.label for each in (self, other))
        return Condition(f"either {one}, or {another}", why_not, either=True)

    def __bool__(self) -> bool:
        """`a and b` would ask for b alone, `a or b` for a, and `not a` for nothing."""
        raise ScriptError(f"the condition {self.label!r} is not true or false in itself: join conditions with & and |")


def agree(names: Sequence[str]) -> Condition:
    """These nodes, and no others, are the members of each one's list, in one order and version.

    A hundred nodes are asked after each of ten thousand changes: what is cheap, and mostly says no, comes first."""
    wanted = frozenset(names)
    astray = names[0]
    """who was in the way when all were asked last"""
    others: Sequence[Member] | None = None
    """the first one's list, where it had others than these"""

    def still_not(seen: Observed) -> bool:
        node, first = seen.nodes[astray], seen.nodes[names[0]]
        return (
            first.members is others
            or node.version != first.version
            or not node.running
            or not node.joined
            or node.claiming
        )

    def why_not(seen: Observed) -> str | None:
        nonlocal astray, others
        nodes = seen.nodes
        for name in names:
            node = nodes[name]
            if not node.running:
                astray = name
                return f"{name} is not running ({node.state})"
            if not node.joined:
                astray = name
                return f"{name} has not joined"
        first: NodeSeen | None = None
        for name in names:
            node, astray = nodes[name], name
            if first is None:
                first = node
                members = node.members
                if len(members) != len(wanted) or not wanted.issuperset(held := seen.names_of(members)):
                    others = members
                    return f"{name} holds {seen.list_of(node)}, wanted are {', '.join(names)}"
                if [member.uuid for member in members] != [nodes[each].incarnation for each in held]:
                    return f"{name} holds {seen.list_of(node)} with an earlier incarnation of a member"
            elif node.version != first.version or node.members != first.members:
                return f"{name} holds {seen.list_of(node)}, {first.name} holds {seen.list_of(first)}"
            if node.claiming:
                return f"{name} is in the middle of a mastership claim"
            if not node.a_set and node.master is not members[0] and node.master != members[0]:
                master = seen.names_of([node.master])[0] if node.master else "nobody"
                return f"{name} follows {master}, not {held[0]}"
        return None

    label = f"{', '.join(names)} agree on one list" if len(names) > 1 else f"{names[0]} is alone in its list"
    return Condition(label, why_not, still_not=still_not)


def holds(who: str, version: int, members: Sequence[str]) -> Condition:
    """Its list has this very version, and exactly these members in this order."""
    wanted = f"v={version} [{', '.join(members)}]"

    def why_not(seen: Observed) -> str | None:
        node = seen.nodes[who]
        if not node.running:
            return f"{who} is not running ({node.state})"
        held = seen.list_of(node)
        return None if held == wanted else f"{who} holds {held}"

    return Condition(f"{who} holds {wanted}", why_not)


def ignores(now: Observed, who: str, version: int) -> Condition:
    """From now on a list of this version comes to it, and it does not apply it."""
    before = times_ignored(now, who, version)

    def why_not(seen: Observed) -> str | None:
        return None if times_ignored(seen, who, version) > before else f"{who} has ignored no list v={version} since"

    return Condition(f"{who} ignores a list v={version}", why_not)


def times_ignored(seen: Observed, who: str, version: int) -> int:
    return seen.nodes[who].ignored.get(version, 0)


def disobeys(now: Observed, who: str, whom: str) -> Condition:
    """From now on explicit suspicion of another one comes to it, and it does not obey that."""
    before = times_disobeyed(now, who, whom)

    def why_not(seen: Observed) -> str | None:
        if times_disobeyed(seen, who, whom) > before:
            return None
        return f"{who} has ignored no explicit suspicion from {whom} since"

    return Condition(f"{who} ignores explicit suspicion from {whom}", why_not)


def times_disobeyed(seen: Observed, who: str, whom: str) -> int:
    return seen.nodes[who].not_obeyed.get(seen.nodes[whom].incarnation, 0)


def claims(who: str) -> Condition:
    def why_not(seen: Observed) -> str | None:
        node = seen.nodes[who]
        if not node.running:
            return f"{who} is not running ({node.state})"
        return None if node.claiming else f"{who} claims no mastership"

    return Condition(f"{who} claims the mastership", why_not)


def settled() -> Condition:
    """Every awake member's list is its master's and holds just awake members that hold it too; no claim is open.

    After a break that lasts there may be several clusters; each must have settled."""

    return Condition("all that run have settled", lambda seen: not_settled(seen, seen.awake()))


def not_settled(seen: Observed, awake: Sequence[NodeSeen]) -> str | None:
    """Of a list that all its members hold the next one of them is believed: else a hundred members are asked a hundred
    times."""
    held: NodeSeen | None = None
    for node in awake:
        members = node.members
        if not node.joined:
            return f"{node.name} has not joined"
        if not members:
            return f"{node.name} holds no list yet"
        if node.claiming:
            return f"{node.name} is in the middle of a mastership claim"
        if not node.a_set and node.master is not members[0] and node.master != members[0]:
            return f"{node.name} holds {seen.list_of(node)} but follows another master"
        if held is not None and held.version == node.version and held.members == members:
            continue
        for member in members:
            other = seen.is_current(member)
            if other is None:
                (name,) = seen.names_of([member])
                return f"{node.name} holds {seen.list_of(node)}, but {name} is not running as that incarnation"
            if other.version != node.version or other.members != members:
                return f"{node.name} holds {seen.list_of(node)}, {other.name} holds {seen.list_of(other)}"
        held = node
    return None


def suspects(who: str, whom: str) -> Condition:
    """It does, or did until it took this incarnation off its list: a master does both in one step."""

    def why_not(seen: Observed) -> str | None:
        if seen.nodes[who].ended:
            return f"{who} is not running ({seen.nodes[who].state})"
        return None if _suspects(seen, who, whom) else f"{who} does not suspect {whom}"

    return Condition(f"{who} suspects {whom}", why_not)


def trusts(who: str, whom: str) -> Condition:
    """It does not suspect it, and did not until it took this incarnation off its list. A node that has ended suspects
    nobody."""

    def why_not(seen: Observed) -> str | None:
        return f"{who} suspects {whom}" if _suspects(seen, who, whom) else None

    return Condition(f"{who} does not suspect {whom}", why_not)


def is_told(who: str, by: str, of: str) -> Condition:
    """This master has been told by a follower that it suspects another one, and has yet to decide between the two."""

    def why_not(seen: Observed) -> str | None:
        if seen.nodes[who].ended:
            return f"{who} is not running ({seen.nodes[who].state})"
        return None if _is_told(seen, who, by, of) else f"{who} has not been told by {by} that it suspects {of}"

    return Condition(f"{who} has been told by {by} that it suspects {of}", why_not)


def is_not_told(who: str, by: str, of: str) -> Condition:
    """It was not told so, or that was taken back, or it has decided. A node that has ended has been told nothing."""

    def why_not(seen: Observed) -> str | None:
        return f"{who} has been told by {by} that it suspects {of}" if _is_told(seen, who, by, of) else None

    return Condition(f"{who} has not been told by {by} that it suspects {of}", why_not)


def has_resolved(who: str, times: int) -> Condition:
    """This incarnation, as the master, has decided exactly `times` times which members stay, for reports of its
    followers."""

    def why_not(seen: Observed) -> str | None:
        done = seen.nodes[who].resolved
        return None if done == times else f"{who} has decided {so_often(done)} who stays"

    return Condition(f"{who} has decided {so_often(times)} who stays", why_not)


def has_not_resolved(who: str, times: int) -> Condition:
    """Exactly `times` times this incarnation had to decide and removed nobody: it took too long, or was void."""

    def why_not(seen: Observed) -> str | None:
        done = seen.nodes[who].unresolved
        return None if done == times else f"{who} has come to no decision {so_often(done)}"

    return Condition(f"{who} has come to no decision {so_often(times)}", why_not)


def follows(who: str, whom: str) -> Condition:
    def why_not(seen: Observed) -> str | None:
        node, other = seen.nodes[who], seen.nodes[whom]
        if node.ended:
            return f"{who} is not running ({node.state})"
        if node.master is not None and node.master.uuid == other.incarnation:
            return None
        return f"{who} follows {seen.names_of([node.master])[0] if node.master else 'nobody'}"

    return Condition(f"{who} follows {whom}", why_not)


def link_is_up(who: str, whom: str) -> Condition:
    """Its own link to the other one, as it last told."""

    def why_not(seen: Observed) -> str | None:
        return _link(seen, who, whom, up=True)

    return Condition(f"{who} has its link to {whom}", why_not)


def link_is_down(who: str, whom: str) -> Condition:
    """It has lost its own link to the other one, has hung up, or never had one."""

    def why_not(seen: Observed) -> str | None:
        return _link(seen, who, whom, up=False)

    return Condition(f"{who} has no link to {whom}", why_not)


def has_ended(name: str) -> Condition:
    def why_not(seen: Observed) -> str | None:
        node = seen.nodes[name]
        return None if node.ended else f"{name} is {node.state}"

    return Condition(f"{name} has ended", why_not)


def caught(number: int) -> Condition:
    """This fault by kind of message has come upon one."""

    def why_not(seen: Observed) -> str | None:
        fault = seen.faults[number]
        if fault.missed:
            return f"fault {number} took no effect: {fault.without_effect}"
        return None if fault.fired else f"fault {number} ({fault.verb}) has caught no message"

    return Condition(f"fault {number} has caught a message", why_not)


def is_held(name: str, event: str) -> Condition:
    def why_not(seen: Observed) -> str | None:
        held = seen.nodes[name].held_at
        return None if held == event else f"{name} does not hold at {event}"

    return Condition(f"{name} holds at {event}", why_not)


def _suspects(seen: Observed, who: str, whom: str) -> bool:
    node, other = seen.nodes[who], seen.nodes[whom]
    if node.ended:
        return False
    if other.incarnation in node.given_up:
        return True
    return any(seen.names.get(each.peer.address) == whom for each in node.suspected.values())


def _link(seen: Observed, who: str, whom: str, *, up: bool) -> str | None:
    node = seen.nodes[who]
    if not node.running:
        return f"{who} is not running ({node.state})"
    if node.links_up.get(seen.nodes[whom].address, False) is up:
        return None
    return f"{who} has {'no' if up else 'a'} link to {whom}"


def _is_told(seen: Observed, who: str, by: str, of: str) -> bool:
    nodes = seen.nodes
    node = nodes[who]
    report = node.reports.get(nodes[by].incarnation)
    told = report is not None and any(member.uuid == nodes[of].incarnation for member in report.suspected)
    return told and not node.ended


def so_often(number: int) -> str:
    return "once" if number == 1 else f"{number} times"
