"""Of the check "best clique": a decision compared with the true graph of links, as far as that can be asked.

It asks two questions.

- Nobody leaves in vain. Some member that stays was cut off from each removed member. That break ended no longer ago
  than the grace and two heartbeat intervals. The master takes that long to learn that a break is over, because a cut
  link has to come up first.
- The members that stay are the best answer to the true graph. The check asks this only if no break ended since T + 2H
  before the first report, and each break was reported or has been there long enough: T + 2H for a silence, the grace
  and H for a cut. (It does not ask when a break began. A silence is reported T to T + 2H after it began, so nothing at
  all would be judged. Rulings 6.6.)

After a break in both directions both sides suspect each other. Neither sends the heartbeat that would end the
suspicion, so the suspicions outlive the break (rulings 1.8). The master still decides, and rightly. A pair counts as
broken for as long as both suspect each other, if a break made the first of them do so.

Neither question is asked if the graph does not show what the members saw: something was slow, asleep, dropped or late.
This does not count if it was over a timeout and two intervals before the oldest suspicion that counts. A clock that was
set always counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from shaketable.harness.checks.clique.decisions import Decided, Pair, pair
from shaketable.harness.checks.clique.fewest_leave import fewest_leave
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.checks.shared.suspicions import Suspicions
from shaketable.harness.checks.shared.true_links import Silence, TrueLinks
from shaketable.harness.history.history import History
from shaketable.harness.records import FabricTrouble
from shaketable.node.core.env import Micros
from shaketable.node.messages import Member


class TrueGraph:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._links = TrueLinks(history)

    @cached_property
    def _suspicions(self) -> Suspicions:
        return Suspicions(self._history)

    def blurred(self, decided: Decided) -> str:
        """Why it does not show what the members saw."""
        names, now = self._history.names, decided.record.time
        begin = self._oldest_suspicion(decided) - self._longest(decided)
        nodes = {names.place(m.address) for m in decided.event.members}
        for number, facts in self._history.faults.items():
            asked = facts.asked.event
            if facts.asked.time > now or not asked.lasts:
                continue
            touched = {*asked.nodes, *(end for link in asked.links for end in link.split("->"))}
            if not facts.kind.everywhere and nodes.isdisjoint(touched):
                continue
            if not facts.kind.sets_clock and facts.ended is not None and facts.ended.time < begin:
                continue
            if not asked.silences:
                return f"the true graph does not show fault {number} ({asked.verb})"
            if facts.without_effect is not None:
                return f"nobody knows what fault {number} ({asked.verb}) did"
        if any(record.time <= now for record in self._history.of(FabricTrouble)):
            return "the links failed by themselves"
        late = [m for m in decided.event.members if self._all.very_late_between(m.uuid, begin, now)]
        return f"heartbeat rounds of {names.members(late)} were very late" if late else ""

    def _oldest_suspicion(self, decided: Decided) -> Micros:
        """Of the pairs that were reported: one that is mutual outlives its cause, and a decision that was dropped."""
        now = decided.record.time
        pairs = [(who.uuid, m.uuid) for who, whom in decided.event.reports for m in whom]
        begins = [self._suspicions.since(*two, now) for one, other in pairs for two in ((one, other), (other, one))]
        return min([decided.first_report, *(begin for begin in begins if begin is not None)])

    def _longest(self, decided: Decided) -> Micros:
        """T + 2H: so late a break may be known to the master."""
        nodes = [self._history.names.place(m.address) for m in decided.event.members]
        return max(self._all.bounds_of(node).silence + self._all.settings_of(node).heartbeat_interval for node in nodes)

    def unclear(self, decided: Decided) -> str:
        """Why the answer to it need not be the master's."""
        names, now, event = self._history.names, decided.record.time, decided.event
        gone = [m for m in event.members if self._ended(m, now)]
        if gone:
            return f"{names.members(gone)} had ended"
        strange = [m for m in decided.stay if any(self._lacks(m, leaver, now) for leaver in event.leave)]
        if strange:
            return f"{names.members(strange)} had a list without {names.members(event.leave)}"
        nodes = [names.place(m.address) for m in event.members]
        longest = self._longest(decided)
        begin = decided.first_report - longest
        reported = {
            frozenset((names.place(r.address), names.place(m.address))) for r, said in event.reports for m in said
        }
        for silence in self._links.among(nodes):
            if silence.asked > now or silence.ended < begin:
                continue
            link = "->".join(silence.link)
            if silence.end_asked <= now:
                return f"the break of {link} ended so late that it may still have been reported"
            if nodes[0] in silence.link:
                return f"{link} was broken, and that is the master's own"
            if frozenset(silence.link) in reported:
                continue
            if now - max(silence.took, self._together(decided, silence)) < self._noticed(decided, silence, longest):
                return f"the break of {link} began so late that it need not have been reported"
        return ""

    def _together(self, decided: Decided, silence: Silence) -> Micros:
        """Since when the two have been in one list, as far as the master knows."""
        place = self._history.names.place
        both = frozenset(m.uuid for m in decided.event.members if place(m.address) in silence.link)
        for install in decided.process.installs:
            if both.issubset(m.uuid for m in install.view.members):
                return install.record.time
        return decided.record.time

    def _noticed(self, decided: Decided, silence: Silence, longest: Micros) -> Micros:
        """How soon its master knows of it: a member whose link never came up waits for it as for a silent one."""
        if not silence.kind.noticed or self._together(decided, silence) > silence.asked:
            return longest
        own = self._all.bounds_of(silence.link[0])
        return own.crash + own.settings.heartbeat_interval

    def in_vain(self, decided: Decided) -> list[Member]:
        """Those who left, and whom all who stay could reach, and who could reach them."""
        now, own = decided.record.time, self._all.bounds_of(decided.process.node)
        begin = now - 2 * own.settings.heartbeat_interval - own.crash
        stale = self._stale(decided, begin)
        return [
            leaver
            for leaver in decided.event.leave
            if not any(
                self._broken(leaver, other, begin, now)
                or pair(leaver.uuid, other.uuid) in stale
                or self._lacks(other, leaver, now)
                for other in decided.stay
            )
        ]

    def _lacks(self, one: Member, other: Member, now: Micros) -> bool:
        """Its own list has no such member, and so it sends it nothing: it missed a list, or has gone its own way."""
        process = self._history.by_uuid.get(one.uuid)
        before = [i for i in process.installs if i.record.time < now] if process is not None else []
        return bool(before) and all(m.uuid != other.uuid for m in before[-1].view.members)

    def _stale(self, decided: Decided, begin: Micros) -> frozenset[Pair]:
        """Pairs that were broken once, by the word of a member that could not take it back: it does not reach its
        master, or suspects it, and then tells it nothing."""
        now, master = decided.record.time, decided.event.members[0]
        stale: set[Pair] = set()
        for reporter, suspected in decided.event.reports:
            if self._suspicions.since(reporter.uuid, master.uuid, now) is None and not any(
                silence.link[1] == decided.process.node and silence.asked <= now and silence.ended >= begin
                for silence in self._between(reporter, master)
            ):
                continue
            stale.update(
                pair(reporter.uuid, other.uuid)
                for other in suspected
                if any(silence.asked <= now for silence in self._between(reporter, other))
            )
        return frozenset(stale)

    def answer(self, decided: Decided) -> tuple[Member, ...]:
        """Of the solver, to the graph at the moment of the decision. May raise TooMuchWork."""
        return fewest_leave(decided.event.members, self.broken(decided), decided.event.replicas)

    def broken(self, decided: Decided) -> set[Pair]:
        """At the moment of the decision, but for what the master said it did not count yet: whether it was right not to
        is judged by its own words."""
        return set(self._pairs(decided.event.members, decided.record.time)) - decided.unsettled

    def _pairs(self, members: Iterable[Member], now: Micros) -> Iterator[Pair]:
        place = {self._history.names.place(m.address): m for m in members}
        for silence in self._links.among(place):
            if silence.took <= now < silence.end_asked:
                source, target = silence.link
                yield pair(place[source].uuid, place[target].uuid)
        for one in members:
            for other in members:
                if one.uuid < other.uuid and self._still(one, other, now):
                    yield one.uuid, other.uuid

    def _broken(self, one: Member, other: Member, begin: Micros, end: Micros) -> bool:
        """At some time between these."""
        if self._ended(one, end) or self._ended(other, end):
            return True
        if any(silence.asked <= end and silence.ended >= begin for silence in self._between(one, other)):
            return True
        return self._still(one, other, begin) or self._still(one, other, end)

    def _still(self, one: Member, other: Member, now: Micros) -> bool:
        """Both suspect each other, and the first to do so did it because of a break."""
        begins = self._suspicions.since(one.uuid, other.uuid, now), self._suspicions.since(other.uuid, one.uuid, now)
        if begins[0] is None or begins[1] is None:
            return False
        first = min(begins[0], begins[1])
        own = self._all.bounds_of(self._history.names.place(one.address))
        slack = own.settings.heartbeat_interval + own.allowance
        return any(silence.asked <= first <= silence.ended + slack for silence in self._between(one, other))

    def _between(self, one: Member, other: Member) -> Iterator[Silence]:
        place = self._history.names.place
        return self._links.between(place(one.address), place(other.address))

    def _ended(self, member: Member, now: Micros) -> bool:
        process = self._history.by_uuid.get(member.uuid)
        if process is None or process.ended is None:
            return False
        return process.ended.time <= now or self._all.dying(process.node, now)
