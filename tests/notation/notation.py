"""A history in a few readable lines, for the cases in tests/data/checks and wherever a test needs a run.

    n1 installs v3 [n1 n2 n3]              n1 is the author, and follows itself unless it said otherwise
    n2 installs v3 by n1 [n1 n2 n3]        n2 follows n1 unless it said otherwise
    n2 installs v4 by n3 [n3 n2] claiming n1     the event names n1 as the master; `(n3 joined)`: for this reason
    n2 ignores v3 by n1 (not newer)        sent by n1; `from n3`: sent by n3
    n1 publishes v3 [n1 n2 n3]             by itself; `by n2`: another's list; `once more`: no new one
    n1 removes n3 in v4                    `(partial member disconnection)`: with another reason than a lost connection
    n1 is told by n3: suspects n2 n4       `suspects nobody`: any more
    n1 decides v4: n2 leaves (n3 suspects n2, n4 suspects n2)    of the list that it holds; `, n3 n4 not counted yet`;
                                           `by replicas 4 3 5 4` at its end: held by each in the list
    n1 drops its decision about v4 · n1 cannot decide v4 in time
    n1 sees [n1 n2]                        where members are a set
    n2 follows n3
    n2 claims                              the mastership of the list that it holds; `n2 claims v3 [n1 n2]` of another
    n2 asks n3 · n2 is answered by n3: silent · n2 is answered by n3: accepted v3 [n1 n2 n3]
    n2 finishes v5 [n2 n3]                 `without n4 (silent), n5 (suspected)`
    n3 accepts n2                          and follows it, with its list and suspicions; `with v2 [n1 n2]`,
                                           `suspecting n1`: with others
    n2 suspects n1                         `after 60s`, `(explicit suspicion)`, `(no heartbeat) after 60s`
    n2 obeys n1 · n2 does not obey n1      an explicit suspicion from n1; `(it names me as I was)`: for this reason
    n3 declines n2 (I am no member)        its claim, for good; `for now` after the name
    n2 sends n1 explicit suspicion (a complaint) · n1 has n2 send n3 explicit suspicion · n1 lets n3 wait
    n1 ignores the join request of n3 (a claim is under way)
    n1 founds a cluster (nobody answered within the longest join time)
    n1 judges what n2 tells of n3 (neither follows me)      a complaint
    n2 trusts n1 · n2 is late by 40s · n2 loses n1 · n2 reaches n1      the latter two, and n2 hangs up n1: its own link
    n2 stood still for 3s · n2 gets frames of n1 3s late · the harness is 3s late
    n2 has heartbeat_timeout_seconds = 20  settings of its own
    n2 holds · n2 goes on · n2 wants to leave · n2 leaves · n2 fails      `leaves (left without an answer)`
    n2 is refused: the partition count of this cluster is 271, not 7
    n1 is killed · n1 vanishes · n1 never runs · n1 is spawned
    fault 3: pause n2 · fault 3: blackhole n1->n2 · fault 3 ends · fault 3 has no effect · fault 4 is asked: cut n1->n2
    fault 4 is seen, made at 99s · fault 4 is to end · fault 4 has ended · fault 4 has ended, at 100.1s
    n1 tells what nobody understands: a line of its log
    the links break, in order until 99s · the links are back · somebody changes the links
    the script ends · the script is unknown
    expected: settled · expected in vain: settled
    ... <- Heartbeat of n2                 after any of these: this message began the step; it left just now
    and what members do with partitions and their data, and when parts of a cluster find each other: notation_tables.py,
notation_data.py, notation_merging.py; and what the members of a group do: notation_gms.py

`n2'` is the second incarnation of n2, `n2''` the third; `n2~` is n2, a lite member. Each line is a millisecond after
the one before; a line that is only `@70s` or `+5s` sets the clock. A `#` begins a comment. A node starts by being a
subject, and joins by its first install or set."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from tests.notation import notation_data, notation_gms, notation_merging, notation_tables
from tests.notation.notation_faults import acts_on_messages, kinds_of
from tests.notation.notation_names import member, members
from tests.reasons import gone, reason_in

from shaketable.harness import records as h
from shaketable.harness.records import HARNESS, Record
from shaketable.node import events as e
from shaketable.node.config import PRESETS
from shaketable.node.core.env import MILLISECOND, SECOND
from shaketable.node.events import Event
from shaketable.node.events.base import Cause
from shaketable.node.messages import Member

__all__ = ["Case", "Writer", "cases", "history_of", "member", "members"]

NEVER_RAN = "ended before it ran (exit code 1); its log ends with: no room"


class Writer:
    def __init__(self, world: str = "sim", seed: int = 7, preset: str = "default", script: str = "story") -> None:
        self.records: list[Record] = []
        self._cause: Cause | None = None
        self.time = 0
        self._sequence: dict[tuple[str, str], int] = {}
        self._known: list[str] = []
        self._named: list[int] = []
        self._following: dict[str, Member] = {}
        self._lists: dict[str, e.ViewInstalled] = {}
        self._suspected: dict[str, dict[Member, bool]] = {}
        self.clients = notation_data.Clients()
        self.tables = notation_tables.Tables()
        self.groups = notation_gms.Groups()
        self._began = h.RunBegan(script, world, "simulated", seed, preset, PRESETS[preset].outside())
        self.tell("", self._began)

    def tell(self, who: str, event: Event) -> None:
        node, uuid = (who.rstrip("'"), member(who).uuid) if who else (HARNESS, "")
        number = self._sequence[node, uuid] = self._sequence.get((node, uuid), 0) + 1
        self.records.append(Record(self.time, node, uuid, number, event, self._cause))

    def write(self, text: str) -> None:
        for number in sorted(map(int, set(re.findall(r"\bn(\d+)", text)))):
            if number not in self._named:
                self._named.append(number)
                self.tell("", h.NodeNamed(f"n{number}", member(f"n{number}").address))
        for line in text.splitlines():
            said = line.partition("#")[0].strip()
            if said:
                self._line(said)

    def _line(self, said: str) -> None:
        if clock := re.fullmatch(r"([@+])([\d.]+)s", said):
            time = int(float(clock[2]) * SECOND)
            self.time = time if clock[1] == "@" else self.time + time
            return
        self.time += MILLISECOND
        said, _, cause = said.partition(" <- ")
        self._cause = self._begun_by(*cause.split(" of ")) if cause else None
        for pattern, write in _SENTENCES.items():
            if found := re.fullmatch(pattern, said):
                write(self, *found.groups())
                return
        raise ValueError(f"nobody understands {said!r}")

    def _begun_by(self, kind: str, whom: str) -> Cause:
        sender = member(whom).uuid
        return Cause(kind, self._sequence.get((whom.rstrip("'"), sender), 0), told=False, sender=sender)

    def start(self, who: str) -> None:
        if who in self._known:
            return
        self._known.append(who)
        self.tell(who, e.Started(member(who)))

    def follow(self, who: str, whom: str) -> None:
        self.start(who)
        self._following[who] = member(whom)
        self.tell(who, e.MasterFollowed(member(whom), *reason_in("said so")))

    def follows(self, who: str, whom: str) -> bool:
        return self._following.get(who) == member(whom)

    def leave_master(self, who: str) -> None:
        self._following.pop(who, None)

    def install(
        self, who: str, version: str, author: str | None, listed: str, claiming: str | None, why: str | None
    ) -> None:
        self.start(who)
        joins = who not in self._following
        if joins:
            self.follow(who, claiming or author or who)
        master = member(claiming) if claiming else self._following[who]
        author_ = member(author or who).uuid
        view = e.ViewInstalled(int(version), author_, master, members(listed), *reason_in(why or ""))
        self._lists[who] = view
        self.tell(who, view)
        if joins:
            self.tell(who, e.Joined(author is None, *reason_in("")))

    def see(self, who: str, listed: str) -> None:
        joins = who not in self._known
        self.start(who)
        if joins:
            self.tell(who, e.Joined(False, *reason_in("")))
        self.tell(who, e.MembersSeen(members(listed)))

    def publish(self, who: str, version: str, author: str | None, listed: str, again: str | None) -> None:
        self.start(who)
        list_, change = members(listed), not again
        self.tell(who, e.ViewPublished(int(version), member(author or who).uuid, list_, len(list_) - 1, change))

    def claim(self, who: str, version: str | None, listed: str | None) -> None:
        self.follow(who, who)
        held = self.held_by(who)
        mine = (int(version), members(listed or "")) if version else (held.version, held.members)
        self.tell(who, e.ClaimStarted(*mine))

    def answer(self, who: str, whom: str, answer: str, version: str | None, listed: str | None) -> None:
        shown = members(listed or "") if version else None
        self.tell(who, e.ClaimAnswered(member(whom), answer, int(version) if version else None, shown, "", None))

    def finish(self, who: str, version: str, listed: str, without: str | None) -> None:
        left_out = [part.strip(" )").split(" (") for part in (without or "").split(",") if part.strip()]
        out = tuple((member(name), why) for name, why in left_out)
        self.tell(who, e.ClaimFinished(int(version), members(listed), out))

    def accept(self, who: str, whom: str, version: str | None, listed: str | None, suspecting: str | None) -> None:
        held, candidate = self.held_by(who), member(whom)
        mine = (int(version), members(listed or "")) if version else (held.version, held.members)
        suspects = self._suspected.get(who, {})
        told = tuple(m for m in suspects if m != candidate) if suspecting is None else members(suspecting)
        self.tell(who, e.ClaimConsented(candidate, mine[0], held.author, mine[1], told))
        if candidate in suspects:
            self.trust(who, whom)
        self.follow(who, whom)

    def decide(self, who: str, version: str, leave: str, told: str, replicas: str | None) -> None:
        held = tuple(map(int, (replicas or "").split()))
        reports, unsettled = [], []
        for part in map(str.strip, told.split(",")):
            if part.endswith(" not counted yet"):
                one, other = members(part.removesuffix(" not counted yet"))
                unsettled.append((one, other))
            else:
                reporter, _, suspected = part.partition(" suspects ")
                reports.append((member(reporter), members(suspected)))
        leaving = members("" if leave == "nobody" else leave)
        listed, counted = self.held_by(who).members, (tuple(reports), tuple(unsettled))
        self.tell(who, e.DisconnectionResolved(int(version), listed, *counted, leaving, 12, held))

    def suspect(self, who: str, whom: str, reason: str | None, silence: str | None) -> None:
        self._suspected.setdefault(who, {})[member(whom)] = True
        length = int(float(silence) * SECOND) if silence else None
        reason = reason or ("connection lost" if silence is None else "no heartbeat")
        self.tell(who, e.Suspected(member(whom), *reason_in(reason), length))

    def trust(self, who: str, whom: str) -> None:
        self._suspected.get(who, {}).pop(member(whom), None)
        self.tell(who, e.SuspicionEnded(member(whom), *reason_in("heartbeat")))

    def held_by(self, who: str) -> e.ViewInstalled:
        return self._lists.get(who) or e.ViewInstalled(0, "", member(who), (), *reason_in(""))

    def ask(self, number: str, what: str) -> None:
        found = re.fullmatch(r"(.+?)((?: n\d+(?:->n\d+)?)*)", re.sub(r"\s*\(.*", "", what))
        assert found is not None
        verb, targets = found[1], found[2].split()
        links = tuple(t for t in targets if "->" in t)
        nodes = tuple(t for t in targets if "->" not in t)
        lasts = verb not in ("kill", "restart", "leave", "reset")
        silences = verb in ("cut", "blackhole")
        to = tuple(link.split("->")[1] for link in links) if acts_on_messages(verb) else ()
        self.tell("", h.FaultAsked(int(number), verb, nodes, links, "", lasts, silences, kinds_of(verb), to))

    def fault(self, number: str, what: str) -> None:
        self.ask(number, what)
        self.tell("", h.FaultTook(int(number), "seen by its probes"))

    def end_fault(self, number: str) -> None:
        self.tell("", h.FaultEndAsked(int(number)))
        self.tell("", h.FaultEnded(int(number), "probes come again"))


_VIEW = r"v(\d+)(?: by (\S+))? \[(.*)\]"
_SENTENCES: dict[str, Callable[..., None]] = {
    rf"(\S+) installs {_VIEW}(?: claiming (\S+))?(?: \((.+)\))?": Writer.install,
    rf"(\S+) publishes {_VIEW}( once more)?": Writer.publish,
    r"(\S+) ignores v(\d+) by (\S+)(?: from (\S+))? \((.+)\)": lambda w, who, version, author, sender, why: w.tell(
        who, e.ViewIgnored(int(version), member(author).uuid, member(sender or author), *reason_in(why))
    ),
    r"(\S+) sees \[(.*)\]": Writer.see,
    r"(\S+) follows (\S+)": Writer.follow,
    r"(\S+) starts": Writer.start,
    r"(\S+) removes (\S+) in v(\d+)(?: \((.+)\))?": lambda w, who, whom, v, why: w.tell(
        who, e.MemberRemoved(member(whom), int(v), *reason_in(why or "connection lost"))
    ),
    r"(\S+) is told by (\S+): suspects (.+)": lambda w, who, peer, suspected: w.tell(
        who, e.SuspicionsReported(member(peer), members("" if suspected == "nobody" else suspected))
    ),
    r"(\S+) decides v(\d+): (.+) leaves? \((.+)\)(?: by replicas ([\d ]+))?": Writer.decide,
    r"(\S+) drops its decision about v(\d+)": lambda w, who, version: w.tell(
        who, e.DisconnectionUnresolved(int(version), False, 12, *reason_in("I do not lead any more"))
    ),
    r"(\S+) cannot decide v(\d+) in time": lambda w, who, version: w.tell(
        who, e.DisconnectionUnresolved(int(version), True, 5000000, *reason_in("too much work"))
    ),
    r"(\S+) claims(?: v(\d+) \[(.*)\])?": Writer.claim,
    r"(\S+) asks (\S+)": lambda w, who, whom: w.tell(who, e.ClaimAsked(member(whom))),
    r"(\S+) is answered by (\S+): (accepted|not yet|refused|silent)(?: v(\d+) \[(.*)\])?": Writer.answer,
    r"(\S+) finishes v(\d+) \[(.*)\](?: without (.+))?": Writer.finish,
    r"(\S+) accepts (\S+)(?: with v(\d+) \[(.*)\])?(?: suspecting ?(.*))?": Writer.accept,
    r"(\S+) suspects (\S+)(?: \((.+)\))?(?: after ([\d.]+)s)?": Writer.suspect,
    r"(\S+) obeys (\S+)(?: \((.+)\))?": lambda w, who, whom, why: w.tell(
        who, e.ExplicitSuspicionReceived(member(whom), True, *reason_in(why or ""))
    ),
    r"(\S+) does not obey (\S+)(?: \((.+)\))?": lambda w, who, whom, why: w.tell(
        who, e.ExplicitSuspicionReceived(member(whom), False, *reason_in(why or ""))
    ),
    r"(\S+) declines (\S+)( for now)? \((.+)\)": lambda w, who, whom, now, why: w.tell(
        who, e.ClaimDeclined(member(whom), not now, *reason_in(why))
    ),
    r"(\S+) sends (\S+) explicit suspicion \((.+)\)": lambda w, who, whom, why: w.tell(
        who, e.ExplicitSuspicionSent(member(whom), *reason_in(why))
    ),
    r"(\S+) has (\S+) send (\S+) explicit suspicion": lambda w, who, whom, to: w.tell(
        who, e.TriggerSent(member(whom), member(to))
    ),
    r"(\S+) ignores the join request of (\S+) \((.+)\)": lambda w, who, whom, why: w.tell(
        who, e.JoinRequestIgnored(member(whom), *reason_in(why))
    ),
    r"(\S+) judges what (\S+) tells of (\S+) \((.+)\)": lambda w, who, by, of, why: w.tell(
        who, e.ComplaintReceived(member(by), member(of), *reason_in(why))
    ),
    r"(\S+) lets (\S+) wait": lambda w, who, whom: w.tell(who, e.JoinBatched(member(whom))),
    r"(\S+) trusts (\S+)": Writer.trust,
    r"(\S+) is told by (\S+) of \[(.*)\]": lambda w, who, by, whom: w.tell(
        who, e.SuspicionsReported(member(by), members(whom))
    ),
    r"(\S+) resolves without (.+)": lambda w, who, leave: w.tell(
        who, e.DisconnectionResolved(w.held_by(who).version, w.held_by(who).members, (), (), members(leave), 1)
    ),
    r"(\S+) resolves nothing": lambda w, who: w.tell(
        who, e.DisconnectionUnresolved(1, True, 1, *reason_in("too much work"))
    ),
    r"(\S+) is late by ([\d.]+)s": lambda w, who, by: w.tell(who, e.RoundLate(int(float(by) * SECOND), True)),
    r"(\S+) stood still for ([\d.]+)s": lambda w, who, long: w.tell(who, e.StoodStill(int(float(long) * SECOND))),
    r"(\S+) gets frames of (\S+) ([\d.]+)s late": lambda w, who, whom, late: w.tell(
        who, e.FramesLate(member(whom).address, int(float(late) * SECOND))
    ),
    r"(\S+) tells what nobody understands: (.+)": lambda w, who, what: w.tell("", h.NotUnderstood(who, what)),
    r"the harness is ([\d.]+)s late": lambda w, late: w.tell("", h.HarnessLate(int(float(late) * SECOND))),
    r"(\S+) founds a cluster \((.+)\)": lambda w, who, why: w.tell(who, e.Joined(True, *reason_in(why))),
    r"(\S+) loses (\S+)": lambda w, who, whom: w.tell(who, e.LinkDown(member(whom).address)),
    r"(\S+) reaches (\S+)": lambda w, who, whom: w.tell(who, e.LinkUp(member(whom).address)),
    r"(\S+) hangs up (\S+)": lambda w, who, whom: w.tell(who, e.LinkClosed(member(whom).address)),
    r"(\S+) has (\w+) = (.+)": lambda w, who, name, value: w.tell("", h.NodeConfigured(who, {name: value_of(value)})),
    r"(\S+) holds(?: by fault (\d+))?": lambda w, who, fault: w.tell(who, e.Held(int(fault or 1), "ViewPublished", 0)),
    r"(\S+) goes on": lambda w, who: w.tell(who, e.Released(1, "ViewPublished")),
    r"(\S+) leaves(?: \((.+)\))?": lambda w, who, why: w.tell(who, e.Stopped(*reason_in(why or "left"))),
    r"(\S+) wants to leave": lambda w, who: w.tell(who, e.Leaving()),
    r"(\S+) is refused: (.+)": lambda w, who, why: w.tell(who, e.Stopped(*reason_in(why), refused=True)),
    r"(\S+) fails": lambda w, who: w.tell(who, e.Failed("KeyError: 'n2'")),
    r"(\S+) is killed": lambda w, who: w.tell("", h.NodeEnded(who, *gone("killed"))),
    r"fault (\d+): (.+)": Writer.fault,
    r"fault (\d+) is asked: (.+)": Writer.ask,
    r"fault (\d+) ends": Writer.end_fault,
    r"fault (\d+) is seen, made at ([\d.]+)s": lambda w, number, at: w.tell(
        "", h.FaultTook(int(number), "bytes went in and none came out", int(float(at) * SECOND))
    ),
    r"fault (\d+) has ended(?:, at ([\d.]+)s)?": lambda w, number, at: w.tell(
        "", h.FaultEnded(int(number), "probes come again", None if at is None else int(float(at) * SECOND))
    ),
    r"fault (\d+) is to end": lambda w, number: w.tell("", h.FaultEndAsked(int(number))),
    r"(\S+) catches a (\S+) of fault (\d+)": lambda w, who, what, number: w.tell(
        who, e.FilterMatched(int(number), what, "127.0.0.1:5709")
    ),
    r"(\S+) is spawned": lambda w, who: w.tell("", h.NodeSpawned(who)),
    r"(\S+) never runs": lambda w, who: w.tell("", h.NodeEnded(who, NEVER_RAN, h.Ending.NEVER_RAN)),
    r"(\S+) vanishes": lambda w, who: w.tell("", h.NodeEnded(who, *gone("exit code 3"))),
    r"fault (\d+) has no effect": lambda w, number: w.tell(
        "", h.FaultWithoutEffect(int(number), "no probe was lost", h.Missed.UNSEEN)
    ),
    r"step: (.+)": lambda w, step: w.tell("", h.StepBegan(step)),
    r"the links break(?:, in order until ([\d.]+)s)?": lambda w, since: w.tell(
        "", h.FabricTrouble("Toxiproxy stopped answering", since=None if since is None else int(float(since) * SECOND))
    ),
    r"the links are back": lambda w: w.tell("", h.FabricRestored("12 links put back")),
    r"somebody changes the links": lambda w: w.tell("", h.FabricTrouble("enabled is False", by_others=True)),
    r"expected: (.+)": lambda w, what: w.tell("", h.Expected(what, 5 * SECOND, True, "")),
    r"expected in vain: (.+)": lambda w, what: w.tell(
        "", h.Expected(what, 5 * SECOND, False, "n2 holds v3, n1 at 127.0.0.1:5701 holds v4")
    ),
    r"never again: (.+)": lambda w, what: w.tell("", h.InvariantBroken(what, "n2 suspects n1")),
    r"the script ends": lambda w: w.tell("", h.ScriptEnded(h.ScriptOutcome.DONE, "")),
    r"the script fails: (.+)": lambda w, why: w.tell("", h.ScriptEnded(h.ScriptOutcome.FAILED, why)),
    r"the script is unknown: (.+)": lambda w, why: w.tell("", h.ScriptEnded(h.ScriptOutcome.UNKNOWN, why)),
    **notation_gms.SENTENCES,
    **notation_data.SENTENCES,
    **notation_merging.SENTENCES,
    **notation_tables.SENTENCES,
}


def value_of(said: str) -> str | float | bool:
    """Of a setting."""
    return said == "true" if said in ("true", "false") else float(said) if re.fullmatch(r"[\d.]+", said) else said


def history_of(text: str, *, ends: bool = True) -> list[Record]:
    """The records of this story; it ends with the script's end unless that is said otherwise."""
    writer = Writer()
    writer.write(text)
    if ends and not any(isinstance(record.event, h.ScriptEnded) for record in writer.records):
        writer.write("the script ends")
    return writer.records


class Case:
    """One case of a data file: `== title`, the story, `----`, what is expected of it."""

    def __init__(self, title: str, story: str, expected: str) -> None:
        self.title, self.story, self.expected = title, story, expected


def cases(text: str) -> Iterable[Case]:
    for block in re.split(r"^== ", text, flags=re.MULTILINE)[1:]:
        title, _, rest = block.partition("\n")
        story, _, expected = rest.partition("\n----\n")
        yield Case(title.strip(), story, re.sub(r"^#.*\n?", "", expected, flags=re.MULTILINE).strip())
