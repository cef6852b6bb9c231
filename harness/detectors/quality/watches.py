"""Makes of beliefs the times in which a member watched another one, and its mistakes in them. Pure.

A mistake begins when an observer stops to trust a process that runs. It ends when the observer trusts that node again.
A member that others have removed wrongly is started again: such a repair ends no mistake. A newcomer that the observer
has yet to trust is not watched, so that a join is no mistake."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from shaketable.harness.detectors.quality.beliefs import Beliefs, Life, Trust
from shaketable.node.core.env import Micros
from shaketable.node.messages import Uuid


@dataclass(frozen=True, slots=True)
class Mistake:
    begin: Micros
    end: Micros
    begun: bool = True
    """False: it was there before the watch began"""
    ended: bool = True
    """False: the watch ended first"""


@dataclass(frozen=True, slots=True)
class Watch:
    """A time in which the observer and the other node ran, and the observer trusted it or was mistaken."""

    begin: Micros
    end: Micros
    mistakes: Sequence[Mistake] = ()

    def within(self, begin: Micros, end: Micros) -> Watch | None:
        """What falls into this time."""
        if self.end <= begin or self.begin >= end:
            return None
        cut = [
            Mistake(
                max(each.begin, begin),
                min(each.end, end),
                begun=each.begun and each.begin >= begin,
                ended=each.ended and each.end <= end,
            )
            for each in self.mistakes
            if each.end > begin and each.begin < end
        ]
        return Watch(max(self.begin, begin), min(self.end, end), cut)


def watches(known: Beliefs, repaired: Collection[Uuid], ill: Collection[str] = ()) -> Iterator[Watch]:
    """Of all pairs, but for what is thought of these nodes. `repaired`: processes that were ended to start a wrongly
    removed node again."""
    uptimes = _uptimes(known, repaired)
    for observer, own in known.lives.items():
        for uptime in uptimes:
            if known.lives[uptime[0]].name not in (own.name, *ill):
                yield from _of_pair(known, observer, own, uptime)


def _uptimes(known: Beliefs, repaired: Collection[Uuid]) -> list[list[Uuid]]:
    """The processes of each node, one after the other; together those that follow by a repair."""
    found: list[list[Uuid]] = []
    last: dict[str, Uuid] = {}
    by_last: dict[Uuid, list[Uuid]] = {}
    for uuid, life in known.lives.items():
        before = last.get(life.name)
        if before is not None and before in repaired:
            uptime = by_last.pop(before)
            uptime.append(uuid)
        else:
            uptime = [uuid]
            found.append(uptime)
        last[life.name], by_last[uuid] = uuid, uptime
    return found


def _of_pair(known: Beliefs, observer: Uuid, own: Life, uptime: Sequence[Uuid]) -> Iterator[Watch]:
    """A gap between two times of trust is a mistake, if the observer itself made it."""
    end = min(own.end, known.lives[uptime[-1]].end)
    begin: Micros | None = None
    doubted: Micros | None = None
    broke: Micros = 0
    mistakes: list[Mistake] = []
    for uuid in uptime:
        life = known.lives[uuid]
        for trust in known.trusts.get((observer, uuid), ()):
            if trust.begin >= min(life.end, end):
                break
            if begin is not None and doubted is not None:
                mistakes.append(Mistake(doubted, trust.begin))
            elif begin is not None:  # it was started again, and this observer had trusted it until then
                yield Watch(begin, broke, mistakes)
                begin, mistakes = None, []
            if begin is None:
                begin = trust.begin
            doubted, broke = _stopped(trust, life, end)
    if begin is None:
        return
    if doubted is not None:
        mistakes.append(Mistake(doubted, end, ended=False))
        broke = end
    yield Watch(begin, broke, mistakes)


def _stopped(trust: Trust, life: Life, end: Micros) -> tuple[Micros | None, Micros]:
    """When the observer stopped to trust it by its own will, and when it did so by whatever end."""
    over = min(life.end, end)
    if trust.end is None or trust.end >= over:
        return None, over
    return trust.end, trust.end
