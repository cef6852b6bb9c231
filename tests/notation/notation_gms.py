"""What the members of a group do, in the notation of the stories.

all have gms_detection = ring with inferred    the run's settings
n1 leads from 1 [n1]                    it follows itself, publishes 1: master change, and takes it; `after n0`: who was
                                        master and is dead; `after n0, which shuts down,`; `, as nobody answers,`;
                                        `, with nobody to ask,`
n1 tells 2: add of n2 [n1 n2]           it publishes, and takes it itself; the view has the master first
n1 tells 5: add of n2' [n1 n2'] (rejoin)    and so JOINED_AND_READY: `joined and ready of n2' [n1 n2'] (rejoin)`
n1 publishes 2: add of n2 [n1 n2]       and no more; `by n3`: in another one's name; `to 3`: says that so many are told
n2 n3 take 2 of n1                      they follow n1 from now on if they did not, install its view if it is another
                                        one, and tell their applications; `take 2 of n1 again`: it was sent again
n2 takes 2 of n1 in silence             it takes it, and no more
n2 takes 2 of n1 as failure of n3       in silence, too
n2 signals FAILURE of n3 by 4 of n1     its application is told; `(rejoin)`; `by none` (of no notification)
n2 has lost those of n1 after 3 before 7
n2 wants those of n1 after 3 up to 5    it has heard of 5
n1 sends n2 again 4 5
n2 asks to be added again               it follows nobody any more
n1 announces that n3 is in doubt        also: alive, dead, stopping
n2 cannot probe n3 after 9s             `after 9s` of silence
n2 reports n3 to n1 · n1 hears of n2 that n3 is silent
n1 believes n9 that n3 has failed       a watchdog's hint
n1 counts 12 heartbeats in 3 periods    `, 2 spared`
n2 sends to n1 n3, and watches n1       its heartbeats; `nobody`
n1 knows that n2 leads too: n1 stays · n2 gives way to n1
n1 begins the start of n2 n3            of a whole group; `ends the start without n3`, `without nobody`
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import msgspec
from tests.notation.notation_names import member, members
from tests.reasons import reason_in

from shaketable.harness import records as h
from shaketable.node import events as e
from shaketable.node.config import DEFAULT
from shaketable.node.core.env import SECOND
from shaketable.node.messages import Change
from shaketable.node.why import Why, because

if TYPE_CHECKING:
    from tests.notation.notation import Writer

_STARTED: Final = 7
"""when an incarnation began that vanished unseen: any time will do"""
_SIGNALS: Final[dict[Change, str]] = {
    "add": "JOIN",
    "joined and ready": "JOINED_AND_READY",
    "failure": "FAILURE",
    "planned shutdown": "PLANNED_SHUTDOWN",
    "master change": "GROUP_LEADERSHIP",
}
_WHAT: Final = r"(add|joined and ready|failure|planned shutdown|master change)(?: of (\S+))?"

_FOUNDS: Final = "(, as nobody answers,|, with nobody to ask,)?"


class Groups:
    """What each notification says, so that who takes it need not repeat it; and who holds which view."""

    def __init__(self) -> None:
        self.said: dict[tuple[str, int], tuple[Change, str | None, str, bool]] = {}
        self.holds: dict[str, tuple[str, ...]] = {}
        self.listed: dict[str, str] = {}
        """what each has published last"""
        self.not_core: dict[str, bool] = {}


def _lead(
    w: Writer, who: str, first: str, former: str | None, goes: str | None, founds: str | None, listed: str
) -> None:
    w.start(who)
    founding = Why.NOBODY_TO_ASK if founds and "ask" in founds else Why.NO_MASTER_ANSWERED
    why = Why.MASTER_SHUTS_DOWN if goes else Why.MASTER_DEAD if former else founding
    w.tell(who, e.LeadershipTaken(int(first), *(because(why) if former or founds else reason_in("said so"))))
    w.follow(who, who)
    _tell(w, who, first, "master change", former, listed, None)


def _publish(
    w: Writer,
    who: str,
    number: str,
    change: Change,
    about: str | None,
    listed: str,
    anew: str | None,
    by: str | None,
    told: str | None,
) -> None:
    w.start(who)
    w.groups.said[who, int(number)] = change, about, listed, bool(anew)
    peer, view = member(about) if about else None, members(listed)
    before = "" if change == "master change" else w.groups.listed.get(who, "")
    addresses = {each.address for each in (*members(before), *view)}
    to = int(told) if told else len(addresses - {member(who).address})
    w.groups.listed[who] = listed
    w.tell(who, e.NotificationPublished(int(number), member(by or who).uuid, peer, change, view, to))


def _tell(w: Writer, who: str, number: str, change: Change, about: str | None, listed: str, anew: str | None) -> None:
    _publish(w, who, number, change, about, listed, anew, None, None)
    _take_one(w, who, int(number), who, again=False)


def _take(w: Writer, who: str, number: str, author: str, again: str | None) -> None:
    for name in who.split():
        _take_one(w, name, int(number), author, again=bool(again))


def _take_one(w: Writer, who: str, number: int, author: str, *, again: bool) -> None:
    w.start(who)
    change, about, listed, rejoin = w.groups.said[author, number]
    if not w.follows(who, author):
        w.follow(who, author)
    key = number, member(author).uuid
    w.tell(who, e.NotificationTaken(*key, member(about) if about else None, change, again))
    view = tuple(listed.split())
    joins = who not in w.groups.holds
    if w.groups.holds.get(who) != view or change == "master change":
        w.groups.holds[who] = view
        w.tell(who, e.ViewInstalled(*key, member(author), members(listed), *reason_in(change)))
    peer = author if change == "master change" else about
    if peer is not None and not (change in ("add", "joined and ready") and peer.rstrip("'") in w.groups.not_core):
        w.tell(who, e.Signalled(_SIGNALS[change], member(peer), *key, rejoin=_STARTED if rejoin else None))
    if joins:
        w.tell(who, e.Joined(author == who, *reason_in(change)))


def _take_silently(w: Writer, who: str, number: str, author: str, change: Change | None, about: str | None) -> None:
    if change is None:
        change, about, _, _ = w.groups.said[author, int(number)]
    peer = member(about) if about else None
    w.tell(who, e.NotificationTaken(int(number), member(author).uuid, peer, change, False))


def _look_again(w: Writer, who: str) -> None:
    w.leave_master(who)
    w.groups.holds.pop(who, None)
    w.tell(who, e.ReadmissionAsked(None, *reason_in("its view lacks me")))


def _signal(
    w: Writer, who: str, signal: str, peer: str, number: str | None, author: str | None, anew: str | None
) -> None:
    key = (int(number), member(author).uuid) if number and author else (0, "")
    w.tell(who, e.Signalled(signal, member(peer), *key, rejoin=_STARTED if anew else None))


def _all_have(w: Writer, name: str, value: str) -> None:
    """As if the run had begun with it."""
    began = w.records[0].event
    assert isinstance(began, h.RunBegan)
    said = float(value) if re.fullmatch(r"[\d.]+", value) else value
    settings = DEFAULT.with_values({**began.settings, name: said}).outside()
    w.records[0] = w.records[0]._replace(event=msgspec.structs.replace(began, settings=settings))


def _is_none_of_the_core(w: Writer, who: str, kind: str) -> None:
    w.groups.not_core[who] = True
    w.tell("", h.NodeConfigured(who, {"gms_member_type": kind}))


def _count(w: Writer, who: str, sent: str, periods: str, spared: str | None) -> None:
    w.tell(who, e.HeartbeatsCounted(int(periods), int(sent), int(spared or 0)))


def _addresses(names: str) -> tuple[str, ...]:
    return tuple(m.address for m in members("" if names == "nobody" else names))


def _watch(w: Writer, who: str, to: str, watched: str) -> None:
    w.tell(who, e.HeartbeatTargets(_addresses(to), _addresses(watched)))


SENTENCES: dict[str, Callable[..., None]] = {
    r"all have (\w+) = (.+)": _all_have,
    r"(\S+) is a (spectator|watchdog)": _is_none_of_the_core,
    rf"(\S+) leads from (\d+)(?: after (\S+)(, which shuts down,)?)?{_FOUNDS} \[(.*)\]": _lead,
    rf"(\S+) tells (\d+): {_WHAT} \[(.*)\](?: \((rejoin)\))?": _tell,
    rf"(\S+) publishes (\d+): {_WHAT} \[(.*)\](?: \((rejoin)\))?(?: by (\S+))?(?: to (\d+))?": _publish,
    rf"(\S+) takes (\d+) of (\S+)(?: in silence| as {_WHAT})": _take_silently,
    r"(.+?) takes? (\d+) of (\S+)( again)?": _take,
    r"(\S+) signals (\S+) of (\S+) by (?:none|(\d+) of (\S+))(?: \((rejoin)\))?": _signal,
    r"(\S+) has lost those of (\S+) after (\d+) before (\d+)": lambda w, who, author, after, before: w.tell(
        who, e.NotificationsLost(int(before), member(author).uuid, int(after))
    ),
    r"(\S+) wants those of (\S+) after (\d+) up to (\d+)": lambda w, who, author, after, last: w.tell(
        who, e.NotificationsAsked(int(after), member(author).uuid, member(author), int(last))
    ),
    r"(\S+) sends (\S+) again ([\d ]+)": lambda w, who, to, sequences: w.tell(
        who, e.NotificationsResent(member(to), tuple(map(int, sequences.split())))
    ),
    r"(\S+) asks to be added again": _look_again,
    r"(\S+) announces that (\S+) is (in doubt|alive|dead|stopping|group stopping)": lambda w, who, whom, state: w.tell(
        who, e.HealthAnnouncedToAll(member(whom), state)
    ),
    r"(\S+) cannot probe (\S+) after ([\d.]+)s": lambda w, who, whom, silence: w.tell(
        who, e.ProbeFailed(member(whom), *reason_in("it has not answered a probe"), int(float(silence) * SECOND))
    ),
    r"(\S+) reports (\S+) to (\S+)": lambda w, who, whom, to: w.tell(who, e.SuspectReported(member(to), member(whom))),
    r"(\S+) hears of (\S+) that (\S+) is silent": lambda w, who, of, whom: w.tell(
        who, e.SuspectReportHeard(member(of), member(whom))
    ),
    r"(\S+) believes (\S+) that (\S+) has failed": lambda w, who, dog, whom: w.tell(
        who, e.HintTaken(member(dog), member(whom))
    ),
    r"(\S+) counts (\d+) heartbeats? in (\d+) periods?(?:, (\d+) spared)?": _count,
    r"(\S+) sends to (.+), and watches (.+)": _watch,
    r"(\S+) begins the start of (.+)": lambda w, who, whom: w.tell(who, e.GroupStartBegan(_addresses(whom))),
    r"(\S+) ends the start without (.+)": lambda w, who, whom: w.tell(who, e.GroupStartEnded(_addresses(whom))),
    r"(\S+) knows that (\S+) leads too: (\S+) stays": lambda w, who, other, stays: w.tell(
        who, e.MastersCollided(member(other), member(stays))
    ),
    r"(\S+) gives way to (\S+)": lambda w, who, to: w.tell(
        who, e.LeadershipYielded(member(to), *because(Why.RANKS_BEFORE_ME))
    ),
}
