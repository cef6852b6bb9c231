"""One authority for a list.

Versions count where they are published and where they are installed. Two masters with overlapping lists occur in every
split and every change of the master: they are noted, and a violation only if they outlast the settle bound."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Final, NamedTuple

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.result import CheckResult, Findings, counted
from shaketable.harness.history.history import History, Install, Process, Publish
from shaketable.harness.history.words.cluster import rounded
from shaketable.node.core.env import Micros
from shaketable.node.events import MasterFollowed, ViewInstalled
from shaketable.node.messages import Uuid

NAME: Final = "single authority"
RULE: Final = (
    "A member that publishes a list is its author and first member and holds itself to be master, and its versions "
    "never fall. A process installs strictly growing versions, only from the master that it follows."
)
NEEDS: Final = (MasterFollowed, ViewInstalled)
MOST_NOTES: Final = 10


def check(history: History, bounds: Bounds) -> CheckResult:
    findings = Findings(history)
    installs = publishes = 0
    for process in history.processes.values():
        installs += len(process.installs)
        publishes += len(process.publishes)
        _publishes(history, process, findings)
        _installs(history, process, findings)
    notes = _overlapping_masters(history, bounds, findings)
    looked_at = f"{counted(publishes, 'published list')} and {counted(installs, 'install')}"
    return findings.result(NAME, RULE, looked_at, publishes + installs, notes=notes)


def _publishes(history: History, process: Process, findings: Findings) -> None:
    names, me = history.names, process.uuid
    for record, view, _, following in process.publishes:
        right = view.author == me and view.members[:1] == (process.member,) and following == process.member
        if right:
            continue
        said = f"{history.name(process)} publishes v{view.version}"
        if view.author != me:
            findings.add(f"{said}, of which {names.author(view.author)} is the author.", [record])
        if not view.members or view.members[0].uuid != me:
            findings.add(f"{said} {names.members(view.members)}, of which it is not the first member.", [record])
        if following is None or following.uuid != me:
            whom = "nobody" if following is None else names.member(following)
            findings.add(f"{said} while it follows {whom}.", [record])
    if process.publishes:
        _falls(history, process, findings)


def _falls(history: History, process: Process, findings: Findings) -> None:
    """What it made, published or installed, in its own order; two installs are compared with all others below."""
    made: list[Install | Publish] = [*process.installs, *process.publishes]
    mine = sorted((each for each in made if each.key[1] == process.uuid), key=lambda each: each.record.sequence)
    for before, after in pairwise(mine):
        if after.view.version < before.view.version and Publish in (type(before), type(after)):
            does = "publishes" if isinstance(after, Publish) else "installs"
            did = "publishing" if isinstance(before, Publish) else "installing"
            said = (
                f"{history.name(process)} {does} v{after.view.version} of its own after {did} v{before.view.version}."
            )
            findings.add(said, [before.record, after.record])


def _installs(history: History, process: Process, findings: Findings) -> None:
    names = history.names
    for record, view, _, following in process.installs:
        if view.author != following.uuid:
            said = (
                f"{history.name(process)} installs v{view.version} by {names.author(view.author)} "
                f"while it follows {names.member(following)}."
            )
            findings.add(said, [record])
    for before, after in pairwise(process.installs):
        if after.view.version <= before.view.version:
            said = f"{history.name(process)} installs v{after.view.version} after v{before.view.version}."
            findings.add(said, [before.record, after.record])


class Reign(NamedTuple):
    """One list of a master, for as long as it held it."""

    begin: Micros
    end: Micros
    members: frozenset[Uuid]


def _overlapping_masters(history: History, bounds: Bounds, findings: Findings) -> list[str]:
    notes: list[str] = []
    reigns = [(process, list(_reigns(history, process))) for process in history.processes.values()]
    for (one, hers), (other, his) in combinations([each for each in reigns if each[1]], 2):
        for begin, end in _overlaps(hers, his):
            both = f"{history.name(one)} and {history.name(other)} are both masters, and their lists overlap"
            notes.append(f"{both}, from {rounded(begin)} to {rounded(end)}")
            able = all(history.executing(process) for process in (one, other))
            if able and end - max(begin, history.calm) > bounds.settle():
                proof = [process.installs[-1].record for process in (one, other)]
                findings.add(f"{both}, for more than {rounded(bounds.settle())} of calm.", proof)
    more = len(notes) - MOST_NOTES
    return notes if more <= 0 else [*notes[:MOST_NOTES], f"{counted(more, 'more pair')} of masters with such lists"]


def _reigns(history: History, process: Process) -> Iterator[Reign]:
    for position, install in enumerate(process.installs):
        if install.view.author != process.uuid:
            continue
        begin = install.record.time
        ends = [time for time, master in process.follows if time > begin and master.uuid != process.uuid][:1]
        ends += [later.record.time for later in process.installs[position + 1 : position + 2]]
        ends += [process.ended.time] if process.ended is not None else []
        end = min(ends, default=history.end)
        if begin < end:
            yield Reign(begin, end, frozenset(member.uuid for member in install.view.members))


def _overlaps(hers: list[Reign], his: list[Reign]) -> list[tuple[Micros, Micros]]:
    """Both in order of time; what follows upon itself is one."""
    spans: list[tuple[Micros, Micros]] = []
    at = to = 0
    while at < len(hers) and to < len(his):
        one, other = hers[at], his[to]
        begin, end = max(one.begin, other.begin), min(one.end, other.end)
        if begin < end and not one.members.isdisjoint(other.members):
            if spans and spans[-1][1] == begin:
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((begin, end))
        if one.end <= other.end:
            at += 1
        else:
            to += 1
    return spans
