"""What a chaos script sees: one class whose verbs yield steps, whichever world they act in.

Its verbs are in `verbs/`, by what they act on; here is what a script can look at. A fault that takes no effect does not
stop a script; it makes the verdict unknown. Times are whole microseconds, best computed from `settings` and `bounds`:
`cluster.settings.heartbeat_timeout * 2`."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.harness import conditions, conditions_group, conditions_merging
from shaketable.harness.conditions import Condition
from shaketable.harness.errors import ScriptError
from shaketable.harness.observed import NodeSeen
from shaketable.harness.scripting.fault_book import Injected
from shaketable.harness.scripting.verbs.base import whole
from shaketable.harness.scripting.verbs.data import DataVerbs
from shaketable.harness.scripting.verbs.forming import Forming
from shaketable.harness.scripting.verbs.group import GroupVerbs
from shaketable.harness.scripting.verbs.links import LinkVerbs
from shaketable.harness.scripting.verbs.nodes import NodeVerbs
from shaketable.harness.scripting.verbs.rest import RestVerbs
from shaketable.harness.scripting.verbs.table import TableVerbs
from shaketable.harness.scripting.verbs.telling import Telling
from shaketable.harness.scripting.verbs.waiting import Waiting
from shaketable.node.env import Micros

__all__ = ["Cluster", "Injected"]

NO_LINK = "no node has a link to itself"
NO_MERGE = "no node merges into itself"


class Cluster(Forming, LinkVerbs, NodeVerbs, Waiting, Telling, DataVerbs, TableVerbs, RestVerbs, GroupVerbs):
    def now(self) -> Micros:
        """True time since the run began."""
        return self._world.now()

    def nodes(self) -> list[str]:
        """All that this script has started so far, in that order, whether or not they still run."""
        return list(self._formed)

    def view(self, name: str) -> NodeSeen:
        """What this node believes, as far as it has reported it."""
        return self._world.observed.nodes[self._known(name)]

    def members(self) -> list[str]:
        """By age, in the newest list that any node holds which is neither ended, paused nor held."""
        seen = self._world.observed
        joined = [n for n in seen.awake() if n.joined]
        return seen.names_of(max(joined, key=lambda n: n.version).members) if joined else []

    def master(self) -> str:
        members = self.members()
        if not members:
            raise ScriptError("nobody has joined, so there is no master")
        return members[0]

    def agree(self, *names: str) -> Condition:
        """These nodes, and no others, are the members of each one's list, in one order and version."""
        if not names:
            raise ScriptError("agree needs at least one name: that nobody agrees is always so")
        known = self._all_known(names)
        twice = next((name for name in known if known.count(name) > 1), None)
        if twice is not None:
            raise ScriptError(f"agree was given {twice} twice: name each node once")
        return conditions.agree(known)

    def holds(self, name: str, *, version: int, members: Sequence[str]) -> Condition:
        """This node's list has this very version, and exactly these members in this order."""
        return conditions.holds(self._known(name), whole(version, "a version", least=1), self._all_known(members))

    def ignores(self, name: str, *, version: int) -> Condition:
        """From this call on a list of this version comes to this node, and it does not apply it."""
        return conditions.ignores(self._world.observed, self._known(name), whole(version, "a version", least=1))

    def disobeys(self, who: str, whom: str) -> Condition:
        """From this call on explicit suspicion from `whom` comes to `who`, which does not obey it."""
        return conditions.disobeys(self._world.observed, self._known(who), self._known(whom))

    def claims(self, name: str) -> Condition:
        """It is in the middle of a mastership claim."""
        return conditions.claims(self._known(name))

    def settled(self) -> Condition:
        return conditions.settled()

    def suspects(self, who: str, whom: str) -> Condition:
        return conditions.suspects(*self._two("suspects", who, whom))

    def trusts(self, who: str, whom: str) -> Condition:
        return conditions.trusts(*self._two("trusts", who, whom))

    def is_told(self, master: str, *, by: str, of: str) -> Condition:
        """This master has been told by follower `by` that it suspects `of`, and has yet to decide between the two."""
        return conditions.is_told(*self._three("is_told", master, by, of))

    def is_not_told(self, master: str, *, by: str, of: str) -> Condition:
        """It has not been told so, or that was taken back, or it has decided."""
        return conditions.is_not_told(*self._three("is_not_told", master, by, of))

    def has_resolved(self, name: str, *, times: int = 1) -> Condition:
        """So often, and no more, this node as the master has decided who stays, for what its followers reported."""
        return conditions.has_resolved(self._known(name), whole(times, "the number of decisions"))

    def has_not_resolved(self, name: str, *, times: int = 1) -> Condition:
        """So often, and no more, it had to decide and removed nobody: it took too long, or things had changed."""
        return conditions.has_not_resolved(self._known(name), whole(times, "the number of decisions"))

    def follows(self, who: str, whom: str) -> Condition:
        return conditions.follows(self._known(who), self._known(whom))

    def link_is_up(self, who: str, whom: str) -> Condition:
        """Its own link to the other one: what `who` sends to `whom`."""
        return conditions.link_is_up(*self._two("link_is_up", who, whom, NO_LINK))

    def link_is_down(self, who: str, whom: str) -> Condition:
        """It has lost its own link to the other one, or has hung up."""
        return conditions.link_is_down(*self._two("link_is_down", who, whom, NO_LINK))

    def ended(self, name: str) -> Condition:
        """Its process is gone, however it ended."""
        return conditions.has_ended(self._known(name))

    def one_cluster(self) -> Condition:
        """All that are awake have settled in one and the same list."""
        return conditions_merging.one_cluster()

    def merging(self, name: str) -> Condition:
        """It is on its way to another part of the cluster, and has not arrived."""
        return conditions_merging.merging(self._known(name))

    def merged(self, name: str, *, times: int = 1) -> Condition:
        """So often, and no more, it has come over to another part since its process began."""
        return conditions_merging.merged(self._known(name), whole(times, "the number of merges"))

    def has_merged_into(self, who: str, whom: str) -> Condition:
        """Its present identity came over to the cluster of `whom`, whose identity is still the same."""
        return conditions_merging.has_merged_into(*self._two("has_merged_into", who, whom, NO_MERGE))

    def has_searched(self, name: str) -> Condition:
        """After this call a search of this master for other parts ends."""
        return conditions_merging.searches(self._world.observed, self._known(name))

    def puts_off(self, name: str) -> Condition:
        """After this call this master is to go over to another part, and does not: it cannot just then."""
        return conditions_merging.puts_off(self._world.observed, self._known(name))

    def is_signalled(
        self,
        name: str,
        signal: str,
        *,
        of: str | None = None,
        times: int = 1,
        whole_group: bool | None = None,
        rejoin: bool | None = None,
    ) -> Condition:
        """So often, and no more, this member of a group has told its application so ("FAILURE") since it began."""
        if signal not in conditions_group.SIGNALS:
            raise ScriptError(f"there is no signal {signal!r}; there are {', '.join(conditions_group.SIGNALS)}")
        whom = None if of is None else self._known(of)
        often = whole(times, "the number of signals")
        return conditions_group.is_signalled(self._known(name), signal, whom, often, whole_group, rejoin)

    def takes_again(self, name: str, *, times: int) -> Condition:
        """From this call on it takes so many notifications or more that its master had to send again."""
        often = whole(times, "the number of notifications", least=1)
        return conditions_group.takes_again(self._world.observed, self._known(name), often)

    def watches(self, who: str, whom: str) -> Condition:
        """This member of a group gets the other one's heartbeats, and would miss them."""
        return conditions_group.watches(*self._two("watches", who, whom, "no node watches itself"))

    def spares_heartbeats(self, name: str) -> Condition:
        """From this call on it counts periods in which other messages took the place of every heartbeat."""
        return conditions_group.spares_heartbeats(self._world.observed, self._known(name))

    def ignores_a_hint(self, name: str) -> Condition:
        """From this call on a hint comes to it that somebody has failed, and it does not follow it."""
        return conditions_group.ignores_a_hint(self._world.observed, self._known(name))

    def drops_foreign_messages(self, name: str) -> Condition:
        """Messages of another group have come to it."""
        return conditions_group.drops_foreign_messages(self._known(name))

    def has_started_the_group(self, name: str) -> Condition:
        """The start of a whole group has ended at this master, and nobody was missing."""
        return conditions_group.has_started_the_group(self._known(name))

    def caught(self, fault: Injected) -> Condition:
        """A drop, hold_back or delay has come upon a message, or a fault of datagrams upon one of them."""
        if not isinstance(fault, Injected):
            raise ScriptError(
                "caught takes what drop, hold_back, delay or a verb of datagrams gave when it was awaited, "
                f"not {fault!r}"
            )
        if not self._faults.is_filter(fault.number):
            raise ScriptError(
                f"{fault.verb} catches no messages: only drop, hold_back, delay and the verbs of datagrams do"
            )
        return conditions.caught(fault.number)

    def _two(self, verb: str, who: str, whom: str, why: str = "no node ever suspects itself") -> tuple[str, str]:
        if self._known(who) == self._known(whom):
            raise ScriptError(f"{verb} needs two nodes: {why}")
        return who, whom

    def _three(self, verb: str, master: str, by: str, of: str) -> tuple[str, str, str]:
        if len({self._known(master), self._known(by), self._known(of)}) < 3:
            raise ScriptError(f"{verb} needs three nodes: a master, who reports to it, and whom that one suspects")
        return master, by, of

    def finish(self) -> None:
        """The runner says that the script has ended: what never took effect is told now."""
        self._faults.finish()
