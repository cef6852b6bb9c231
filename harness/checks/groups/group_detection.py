"""Times of suspicion and failure in a group (rulings 5.4), with period P, K missed, probe R and verify V.

In a ring, j dead neighbours in a row take at most j times the time of one.

- If a probe fails, the silence before it lies within the bounds. If a silence goes on, its first probe is judged. None
  is older than the first view with that member.
- No probe lasts longer than its sender's link to the suspect is known to be sound: with a link that is known to be down
  R is 0.
- A silence may be longer if the two were sound for a moment, and a probe before may have been answered
  (answered_probes.py).
- A verification lies between the announced doubt and the announced failure. A doubt that ends otherwise ends in the
  same time. Of a master one more member is asked; if a message of it may still come, it may be probed once more
  (last_words.py).
- Of each crash that nothing else disturbs, three times are judged: when it was missed, when it was told, and when each
  survivor's application heard of it.
- A new master that alone watches the members pings all at once (pings.py).
- A probe that fails although both members were well, and the links between them too, has no cause (without_cause.py).
- A member whose heartbeats come again while it is probed is not missed (heard_meanwhile.py).
- A silence is no older than the watch over that member (watched_since.py).
- A new master says how long a member has been silent, by what the one before heard (handed_silences.py).
- A member that hears that its master is silent tries that itself (reports_heard.py).
- A member that was asleep says how late its round was (sleeps.py).
- In a run without a fault, such as a script's quiet twin, nobody may be suspected, and no times are judged.
- A round that was late (RoundLate) makes a judgement unknown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.bounds.group import GroupBounds
from shaketable.harness.checks.groups.answered_probes import may_be_answered_until
from shaketable.harness.checks.groups.crashes import Crashes
from shaketable.harness.checks.groups.handed_silences import HandedSilences
from shaketable.harness.checks.groups.heard_meanwhile import HeardMeanwhile
from shaketable.harness.checks.groups.last_words import LastWords
from shaketable.harness.checks.groups.own_links import OwnLinks
from shaketable.harness.checks.groups.pings import Pings
from shaketable.harness.checks.groups.reading import FAILURE, NEW_MASTER, repeats, told
from shaketable.harness.checks.groups.reports_heard import ReportsHeard
from shaketable.harness.checks.groups.rest import first_seen
from shaketable.harness.checks.groups.sleeps import Sleeps
from shaketable.harness.checks.groups.watched_since import WatchedSince
from shaketable.harness.checks.groups.without_cause import WithoutCause
from shaketable.harness.checks.result import CheckResult, IfSeen, counted
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    Event,
    HealthAnnouncedToAll,
    HeartbeatTargets,
    HintTaken,
    Leaving,
    MasterFollowed,
    NotificationPublished,
    NotificationTaken,
    ProbeFailed,
    ReadmissionAsked,
    Suspected,
    SuspectReported,
    SuspectReportHeard,
    SuspicionEnded,
    ViewInstalled,
)
from shaketable.node.messages import Address, Member, Uuid

NAME: Final = "group detection"
RULE: Final = (
    "A member is suspected within [KP, (K+1)P + R] of its last heartbeat, in a ring one hop later, and its failure is "
    "announced V to V + R after that. As long as nothing is broken between two members, neither misses the other."
)
NEEDS: Final = (
    HealthAnnouncedToAll,
    HeartbeatTargets,
    MasterFollowed,
    NotificationPublished,
    ProbeFailed,
    Suspected,
    ViewInstalled,
    IfSeen(SuspectReported, (SuspectReportHeard,)),
)


ENDS_OF_DOUBT: Final = (
    HealthAnnouncedToAll,
    HintTaken,
    Leaving,
    MasterFollowed,
    NotificationPublished,
    NotificationTaken,
    ReadmissionAsked,
    SuspicionEnded,
)


def check(history: History, bounds: Bounds) -> CheckResult:
    circumstances = Circumstances(history, bounds)
    if not history.faults:
        _accuse_of_suspicions(circumstances)
    return _Judge(history, circumstances).judged() if circumstances.spans else _quiet(circumstances)


def _quiet(all_: Circumstances) -> CheckResult:
    history = all_.history
    members = sum(any(len(i.view.members) > 1 for i in process.installs) for process in history.processes.values())
    looked_at = f"{counted(members, 'member')} over {rounded(history.end)}, and nothing was broken"
    notes = [f"{counted(all_.excused, 'suspicion')} while rounds were late"] if all_.excused else []
    return all_.findings.result(NAME, RULE, looked_at, members, unknown=bool(all_.excused), notes=notes)


def _accuse_of_suspicions(all_: Circumstances) -> None:
    """As long as nothing is broken, by a fault or from outside."""
    history, until = all_.history, all_.broken_from()
    gone = {record.incarnation: record for record in history.of(Leaving)}
    for record in history.of(Suspected):
        event = record.event
        if record.time >= until or event.peer.uuid in gone:
            continue
        who, whom = history.names.process(record.node, record.incarnation), history.names.member(event.peer)
        late = any(all_.late_between(uuid, 0, record.time) for uuid in (record.incarnation, event.peer.uuid))
        all_.accuse(f"{who} suspects {whom} ({event.reason}), and nothing was broken.", [record], late=late)


class _Judge:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._silences = self._verified = 0
        self._targets = told(history, HeartbeatTargets)
        self._repeats = repeats(history)
        self._links = OwnLinks(history)
        self._last_words = LastWords(circumstances)
        self._seen = first_seen(history)

    def judged(self) -> CheckResult:
        kinds = HeartbeatTargets, MasterFollowed, ProbeFailed, HealthAnnouncedToAll, HintTaken, NotificationPublished
        for records in told(self._history, *kinds, ReadmissionAsked, SuspicionEnded).values():
            self._judge_member(records)
        for records in told(self._history, *ENDS_OF_DOUBT).values():
            self._judge_doubts(records)
        for part in (WithoutCause, HeardMeanwhile, HandedSilences, WatchedSince, ReportsHeard, Pings, Sleeps):
            part(self._history, self._all).judge()
        crashes = Crashes(self._history, self._all)
        notes = crashes.judge()
        excused = self._all.excused
        notes += [f"{counted(excused, 'moment')} out of bounds while rounds were late"] if excused else []
        looked_at = (
            f"{counted(self._silences, 'silence')} before a failed probe, {counted(self._verified, 'verification')}, "
            f"{counted(crashes.judged, 'crash', 'crashes')}"
        )
        count = self._silences + self._verified + crashes.judged
        return self._all.findings.result(NAME, RULE, looked_at, count, unknown=bool(excused), notes=notes)

    def _judge_member(self, records: list[Record]) -> None:
        watched: dict[Address, bool] = {}
        master: Member | None = None
        led = 0
        doubts: dict[Uuid, Record] = {}
        trusted: dict[Uuid, Micros] = {}
        """when a doubt of it ended last, by whose word soever"""
        failed: dict[Uuid, Micros] = {}
        """when a probe of it failed last"""
        former: Uuid = ""
        for record in records:
            match record.event:
                case HeartbeatTargets(_, addresses):
                    watched = dict.fromkeys(addresses, True)
                case MasterFollowed(followed):
                    master = followed
                    led = record.time if followed.uuid == record.incarnation else led
                case ProbeFailed(peer, silence=silence) if silence is not None:
                    goes_on = failed.get(peer.uuid, -1) >= record.time - silence
                    failed[peer.uuid] = record.time
                    if goes_on:
                        continue
                    self._judge_silence(record, peer, silence, watched.get(peer.address, False), master, led)
                case HealthAnnouncedToAll(peer, state):
                    if state == "in doubt":
                        doubts[peer.uuid] = record
                    elif state == "alive":
                        self._judge_end_of_doubt(record, peer, doubts.pop(peer.uuid, None), master, trusted)
                case SuspicionEnded(peer):
                    trusted[peer.uuid] = record.time
                case HintTaken(_, whom):
                    doubts.pop(whom.uuid, None)
                case ReadmissionAsked():
                    doubts = {}
                case NotificationPublished(version, _, peer, change) if peer is not None:
                    if change == NEW_MASTER:
                        former = peer.uuid
                    elif (version, record.incarnation) in self._repeats:
                        doubts.pop(peer.uuid, None)
                    elif change == FAILURE and peer.uuid in doubts:
                        self._judge_verification(record, peer, doubts.pop(peer.uuid), peer.uuid == former)

    def _judge_silence(
        self, record: Record, peer: Member, silence: Micros, watched: bool, master: Member | None, led: Micros
    ) -> None:
        own = self._bounds(record)
        begin = record.time - silence
        if begin < self._seen.get(peer.uuid, begin) - own.allowance:
            said = f"cannot reach {self._history.names.member(peer)} after {rounded(silence)} of silence, and nobody "
            self._accuse(record, peer, begin, f"{said}had it in a view then", [record])
        if not watched and peer != master:
            return  # it was asked for a sign for another reason: a new master asks all
        if led and record.time - led <= own.settings.gms_probe_timeout:
            return  # so was it here
        least, most = own.shortest_suspicion, own.suspicion
        next_round = own.settings.gms_heartbeat_period + own.settings.gms_probe_timeout + own.allowance
        if begin < led and silence >= least and record.time - led <= next_round:
            return  # or its former master had missed it, and told so as it shut down
        if not watched:
            least, most = 2 * least, own.unheard_master
        mine = self._history.address_of(record.node)
        theirs = mine is not None and self._links.came_up(peer.uuid, mine, begin, record.time)
        again = self._links.came_up(record.incarnation, peer.address, begin, record.time)
        # Then a probe before may have been answered, and the next one is a round later, or more of them.
        later = own.settings.gms_heartbeat_period if again else 0
        if watched:
            most = max(most, self._after_an_answer(record, peer, begin, own))
        most = self._with_its_link(record, peer, begin, most, own, later)
        may_be_longer = theirs or self._shifted(record, peer, begin)
        if watched:
            may_be_longer |= not self._sends(peer, record, begin + own.settings.gms_heartbeat_period)
        self._silences += 1
        if silence < least - own.allowance or (silence > most and not may_be_longer):
            said = f"cannot reach {self._history.names.member(peer)} by a probe after {rounded(silence)} of silence"
            self._accuse(
                record, peer, begin, f"{said}: that is not within {rounded(least)} and {rounded(most)}", [record]
            )

    def _after_an_answer(self, record: Record, peer: Member, begin: Micros, own: GroupBounds) -> Micros:
        """How long this silence may be because of a probe before that may have been answered."""
        period, lasts = own.settings.gms_heartbeat_period, own.settings.gms_probe_timeout
        nodes = record.node, self._history.names.place(peer.address)
        # A probe over a link that is down fails at once, or as soon as that is known.
        known = self._links.down_since(record.incarnation, peer.address, record.time) is not None
        began = record.time - (0 if known else lasts)
        answered = may_be_answered_until(self._all, peer.uuid, nodes, begin, began, period + own.allowance)
        return answered - begin + period + lasts + own.allowance if answered is not None else 0

    def _judge_verification(self, record: Record, peer: Member, doubt: Record, was_master: bool) -> None:
        own = self._bounds(record)
        took, least = record.time - doubt.time, own.shortest_verification
        most = self._with_its_link(record, peer, doubt.time, own.verification, own)
        if was_master:
            most += self._asks(peer, doubt, own)
        self._verified += 1
        if not least - own.allowance <= took <= most:
            said = f"announces the failure of {self._history.names.member(peer)} {rounded(took)} after it was in doubt"
            said += f": that is not within {rounded(least)} and {rounded(most)}"
            self._accuse(record, peer, doubt.time, said, [doubt, record])

    def _judge_doubts(self, records: list[Record]) -> None:
        """A member that announces a doubt tells the end of it too, unless it leaves."""
        master: Member | None = None
        for place, record in enumerate(records):
            event = record.event
            if isinstance(event, MasterFollowed):
                master = event.master
            if not isinstance(event, HealthAnnouncedToAll) or event.state != "in doubt":
                continue
            own, process = self._bounds(record), self._history.by_uuid.get(record.incarnation)
            due = record.time + own.verification
            if event.peer == master:
                due += self._asks(event.peer, record, own)
            if master is None or process is None or due > self._history.end:
                continue
            if process.ended is not None and process.ended.time <= due:
                continue
            end = next((each for each in records[place + 1 :] if _ends_a_doubt(each.event, event.peer)), None)
            if end is not None and (end.time <= due or _tells_its_failure(end.event)):
                continue  # how soon its failure follows is judged above
            if self._all.stopped(record.node, record.time, due):
                continue
            late = self._all.late_between(record.incarnation, record.time, due)
            who, whom = self._history.names.process(record.node, record.incarnation), event.peer
            said = f"{who} announces that {self._history.names.member(whom)} is in doubt, and nothing of it"
            self._all.accuse(f"{said} {rounded(due - record.time)} later.", [record], late=late)

    def _judge_end_of_doubt(
        self,
        record: Record,
        peer: Member,
        doubt: Record | None,
        master: Member | None,
        trusted: Mapping[Uuid, Micros],
    ) -> None:
        """Under SWIM a suspect that has not answered in time is dead: later nobody says that it lives. But of its
        master a candidate asks one more member then."""
        own = self._bounds(record)
        if doubt is None or not own.settings.swims:
            return
        ended = trusted.get(peer.uuid, doubt.time)
        took = (ended if ended > doubt.time else record.time) - doubt.time
        most = own.verification
        if peer == master:
            most += self._asks(peer, doubt, own)
        self._verified += 1
        if took > most:
            said = f"announces that {self._history.names.member(peer)} lives {rounded(took)} after it was in doubt: "
            self._accuse(record, peer, doubt.time, f"{said}that is not within {rounded(most)}", [doubt, record])

    def _asks(self, master: Member, doubt: Record, own: GroupBounds) -> Micros:
        """A candidate asks one more member. If a message of the master may have come since the doubt, it is probed once
        more."""
        may_come = self._last_words.may_come(master, doubt.node, doubt.time, own)
        return (2 if may_come else 1) * own.settings.gms_probe_timeout + own.settings.gms_verify_timeout

    def _bounds(self, record: Record) -> GroupBounds:
        return self._all.bounds_of(record.node).group

    def _with_its_link(
        self, record: Record, peer: Member, begin: Micros, most: Micros, own: GroupBounds, later: Micros = 0
    ) -> Micros:
        """A probe that was under way when the link was lost fails then, and one that begins later at once."""
        since = self._links.down_since(record.incarnation, peer.address, record.time)
        if since is None or own.settings.swims:
            return most
        return min(most, max(most - own.settings.gms_probe_timeout, since - begin + later + own.allowance))

    def _sends(self, peer: Member, record: Record, time: Micros) -> bool:
        """Its heartbeats went there at that time: who follows another master by then answers probes, and no more."""
        targets = [each.event for each in self._targets.get(peer.uuid, ()) if each.time <= time]
        last = targets[-1] if targets else None
        return isinstance(last, HeartbeatTargets) and self._history.address_of(record.node) in last.to

    def _shifted(self, record: Record, peer: Member, begin: Micros) -> bool:
        """Something else than a silence lay on one of them: theirs may be longer then, or a clock off."""
        nodes = {record.node, self._history.names.place(peer.address)}
        return any(
            span.kind.lasts
            and not span.kind.silences
            and span.begin <= record.time
            and span.end >= begin
            and not nodes.isdisjoint(span.nodes | {end for link in span.links for end in link.split("->")})
            for span in self._all.spans
        )

    def _accuse(self, record: Record, peer: Member, begin: Micros, said: str, proof: list[Record]) -> None:
        late = self._all.late_between
        excused = late(record.incarnation, begin, record.time) or late(peer.uuid, begin, record.time)
        stopped = self._all.stopped(record.node, begin, record.time)
        who = self._history.names.process(record.node, record.incarnation)
        self._all.accuse(f"{who} {said}.", proof, late=excused or stopped)


def _tells_its_failure(event: Event) -> bool:
    dead = isinstance(event, HealthAnnouncedToAll) and event.state == "dead"
    return dead or isinstance(event, NotificationPublished)


def _ends_a_doubt(event: Event, peer: Member) -> bool:
    """It says what has become of this member, or of the one that doubted it."""
    match event:
        case HealthAnnouncedToAll(whom) | HintTaken(_, whom) | SuspicionEnded(whom):
            return whom == peer
        case NotificationPublished(_, _, about) | NotificationTaken(_, _, about):
            return about is not None and about.address == peer.address
        case _:
            return True
