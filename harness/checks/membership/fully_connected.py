"""No broken link between two members of one list (text 2.5).

The true link graph says what is broken; a slow or sleeping node is not. The check looks at the lists of running
processes in every calm, a time without changes. The settle bound counts from the last disturbance and from when both
have joined. Without a silent link in so long a calm there is nothing to judge.

- Settings do not matter: with the resolution off, figure 5 of the text is a violation.
- A removed member may come back by a merge (rulings 4.8). The run may end before it is removed once more.
- Where the master decides, its decision ends a suspicion that outlives its break (rulings 1.8). A script about it has
  to wait for such a calm.
- A follower that can hear a suspect again ends that without a decision, too (doubts_end.py)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.membership.doubts_end import accuse_of_doubts_that_last
from shaketable.harness.checks.result import CheckResult, Findings, IfSeen, counted
from shaketable.harness.checks.shared.calms import Calm, calms
from shaketable.harness.checks.shared.circumstances import span_of
from shaketable.harness.checks.shared.suspicions import Suspicions
from shaketable.harness.checks.shared.true_links import Link, TrueLinks
from shaketable.harness.history.history import History, Install, Key, Process
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import Merging, Suspected, SuspicionEnded, ViewInstalled
from shaketable.node.messages import Member

NAME: Final = "fully connected"
RULE: Final = (
    "After the settle bound, no two members of one list have a broken link between them, in either direction. Where "
    "the master decides, no member suspects another one of its list either. A follower that suspects another one for "
    "its silence ends that when it can hear it again."
)
NEEDS: Final = (IfSeen(SuspicionEnded, (Suspected,)), ViewInstalled)

Pair = tuple[str, str]
"""of nodes, without direction"""


@dataclass(slots=True)
class Together:
    """Two members of one list, some of whose links are silent."""

    install: Install
    calm: Calm
    links: list[Link]
    holders: list[Process] = field(default_factory=list)


def check(history: History, bounds: Bounds) -> CheckResult:
    findings, links = Findings(history), TrueLinks(history)
    judged: dict[Key, int] = {}
    broken: dict[tuple[Key, Pair], Together] = {}
    pending: dict[tuple[Key, Pair], Together] = {}
    said: set[tuple[str, Pair]] = set()
    too_short = False
    accuse_of_doubts_that_last(history, bounds, findings)
    for calm in calms(history):
        due = calm.begin + bounds.settle()
        if calm.end >= due:
            _accuse_of_doubts(history, findings, calm, bounds)
        if calm.end < due and calm.end < history.end:
            continue
        silent = links.surely_silent(calm.begin, calm.end)
        if not silent:
            continue
        too_short = calm.end < due
        for process, install in _held(history, min(due, calm.end), calm.end):
            if calm.end >= due:
                many = len(install.view.members)
                judged[install.key] = many * (many - 1) // 2
            for pair, apart in _inside(history, install, silent).items():
                both = [m for m in install.view.members if history.names.place(m.address) in pair]
                end = _parted(history, process, install, both)
                long_enough = min(end, calm.end) >= max(calm.begin, _begun(history, both)) + bounds.settle()
                if not long_enough and end < history.end:
                    continue  # they were parted in time
                if (process.uuid, pair) not in said:  # it is said of the first such list that it held
                    said.add((process.uuid, pair))
                    found = broken if long_enough else pending
                    found.setdefault((install.key, pair), Together(install, calm, apart)).holders.append(process)
    # A pair that was parted in time and is together again by a merge has shown what there is to see.
    pending = {at: each for at, each in pending.items() if not _once_parted(history, at[1], each, bounds)}
    for pair, together in ((pair, together) for (_, pair), together in broken.items()):
        _accuse(history, findings, pair, together, bounds)
    looked_at = f"{counted(sum(judged.values()), 'pair')} of members in {counted(len(judged), 'list')}"
    if not judged:
        enough = rounded(bounds.settle())
        looked_at = (
            f"the run ended before {enough} of calm" if too_short else f"no link was silent in a calm of {enough}"
        )
    if pending:
        looked_at += f", {counted(len(pending), 'broken pair')} still pending when the run ended"
    return findings.result(NAME, RULE, looked_at, sum(judged.values()), pending=len(pending))


def _held(history: History, begin: Micros, end: Micros) -> Iterator[tuple[Process, Install]]:
    """The lists that members who ran all this time held in it."""
    stops = [span for facts in history.faults.values() if (span := span_of(facts)).kind.spoils_own_times]
    stopped = {node for span in stops if span.begin <= end and span.end > begin for node in span.nodes}
    for process in history.processes.values():
        if process.ended is not None and process.ended.time < end and not isinstance(process.ended.event, Merging):
            continue
        if process.node in stopped:
            continue  # it cannot know better
        until = [install for install in process.installs if install.record.time <= begin][-1:]
        for install in until + [install for install in process.installs if begin < install.record.time <= end]:
            yield process, install


def _begun(history: History, both: list[Member]) -> Micros:
    """When the younger of these two identities joined: a merge makes one in the middle of a calm."""
    firsts = [
        process.installs[0].record.time for m in both if (process := history.by_uuid.get(m.uuid)) and process.installs
    ]
    return max(firsts, default=0)


def _parted(history: History, process: Process, install: Install, both: list[Member]) -> Micros:
    """When the process's list, which was this one, had not both of them any more, or the process ended."""
    for each in process.installs[process.installs.index(install) :]:
        if not {m.uuid for m in both}.issubset(member.uuid for member in each.view.members):
            return each.record.time
    return process.ended.time if process.ended is not None else history.end


def _once_parted(history: History, pair: Pair, together: Together, bounds: Bounds) -> bool:
    """Whether a holder had both nodes in its list before, and took one of them off in time."""
    begin = together.calm.begin
    for process in together.holders:
        both = [
            set(pair) <= {history.names.place(member.address) for member in install.view.members}
            for install in process.installs
        ]
        for before, after, install in zip(both, both[1:], process.installs[1:], strict=False):
            if before and not after and begin <= install.record.time <= begin + bounds.settle():
                return True
    return False


def _inside(history: History, install: Install, silent: list[Link]) -> dict[Pair, list[Link]]:
    """Of these links those between two members of that list, by pair."""
    nodes = {history.names.place(member.address) for member in install.view.members}
    pairs: dict[Pair, list[Link]] = {}
    for source, target in silent:
        if source in nodes and target in nodes:
            pairs.setdefault(min((source, target), (target, source)), []).append((source, target))
    return pairs


def _accuse(history: History, findings: Findings, pair: Pair, together: Together, bounds: Bounds) -> None:
    view, holders = together.install.view, together.holders
    who = "all of them" if len(holders) == len(view.members) else f"[{' '.join(map(history.name, holders))}]"
    causes = [_cause(history, link, together.calm) for link in together.links]
    since = {cause.time if cause else together.calm.begin: None for cause in causes}
    silent = f"{' and '.join('->'.join(link) for link in together.links)} {'has' if len(causes) == 1 else 'have'}"
    said = (
        f"{' and '.join(pair)} are both in v{view.version} {history.names.members(view.members)}, held by {who}, and "
        f"{silent} been silent since {' and '.join(map(rounded, since))}, for more than {rounded(bounds.settle())} "
        "of calm."
    )
    findings.add(said, dict.fromkeys([together.install.record, *(cause for cause in causes if cause)]))


def _accuse_of_doubts(history: History, findings: Findings, calm: Calm, bounds: Bounds) -> None:
    """Finds each member that has suspected a member of its own list all through the last settle bound of this calm."""
    suspicions: Suspicions | None = None
    begin = calm.end - bounds.settle()
    for process, install in _held(history, calm.end, calm.end):
        if not history.settings_of(process.node, bounds.settings).partial_disconnection_wait:
            continue
        if process.ended is not None and process.ended.time < calm.end:
            continue  # it has gone over to another part of the cluster, as somebody else
        suspicions = suspicions or Suspicions(history)
        for member in install.view.members:
            since = suspicions.since(process.uuid, member.uuid, calm.end)
            if since is not None and since < begin and install.record.time < begin:
                who, whom = history.name(process), history.names.member(member)
                said = f"has suspected {whom}, a member of its list, since {rounded(since)}"
                findings.add(f"{who} {said}, for more than {rounded(bounds.settle())} of calm.", [install.record])


def _cause(history: History, link: Link, calm: Calm) -> Record | None:
    """The first fault that made it so."""
    for facts in history.faults.values():
        asked, took, over = facts.asked.event, facts.took, facts.end_asked or facts.ended
        if not asked.silences or "->".join(link) not in asked.links or took is None:
            continue
        if took.time <= calm.begin and (over is None or over.time >= calm.end):
            return took
    return None
