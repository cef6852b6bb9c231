"""Of the check "best clique": what a decision says of itself, compared with what its master was told, with the answer
of an independent solver, and with the one new list that has to come of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from shaketable.harness.checks.clique.decisions import Decided, Pair, Told, broken_in, pair, pairs_of
from shaketable.harness.checks.clique.fewest_leave import fewest_leave
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.config import Settings
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.messages import Member, Uuid

STEP: Final[Micros] = SECOND
"""what the run breaks off so soon after a decision may not have been told yet: one step is not one moment"""
STABLE: Final = 3
"""so many waits is what a pair has to be broken to be decided, whatever else is news"""

Wrong = tuple[str, list[Record]]
"""A sentence without its subject, and the records that prove it beside the decision itself."""


def wrong_with(history: History, decided: Decided, settings: Settings) -> Iterator[Wrong]:
    """May raise TooMuchWork."""
    wrong = [*_reports(history, decided), *_as_told(history, decided)]
    if not _clock_was_set(history, decided):
        wrong += [*_too_early(history, decided, settings), *_too_soon_after_news(history, decided, settings)]
    yield from wrong
    if _can_be_answered(decided):
        yield from _answer(history, decided)
    if decided.event.leave:
        yield from _one_list(history, decided)


def _can_be_answered(decided: Decided) -> bool:
    """Whether the question that the decision tells of makes sense: all are members, and the replicas fit them."""
    event = decided.event
    members = {m.uuid for m in event.members}
    reported = (member.uuid for who, whom in event.reports for member in (who, *whom))
    return members.issuperset(reported) and len(event.replicas) in (0, len(members))


def counted_pairs(decided: Decided) -> frozenset[Pair]:
    reported = pairs_of((who.uuid, [m.uuid for m in whom]) for who, whom in decided.event.reports)
    return reported - decided.unsettled


def _clock_was_set(history: History, decided: Decided) -> bool:
    """Then it has waited by another measure than ours."""
    master = decided.process.node
    clocks = (facts for facts in history.faults.values() if facts.kind.sets_clock)
    return any(master in facts.nodes and facts.asked.time <= decided.record.time for facts in clocks)


def _too_early(history: History, decided: Decided, settings: Settings) -> Iterator[Wrong]:
    """A pair that counts has been broken for the whole wait, and one that does not count has not."""
    names, wait, slack = history.names, settings.partial_disconnection_wait, settings.heartbeat_interval
    began, now = decided.began, decided.record.time
    uuids = {m.uuid: m for m in decided.event.members}
    for one, other in sorted(decided.lately_sound(counted_pairs(decided), since=now - wait + slack, until=began)):
        if one in uuids and other in uuids:
            who = names.members((uuids[one], uuids[other]))
            yield f"decides about {who} sooner than {rounded(wait)} after it was told that they are cut off", []
    sound = decided.lately_sound(decided.unsettled, since=began - wait - slack, until=now)
    for first, second in decided.event.unsettled:
        if pair(first.uuid, second.uuid) not in sound:
            who = names.members((first, second))
            yield f"leaves {who} out, of whom it was told {rounded(wait)} ago that they are cut off", []


def _too_soon_after_news(history: History, decided: Decided, settings: Settings) -> Iterator[Wrong]:
    """A report that is taken back is news, and it waits again; not while a pair has been broken for three waits."""
    wait, slack, now = settings.partial_disconnection_wait, settings.heartbeat_interval, decided.record.time
    news = [state.begin for state in decided.states if state.taken_back and state.begin <= decided.began]
    pairs = counted_pairs(decided)
    if not news or now - news[-1] >= wait - slack:
        return
    if pairs == decided.lately_sound(pairs, since=now - STABLE * wait + slack, until=decided.began):
        yield f"decides {rounded(now - news[-1])} after something was taken back, not {rounded(wait)}", []


def _reports(history: History, decided: Decided) -> Iterator[Wrong]:
    names, event = history.names, decided.event
    members = {m.uuid for m in event.members}
    if event.members[:1] != (decided.process.member,):
        yield f"decides about {names.members(event.members)}, of which it is not the first", []
    for who, whom in event.reports:
        for member in (who, *whom):
            if member.uuid not in members:
                yield f"decides by a report of {names.member(who)} with {names.member(member)} in it, no member", []
            elif member.uuid == decided.process.uuid:
                yield f"decides by a report of {names.member(who)} in which it is itself", []
        if who in whom:
            yield f"decides by a report of {names.member(who)} against itself", []
        if not whom:
            yield f"decides by a report of {names.member(who)}, which names nobody", []
    if event.replicas and len(event.replicas) != len(event.members):
        yield f"tells the replicas of {len(event.replicas)} members, and there are {len(event.members)}", []


def _as_told(history: History, decided: Decided) -> Iterator[Wrong]:
    """It goes by what it was told, by all of it, and by nothing that was taken back."""
    says: dict[Uuid, frozenset[Uuid]] = {
        who.uuid: frozenset(m.uuid for m in whom) for who, whom in decided.event.reports
    }
    if any(says == _whom(told) for told in decided.known()):
        yield from _taken_back(history, decided)
        return
    now = decided.now
    member = {m.uuid: m for m in decided.event.members}
    for uuid in dict.fromkeys((*says, *now)):
        told = now[uuid][1] if uuid in now else frozenset()
        if says.get(uuid, frozenset()) != told:
            who = history.names.member(member[uuid]) if uuid in member else f"#{uuid[:4]}"
            used, knew = _those(history, decided, says.get(uuid, frozenset())), _those(history, decided, told)
            proof = [now[uuid][0]] if uuid in now else []
            yield f"decides as if {who} suspected {used}, and was told by it: {knew}", proof


def _taken_back(history: History, decided: Decided) -> Iterator[Wrong]:
    """While it searched: a pair that is no longer broken makes the decision void."""
    taken_back = counted_pairs(decided) - broken_in(decided.now)
    for who, whom in decided.event.reports:
        for member in whom:
            if pair(who.uuid, member.uuid) in taken_back:
                pair_ = f"{history.names.member(who)} and {history.names.member(member)}"
                yield f"decides that {pair_} cannot hear each other, which was taken back", []


def _whom(told: Told) -> dict[Uuid, frozenset[Uuid]]:
    return {who: whom for who, (_, whom) in told.items()}


def _those(history: History, decided: Decided, uuids: frozenset[Uuid]) -> str:
    return history.names.members(m for m in decided.event.members if m.uuid in uuids) if uuids else "nobody"


def _answer(history: History, decided: Decided) -> Iterator[Wrong]:
    names, event = history.names, decided.event
    if not event.leave:
        yield "decides that nobody leaves", []
        return
    answer = fewest_leave(event.members, counted_pairs(decided), event.replicas)
    if not is_best(history, decided, answer, counted_pairs(decided)):
        leave, right = names.members(event.leave), names.members(answer)
        by = "its reports and the replicas they hold" if event.replicas else "its reports"
        yield f"decides that {leave} leave {names.members(event.members)}, and by {by} it is {right}", []


def is_best(history: History, decided: Decided, answer: Sequence[Member], broken: Iterable[Pair]) -> bool:
    """`answer`: who has to leave of these broken pairs. Where any of the best will do it has only to be as good."""
    leave = decided.event.leave
    if not history.system.any_best or len(leave) != len(answer):
        return leave == tuple(answer)
    stay = {member.uuid for member in decided.stay}
    return not any(one in stay and other in stay for one, other in broken)


def _one_list(history: History, decided: Decided) -> Iterator[Wrong]:
    """All removals are one new list, whose version rises by their number; a list may have come while it searched. Of a
    system that removes one by one it is the last of as many lists."""
    names, event, process = history.names, decided.event, decided.process
    place = decided.record.sequence
    before = [install for install in process.installs if install.record.sequence < place]
    after = [install for install in process.installs if install.record.sequence > place]
    if not any(i.view.version == event.version and i.view.members == event.members for i in before):
        yield f"decides about v{event.version} {names.members(event.members)}, which it never held", []
        return
    if not after:
        if process.alive and history.end > decided.record.time + STEP:
            yield f"decides that {names.members(event.leave)} leave, and no new list comes of it", []
        return
    held = before[-1].view
    stay = tuple(m for m in held.members if m not in event.leave)
    gone = len(held.members) - len(stay)
    if history.system.one_by_one:
        if len(after) < gone and history.end <= decided.record.time + STEP:
            return
        after = after[max(0, min(gone, len(after)) - 1) :]
        place = after[0].record.sequence
    new = after[0].view
    if new.members != stay or new.version != held.version + gone or new.author != process.uuid:
        said = (
            f"decides that {names.members(event.leave)} leave v{held.version}, and the next list is v{new.version} "
            f"{names.members(new.members)} by {names.author(new.author)} instead of v{held.version + gone} "
            f"{names.members(stay)}"
        )
        yield said, [before[-1].record, after[0].record]
        return
    told = [p for p in process.publishes if p.record.sequence > place][:1]
    if told and told[0].key != after[0].key:
        yield (
            f"decides that {names.members(event.leave)} leave, and the next list it publishes is another",
            [
                after[0].record,
                told[0].record,
            ],
        )
