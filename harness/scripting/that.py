"""What a script can wait for, or say must always hold: `cluster.that` has a condition for each.

Names of nodes and numbers are looked at when a condition is made, so that a mistake is told at its line."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.harness.conditions import cluster as conditions
from shaketable.harness.conditions import data as conditions_data
from shaketable.harness.conditions import group as conditions_group
from shaketable.harness.conditions import merging as conditions_merging
from shaketable.harness.conditions.cluster import Condition
from shaketable.harness.errors import ScriptError
from shaketable.harness.scripting.fault_book import FaultBook, Injected
from shaketable.harness.scripting.verbs.base import all_known_in, known_in, partition_in, whole
from shaketable.harness.scripting.world import World
from shaketable.node.config import Settings
from shaketable.node.messages import MOST_REPLICAS

NO_LINK = "no node has a link to itself"
NO_MERGE = "no node merges into itself"


class That:
    def __init__(self, world: World, faults: FaultBook, settings: Settings, formed: Sequence[str]) -> None:
        self._world = world
        self._faults = faults
        self._settings = settings
        self._formed = formed

    def agree(self, *names: str) -> Condition:
        """Each of these nodes has a list of exactly these members, all in one order and version."""
        if not names:
            raise ScriptError("agree needs at least one name: that nobody agrees is always so")
        known = self._all_known(names)
        twice = next((name for name in known if known.count(name) > 1), None)
        if twice is not None:
            raise ScriptError(f"agree was given {twice} twice: name each node once")
        return conditions.agree(known)

    def has_list(self, name: str, *, version: int, members: Sequence[str]) -> Condition:
        """This node's list has exactly this version, and exactly these members in this order."""
        return conditions.holds(self._known(name), whole(version, "a version", least=1), self._all_known(members))

    def ignores(self, name: str, *, version: int) -> Condition:
        """From this call on, a list of this version comes to this node, and it does not apply it."""
        return conditions.ignores(self._world.observed, self._known(name), whole(version, "a version", least=1))

    def disobeys(self, who: str, whom: str) -> Condition:
        """From this call on, an explicit suspicion from `whom` comes to `who`, which does not obey it."""
        return conditions.disobeys(self._world.observed, self._known(who), self._known(whom))

    def claims(self, name: str) -> Condition:
        """It is in the middle of a mastership claim."""
        return conditions.claims(self._known(name))

    def settled(self) -> Condition:
        """Every awake member has its master's list, of awake members only, which all hold it. No claim is open. If a
        cluster came apart, each part has settled."""
        return conditions.settled()

    def suspects(self, who: str, whom: str) -> Condition:
        """It suspects it, or did until it took it off its list: a master does both in one step."""
        return conditions.suspects(*self._two("suspects", who, whom))

    def trusts(self, who: str, whom: str) -> Condition:
        """It does not suspect it, and did not until it took it off its list. A node that has ended suspects nobody."""
        return conditions.trusts(*self._two("trusts", who, whom))

    def is_told(self, master: str, *, by: str, of: str) -> Condition:
        """The follower `by` has told this master that it suspects `of`, and the master has not decided between the two
        yet."""
        return conditions.is_told(*self._three("is_told", master, by, of))

    def is_not_told(self, master: str, *, by: str, of: str) -> Condition:
        """It has not been told so, or the follower took that back, or the master has decided."""
        return conditions.is_not_told(*self._three("is_not_told", master, by, of))

    def has_resolved(self, name: str, *, times: int = 1) -> Condition:
        """This node, as the master, has decided exactly `times` times which members stay, for reports of its
        followers."""
        return conditions.has_resolved(self._known(name), whole(times, "the number of decisions"))

    def has_not_resolved(self, name: str, *, times: int = 1) -> Condition:
        """Exactly `times` times it had to decide and removed nobody: it took too long, or things had changed."""
        return conditions.has_not_resolved(self._known(name), whole(times, "the number of decisions"))

    def follows(self, who: str, whom: str) -> Condition:
        """Its master is the other one."""
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
        """All awake nodes have settled in one list."""
        return conditions_merging.one_cluster()

    def merging(self, name: str) -> Condition:
        """It is on its way to another part of the cluster, and has not arrived."""
        return conditions_merging.merging(self._known(name))

    def merged(self, name: str, *, times: int = 1) -> Condition:
        """It has come over to another part exactly `times` times since its process began."""
        return conditions_merging.merged(self._known(name), whole(times, "the number of merges"))

    def has_merged_into(self, who: str, whom: str) -> Condition:
        """Its present identity came over to the cluster of `whom`, whose identity is still the same."""
        return conditions_merging.has_merged_into(*self._two("has_merged_into", who, whom, NO_MERGE))

    def has_searched(self, name: str) -> Condition:
        """After this call, a search of this master for other parts ends."""
        return conditions_merging.searches(self._world.observed, self._known(name))

    def puts_off(self, name: str) -> Condition:
        """After this call, this master is to go over to another part, and cannot just then."""
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
        """This member has told its application this signal (such as "FAILURE") exactly `times` times since its process
        began."""
        if signal not in conditions_group.SIGNALS:
            raise ScriptError(f"there is no signal {signal!r}; there are {', '.join(conditions_group.SIGNALS)}")
        whom = None if of is None else self._known(of)
        often = whole(times, "the number of signals")
        return conditions_group.is_signalled(self._known(name), signal, whom, often, whole_group, rejoin)

    def takes_again(self, name: str, *, times: int) -> Condition:
        """From this call on, it takes at least `times` notifications that its master had to send again."""
        often = whole(times, "the number of notifications", least=1)
        return conditions_group.takes_again(self._world.observed, self._known(name), often)

    def watches(self, who: str, whom: str) -> Condition:
        """This member of a group gets the other one's heartbeats, and would notice if they stopped."""
        return conditions_group.watches(*self._two("watches", who, whom, "no node watches itself"))

    def spares_heartbeats(self, name: str) -> Condition:
        """From this call on, it counts periods in which other messages replaced every heartbeat."""
        return conditions_group.spares_heartbeats(self._world.observed, self._known(name))

    def ignores_a_hint(self, name: str) -> Condition:
        """From this call on, it gets a hint that some member has failed, and does not follow it."""
        return conditions_group.ignores_a_hint(self._world.observed, self._known(name))

    def drops_foreign_messages(self, name: str) -> Condition:
        """It has got messages of another group."""
        return conditions_group.drops_foreign_messages(self._known(name))

    def has_started_the_group(self, name: str) -> Condition:
        """The start of a whole group has ended at this master, and no member was missing."""
        return conditions_group.has_started_the_group(self._known(name))

    def caught(self, fault: Injected) -> Condition:
        """A drop, hold_back or delay has hit a message, or a fault of datagrams has hit a datagram."""
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

    def is_safe(self) -> Condition:
        """All have settled, and every awake member says that all is in place and has its master's table. It holds only
        once data are in use."""
        return conditions_data.safe()

    def has_table(self, name: str, version: int | None = None) -> Condition:
        """It has a table of exactly this version. None: of any version."""
        return conditions_data.has_table(
            self._known(name), None if version is None else whole(version, "a version of a table", least=1)
        )

    def searches(self, name: str) -> Condition:
        """It is a new master and looks for the most recent table."""
        return conditions_data.searches(self._known(name))

    def migrates(self, partition: int | None = None) -> Condition:
        """A migration of this partition, or of any, is under way, as its master has told."""
        return conditions_data.migrates(None if partition is None else self._partition(partition))

    def no_migrations(self) -> Condition:
        """No migration is under way or in a master's queue. The master may not have planned yet."""
        return conditions_data.no_migrations()

    def has_replica(self, name: str, partition: int, index: int) -> Condition:
        """It has this replica, by the master's table. Index 0 is the owner."""
        if whole(index, "the index of a replica") >= MOST_REPLICAS:
            raise ScriptError(f"the index of a replica is at most {MOST_REPLICAS - 1}, not {index}")
        return conditions_data.holds_replica(self._known(name), self._partition(partition), index)

    def owns(self, name: str, partition: int) -> Condition:
        """It holds replica 0, by the master's table."""
        return self.has_replica(name, partition, 0)

    def is_lost(self, partition: int) -> Condition:
        """Its master has told, at some time of the run, that all its replicas are gone."""
        return conditions_data.lost(self._partition(partition))

    def _two(self, verb: str, who: str, whom: str, why: str = "no node ever suspects itself") -> tuple[str, str]:
        if self._known(who) == self._known(whom):
            raise ScriptError(f"{verb} needs two nodes: {why}")
        return who, whom

    def _three(self, verb: str, master: str, by: str, of: str) -> tuple[str, str, str]:
        if len({self._known(master), self._known(by), self._known(of)}) < 3:
            raise ScriptError(f"{verb} needs three nodes: a master, who reports to it, and whom that one suspects")
        return master, by, of

    def _known(self, name: str) -> str:
        return known_in(self._formed, name)

    def _all_known(self, names: Sequence[str]) -> list[str]:
        return all_known_in(self._formed, names)

    def _partition(self, number: int) -> int:
        return partition_in(self._settings, number)
