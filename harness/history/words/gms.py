"""The events of a group in words: notifications, leadership, heartbeats, discovery. A part of words.py."""

from __future__ import annotations

from collections.abc import Iterable

from shaketable.harness.history.names import Names
from shaketable.node import events as e
from shaketable.node.events import Event
from shaketable.node.messages import Address


def said_of_groups(event: Event, names: Names) -> str:
    """Without its subject; "" for an event of another family."""
    return _said_of_notifications(event, names) or _said_of_health(event, names) or _said_of_masters(event, names)


def _said_of_notifications(event: Event, names: Names) -> str:
    member, author = names.member, names.author
    match event:
        case e.NotificationPublished(version, _, peer, change, _, to, rejoin):
            of = f" of {member(peer)}" if peer is not None else ""
            how = " (a rejoin)" if rejoin is not None else ""
            return f"publishes notification {version}: {change}{of}{how}, to {to}"
        case e.NotificationTaken(version, by, peer, change, again):
            of = f" of {member(peer)}" if peer is not None else ""
            return f"takes notification {version} of {author(by)}{', sent again' if again else ''}: {change}{of}"
        case e.NotificationIgnored(version, by, peer, reason):
            return f"ignores notification {version} of {author(by)}, sent by {member(peer)} ({reason})"
        case e.NotificationsAsked(version, _, peer, last):
            return f"asks {member(peer)} for its notifications after {version}, up to {last}, again"
        case e.NotificationsLost(version, by, after):
            return f"has lost the notifications of {author(by)} after {after} and before {version}"
        case e.NotificationsResent(peer, sequences):
            return f"sends notifications {', '.join(map(str, sequences))} to {member(peer)} again"
        case e.Signalled(signal, peer, _, _, whole_group, rejoin):
            how = " (with the whole group)" if whole_group else ""
            before = " (a rejoin: its incarnation before vanished unseen)" if rejoin is not None else ""
            return f"tells its application: {signal} of {member(peer)}{how}{before}"
    return ""


def _said_of_health(event: Event, names: Names) -> str:
    member = names.member
    match event:
        case e.HealthAnnouncedToAll(peer, state):
            return f"announces that {member(peer)} is {state}"
        case e.HeartbeatTargets(to, watched):
            return f"sends heartbeats to {_places(to, names)}, and watches {_places(watched, names)}"
        case e.HeartbeatsCounted(periods, sent, spared):
            return f"has sent {sent} heartbeats in {periods} periods{f', and spared {spared}' if spared else ''}"
        case e.ProbeFailed(peer, reason):
            return f"cannot reach {member(peer)} by a probe ({reason})"
        case e.SuspectReported(peer, suspect):
            return f"reports to {member(peer)} that it hears {member(suspect)} no more"
        case e.SuspectReportHeard(peer, suspect):
            return f"is told by {member(peer)} that it hears {member(suspect)} no more"
        case e.HintTaken(peer, failed):
            return f"takes the word of {member(peer)} that {member(failed)} has failed"
        case e.HintIgnored(peer, reason):
            return f"ignores a hint of {member(peer)} ({reason})"
    return ""


def _said_of_masters(event: Event, names: Names) -> str:
    member = names.member
    match event:
        case e.LeadershipTaken(version, reason):
            return f"is master from notification {version} on ({reason})"
        case e.LeadershipYielded(peer, reason):
            return f"gives way to {member(peer)} as the master ({reason})"
        case e.ReadmissionAsked(master, reason):
            whom = member(master) if master is not None else "anybody"
            return f"asks {whom} to be added again ({reason})"
        case e.MastersCollided(peer, stays):
            return f"learns that {member(peer)} is master too: {member(stays)} stays"
        case e.ForeignMessage(peer, reason):
            return f"drops messages of {member(peer)} ({reason})"
        case e.GroupStartBegan(expected):
            return f"begins the start of a whole group: {_places(expected, names)} are expected"
        case e.GroupStartEnded(missing):
            who = f", without {_places(missing, names)}" if missing else ""
            return f"ends the start of a whole group{who}"
    return ""


def _places(addresses: Iterable[Address], names: Names) -> str:
    return ", ".join(map(names.place, addresses)) or "nobody"
