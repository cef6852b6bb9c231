"""Runs the stories of tests/data/core on real members, as etcd's raft does with its interaction tests.

A story is blocks of commands, `----`, and exactly what the members then report and send. `pytest --rewrite` writes what
came out in the place of what was expected: the diff is then the review.

    anew                                    all members are gone, the clock shows 0: another scene
    set heartbeat_timeout_seconds=20        settings that differ from the default preset's, for who starts from now on
    hide Heartbeat chunks                   these messages and events are left out of the output (chunks, messages,
                                            cluster, links, safety: several kinds at once)
    start A knowing B C                     a member starts, with a list of addresses to look for
    start A-lite · v3[A,B-lite,C]           as a lite member; a list says of each whether it is one
    given B v4[A,B,C,D] suspecting C D      a member in that state, following the first of the list; prints nothing
    given B v2[A,B] with t5[AB,BA]          the same, with this partition table (interaction_partitions.py)
    A -> B: Heartbeat version=4             B receives this; fields left out are what a sound sender would say
    deliver B->D · deliver all · lose B->F  what real members sent: the next message of a link, or all until it is quiet
    run · run until "A: CommitSent"         messages arrive, and what is due at once is done, until all is quiet, or
                                            just after the step that tells this, hidden or not
    crash A                                 A is gone, with all that was under way to it; the others' links to it end
    assign A                                somebody at A wants to use the data, and A is master
    plan A for [DB,CB] · ... later          from now on these rows are what its repartitioning answers, and it plans at
                                            once, or when it has to
    put A k=1 · stock A                     a client at A writes; A reports all that it holds
    wait 5s                                 time passes, for all
    beat 24s · beat 24s without B           the same; the followers of a given master, but for B, and who has sent a
                                            heartbeat in the story, send the last one again with each heartbeat interval
    sleep 70s                               time passes, nobody executes anything: what was due runs at the next wait
    link B->A up · link B->A down           B is told that of its own link to A
    leave B                                 a graceful shutdown is asked for
    change B to A C                         B is asked for a new member list of the join configuration, on all members
    addresses B                             where B looks for others
    state B · log B · log B legacy          what B believes; its list as the text writes it to the log
    table B                                 what B believes of the partitions

A' is the second incarnation of A, C@D the identity of C at the address of D. A list is v4[A,B] or, where its author is
not its first member, v4[A,B]/C. The configuration of a joiner is its cluster's name and partition count: dev/271."""

from __future__ import annotations

import dataclasses
import random
import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from heapq import heappop, heappush

from tests.notation import interaction_partitions as partitions
from tests.notation.interaction_messages import message as message_of
from tests.notation.interaction_messages import view_of
from tests.notation.interaction_names import LITE, address, letter_of, member, name_of
from tests.notation.interaction_words import fields, in_words, written
from tests.reasons import reason_in

from shaketable.node import messages as m
from shaketable.node.cluster.identities import Identities
from shaketable.node.cluster.member import ClusterMember
from shaketable.node.cluster.service.views import describe
from shaketable.node.config import DEFAULT, Settings
from shaketable.node.core.commands import LeaveCommand, OperateCommand, TakeStockCommand
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.events import Event, Stopped
from shaketable.node.legacy import make_cluster_member
from shaketable.node.messages import Address, MemberList, Message

MANY_STEPS = 2000
PLAIN = dataclasses.replace(DEFAULT, merging=False)
"""Most stories are of one cluster alone: what splits stays split."""


class Draws(random.Random):
    """Gives a member the identity that the story names, after a merge the next one, and lets requests count from 1."""

    def __init__(self, identity: str) -> None:
        super().__init__(0)
        self._identity = int(identity.replace("-", ""), 16)

    def getrandbits(self, k: int) -> int:
        if k != 128:
            return 0
        self._identity += 1
        return self._identity - 1


@dataclass(order=True)
class Alarm:
    at: Micros
    number: int
    callback: Callable[[], None] | None = field(compare=False)

    def cancel(self) -> None:
        self.callback = None


class Node:
    """One real member, and the `Env` that it sees."""

    def __init__(self, story: Story, name: str, knowing: list[str]) -> None:
        self._story = story
        self.name = name.removesuffix(LITE)
        self.stopped = False
        self._life = 0
        me = member(name)
        self.place = letter_of(me.address)
        self.rng: random.Random = Draws(me.uuid)
        settings = dataclasses.replace(story.settings, lite_member=me.lite)
        self.identities = Identities(self, make_cluster_member, me.address, [address(n) for n in knowing], settings)

    @property
    def member(self) -> ClusterMember:
        """What it is now: a merge makes it another one."""
        return self.identities.member

    def now(self) -> Micros:
        return self._story.now

    def send(self, to: Address, message: Message) -> None:
        assert to != self.member.me.address, "a member sent to itself"
        self._story.sent(self, to, message)

    def call_later(self, delay: Micros, callback: Callable[[], None]) -> Alarm:
        life = self._life
        return self._story.alarm(delay, lambda: callback() if life == self._life and not self.stopped else None)

    def report(self, event: Event) -> None:
        self.stopped = self.stopped or type(event) is Stopped
        self._story.happened(type(event).__name__, f"{self.name}: {type(event).__name__}{fields(event)}")

    def forget_timers(self) -> None:
        self._life += 1

    def disconnect(self, to: Address) -> None:
        self._story.say(f"{self.name} disconnects from {letter_of(to)}")


class Story:
    def __init__(self) -> None:
        self._output: list[str] = []
        self._happened: list[str] = []
        """of the present command, hidden ones too"""
        self._begin()

    def _begin(self) -> None:
        self.settings: Settings = PLAIN
        self.now: Micros = 0
        self._alarms: list[Alarm] = []
        self._count = 0
        self._nodes: dict[str, Node] = {}
        self._links: dict[tuple[str, str], deque[Message]] = {}
        self._hidden: list[str] = []
        partitions.KNOWN.clear()
        self._beats: dict[tuple[str, str], tuple[str, Micros]] = {}
        """by sender and receiver: the last heartbeat that the story let arrive, and when the next is due"""

    # What the members do

    def alarm(self, delay: Micros, callback: Callable[[], None]) -> Alarm:
        self._count += 1
        alarm = Alarm(self.now + delay, self._count, callback)
        heappush(self._alarms, alarm)
        return alarm

    def say(self, line: str) -> None:
        self._output.append(line)

    def happened(self, kind: str, line: str) -> None:
        self._happened.append(line)
        if kind not in self._hidden:
            self.say(line)

    def sent(self, node: Node, to: Address, message: Message) -> None:
        kind, receiver = type(message).__name__, letter_of(to)
        self.happened(kind, f"{node.name} -> {receiver}: {kind}{fields(message)}")
        if receiver in self._nodes:
            self._links.setdefault((node.place, receiver), deque()).append(message)

    # What the story does

    def run(self, line: str) -> list[str]:
        self._output, self._happened = [], []
        try:
            self._run(line)
        except (ValueError, KeyError) as error:
            raise AssertionError(f"{line}: {type(error).__name__}: {error}") from error
        return self._output or ["(nothing)"]

    def _run(self, line: str) -> None:
        if found := re.fullmatch(rf"([A-Z]'*(?:@[A-Z])?(?:{LITE})?) -> ([A-Z]): (\w+)(.*)", line):
            node = self._nodes[found[2]]
            if found[3] == "Heartbeat":
                self._beats[found[1], found[2]] = line, self.now + self.settings.heartbeat_interval
            node.identities.receive(message_of(found[1], node.member, self.now, found[3], found[4]))
            return
        verb, *words = line.split()
        match verb, words:
            case "anew", []:
                self._begin()
            case "set", _:
                given = re.findall(r'(\S+?)=(?:"([^"]*)"|(\S+))', line)
                self.settings = PLAIN.with_values({name: quoted or plain for name, quoted, plain in given})
            case "hide", kinds:
                self._hidden = [kind for word in kinds for kind in partitions.QUIET.get(word, [word])]
            case "start", [name, *knowing]:
                self._start(name, knowing[1:]).identities.start()
            case "given", [name, view, "with", table, *suspects]:
                self._given(name, view_of(view), suspects[1:], table)
            case "given", [name, view, *suspects]:
                self._given(name, view_of(view), suspects[1:])
            case "run", until:
                self._go_on(" ".join(until[1:]).strip('"'))
            case "crash", [name]:
                self._crash(name)
            case "plan", [name, "for", rows, *later]:
                partitions.plan(self._nodes[name].member, rows, now=not later)
            case "put", [name, entry]:
                self._nodes[name].member.command(OperateCommand("client", "put", "data", *entry.split("=")))
            case "stock", [name]:
                self._nodes[name].member.command(TakeStockCommand())
            case "assign", [name]:
                partitions.assign(self._nodes[name].member)
            case "deliver", ["all"]:
                while waiting := [link for link, queue in self._links.items() if queue]:
                    self._deliver(*waiting[0])
            case "deliver", [link]:
                self._deliver(*link.split("->"))
            case "lose", [link]:
                a, b = link.split("->")
                self._links.pop((a, b), None)
            case "wait", [time]:
                self._wait(round(float(time.rstrip("s")) * SECOND))
            case "beat", [time, *silent]:
                self._beat(round(float(time.rstrip("s")) * SECOND), silent[1:])
            case "sleep", [time]:
                self.now += round(float(time.rstrip("s")) * SECOND)
            case "link", [link, state]:
                a, b = link.split("->")
                told = self._nodes[a].identities
                (told.link_up if state == "up" else told.link_down)(address(b))
            case "leave", [name]:
                self._nodes[name].identities.command(LeaveCommand())
            case "change", [name, "to", *letters]:
                self._nodes[name].member.member_list.change([*map(address, letters)], partial(self._answered, name))
            case "addresses", [name]:
                self.say(" ".join(map(letter_of, self._nodes[name].member.addresses.possible())) or "nowhere")
            case "state", [name]:
                self.say(self._state(self._nodes[name].member))
            case "table", [name]:
                self.say(partitions.believed(self._nodes[name].member.partitions.state))
            case "log", [name, *legacy]:
                ms = self._nodes[name].member.membership
                self.say(describe(ms.view, ms.me, legacy=bool(legacy)))
            case _:
                raise ValueError("there is no such command")

    def _answered(self, name: str, reason: str) -> None:
        self.say(f'{name} answers "{in_words(reason)}"')

    def _start(self, name: str, knowing: list[str]) -> Node:
        node = Node(self, name, knowing)
        for link in self._links:
            if node.place in link:
                self._links[link].clear()
        if node.place in self._nodes:
            self._nodes[node.place].stopped = True
        self._nodes[node.place] = node
        return node

    def _given(self, name: str, view: MemberList, suspects: list[str], table: str = "") -> None:
        """Brought about by messages alone, but for the suspicions."""
        node, me, master = self._start(name, [name_of(view.members[0])]), member(name), view.members[0]
        node.identities.start()
        if master == me:
            joiners = [m for m in view.members if m != me]
            for joiner in joiners:
                node.member.receive(m.JoinRequest(joiner, node.member.membership.config))
            assert node.member.membership.view.version == view.version, "a founder's version is the size of its list"
            due = self.now + self.settings.heartbeat_interval
            for follower in map(name_of, joiners):
                self._beats[follower, node.place] = f"{follower} -> {node.place}: Heartbeat", due
        else:
            node.member.receive(m.MasterResponse(master, master.address))
            node.member.receive(m.FinalizeJoin(master, me.uuid, view, self.now))
        if table:
            partitions.give(node.member, partitions.table(table))
        node.member.suspicion.suspect([member(s) for s in suspects], reason_in("given"))
        self._links = {link: queue for link, queue in self._links.items() if link[0] != node.place}
        self._output = []

    def _deliver(self, a: str, b: str) -> None:
        message = self._links[a, b].popleft()
        kind = type(message).__name__
        self.happened(kind, f"({a} -> {b} arrives: {kind})")
        if not self._nodes[b].stopped:
            self._nodes[b].identities.receive(message)

    def _go_on(self, until: str) -> None:
        seen = 0
        for _ in range(MANY_STEPS):
            if until and any(until in line for line in self._happened[seen:]):
                return
            seen = len(self._happened)
            link = next((link for link, queue in self._links.items() if queue), None)
            if self._alarms and self._alarms[0].at <= self.now:
                callback = heappop(self._alarms).callback
                if callback is not None:
                    callback()
            elif link is not None:
                self._deliver(*link)
            elif until:
                raise ValueError("that does not happen")
            else:
                return
        raise ValueError("that does not come to an end")

    def _crash(self, name: str) -> None:
        """All know at once that their links are down; the messages that it has sent still arrive."""
        if name in self._nodes:
            self._nodes[name].stopped = True
        for (_, to), queue in self._links.items():
            if to == name:
                queue.clear()
        for other in self._nodes.values():
            if not other.stopped:
                if not other.member.links.is_up(address(name)):
                    other.member.link_up(address(name))
                other.member.link_down(address(name))

    def _wait(self, time: Micros) -> None:
        end = self.now + time
        while self._alarms and self._alarms[0].at <= end:
            alarm = heappop(self._alarms)
            self.now = max(self.now, alarm.at)
            if alarm.callback is not None:
                before = len(self._output)
                alarm.callback()
                if len(self._output) > before:
                    self._output.insert(before, f"@{self.now / SECOND:g}s")
        self.now = end

    def _beat(self, time: Micros, silent: list[str]) -> None:
        end = self.now + time
        while due := [
            (max(at, self.now), line)
            for (sender, to), (line, at) in self._beats.items()
            if sender not in silent and at <= end and self._nodes[to].member.membership.is_member(member(sender))
        ]:
            at, line = min(due)
            self._wait(at - self.now - 1)
            self.now = at
            before = len(self._output)
            self._run(line)
            if len(self._output) > before:
                self._output.insert(before, f"@{at / SECOND:g}s")
        self._wait(end - self.now)

    def _state(self, node: ClusterMember) -> str:
        ms = node.membership
        if not ms.joined:
            return "not joined"
        follows = f"follows {name_of(ms.master)}" if ms.master is not None else "follows nobody"
        suspects = ["suspects " + " ".join(map(name_of, ms.suspects()))] if ms.suspected else []
        return ", ".join([written(ms.view), follows, *suspects, *["claims the mastership"] * ms.claiming])


def told(text: str) -> Iterator[str]:
    """The story again, with what really came out below each block's commands."""
    story, blocks = Story(), text.strip("\n").split("\n\n")
    for block in blocks:
        head = block.split("\n----\n")[0].split("\n")
        commands = [line for line in head if line and not line.startswith("#")]
        if not commands:
            yield "\n".join(head)
            continue
        output = [line for command in commands for line in story.run(command) if line != "(nothing)"]
        quiet = all(c.split()[0] in ("anew", "sleep", "set", "hide", "given", "lose", "plan") for c in commands)
        yield "\n".join([*head, *([] if quiet and not output else ["----", *(output or ["(nothing)"])])])
