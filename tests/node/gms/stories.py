"""Plays the stories of tests/data/gms on real members of groups, in the way of tests/notation/interaction.py.

A story is blocks of commands, `----`, and exactly what the members then report and send. Here messages arrive by
themselves, each a millisecond after it was sent, in their order; a story says where they do not.

    anew                                all members are gone, the clock shows 0: another scene
    set gms_detection=ring              settings that differ from the preset's, for who starts from now on
    show Notified · show nothing        what is told beside the usual: kinds of messages and events; nothing: all quiet
    form A B C                          they start one after the other, each once the last one is ready; tells nothing
    start A knowing B C                 a member starts; its list holds these
    start S as spectator knowing A      the same, of another kind
    wait 5s                             time passes
    crash A                             A is gone, and all know at once that their links to it are down
    pause A · resume A                  A executes nothing; what comes meanwhile waits
    cut A->B · cut A B · mend           what A sends to B is lost from now on, and A is not told; all links are sound
    lose Notified A->B · lose Notified A-> 2      these are lost, each, or the next so many; until mend
    A -> B: Pong reign=A:1..7           B receives this; fields left out are what A would say
    repeat Notified A->B                the last one that A has sent to B comes again
    leave A · stop group A · start group A: B C · hint W of B · talk A 1s       what a member is asked for
    state A                             whom it follows, its view, what it is waiting for

A' is the second incarnation of A."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from heapq import heappop, heappush
from typing import Any

import msgspec
from tests.node.gms.words import KINDS, fields, value_of, written
from tests.notation.interaction import Alarm, Draws
from tests.notation.interaction_names import address, letter_of, member

from shaketable.node.config import DEFAULT, Settings
from shaketable.node.core.commands import (
    GroupShutdownCommand,
    GroupStartCommand,
    HintCommand,
    LeaveCommand,
    TalkCommand,
)
from shaketable.node.core.env import MILLISECOND, SECOND, Micros
from shaketable.node.events import Event, Stopped
from shaketable.node.gms import GroupMember
from shaketable.node.legacy import make_member
from shaketable.node.messages import Address, GroupMessage, Message, Stamp

USUAL = (
    "LeadershipTaken", "LeadershipYielded", "NotificationPublished", "NotificationsLost", "NotificationsAsked",
    "NotificationsResent", "Signalled", "Suspected", "SuspicionEnded", "ReadmissionAsked", "MastersCollided",
    "ForeignMessage", "HintIgnored", "HintTaken", "GroupStartBegan", "GroupStartEnded", "Stopped", "RoundLate",
)  # fmt: skip
"""the events that a story tells if it does not say otherwise"""
GROUP = DEFAULT.with_values({"family": "gms"})


@dataclass(slots=True)
class Loss:
    kind: str
    source: str
    to: str
    """"": to all"""
    left: int

    def takes(self, kind: str, source: str, to: str) -> bool:
        if self.left == 0 or (self.kind, self.source) != (kind, source) or self.to not in ("", to):
            return False
        self.left -= 1
        return True


class Node:
    """One real member, and the `Env` that it sees."""

    def __init__(self, story: Story, name: str, knowing: list[str], settings: Settings) -> None:
        self._story = story
        self.name = name
        self.stopped = False
        self.asleep: list[Callable[[], None]] | None = None
        me = member(name)
        self.place = letter_of(me.address)
        self.rng: random.Random = Draws(me.uuid)
        made = make_member(self, me.address, [address(each) for each in knowing], settings)
        assert isinstance(made, GroupMember)
        self.member = made

    def now(self) -> Micros:
        return self._story.now

    def send(self, to: Address, message: Message) -> None:
        assert to != self.member.me.address, "a member sent to itself"
        self._story.sent(self, to, message)

    def call_later(self, delay: Micros, callback: Callable[[], None]) -> Alarm:
        return self._story.alarm(delay, lambda: self.step(callback))

    def report(self, event: Event) -> None:
        self.stopped = self.stopped or type(event) is Stopped
        self._story.happened(type(event).__name__, f"{self.name}: {type(event).__name__}{fields(event)}")

    def forget_timers(self) -> None:
        raise AssertionError("a member of a group has one identity")

    def disconnect(self, to: Address) -> None:
        self._story.happened("disconnect", f"{self.name} disconnects from {letter_of(to)}")

    def step(self, what: Callable[[], None]) -> None:
        if self.asleep is not None:
            self.asleep.append(what)
        elif not self.stopped:
            what()


@dataclass
class Story:
    now: Micros = 0
    settings: Settings = GROUP
    _told: list[str] = field(default_factory=list)
    _told_at: Micros = -1
    _alarms: list[Alarm] = field(default_factory=list)
    _count: int = 0
    _nodes: dict[str, Node] = field(default_factory=dict)
    _shown: tuple[str, ...] = USUAL
    _cut: dict[tuple[str, str], bool] = field(default_factory=dict)
    _losses: list[Loss] = field(default_factory=list)
    _last: dict[tuple[str, str, str], Message] = field(default_factory=dict)
    """of each kind, by whom and to whom"""

    # What the members do

    def alarm(self, delay: Micros, callback: Callable[[], None]) -> Alarm:
        self._count += 1
        alarm = Alarm(self.now + delay, self._count, callback)
        heappush(self._alarms, alarm)
        return alarm

    def happened(self, kind: str, line: str) -> None:
        if kind in self._shown:
            if self._told_at != self.now:
                self._told_at = self.now
                self._told.append(f"@{self.now / SECOND:g}s")
            self._told.append(line)

    def sent(self, node: Node, to: Address, message: Message) -> None:
        kind, receiver = type(message).__name__, letter_of(to)
        self._last[kind, node.place, receiver] = message
        lost = self._cut.get((node.place, receiver)) or any(
            loss.takes(kind, node.place, receiver) for loss in self._losses
        )
        self.happened(kind, f"{node.name} -> {receiver}: {kind}{fields(message)}{' (lost)' if lost else ''}")
        if not lost:
            self.alarm(MILLISECOND, lambda: self._arrives(receiver, message))

    def _arrives(self, at: str, message: Message) -> None:
        if (node := self._nodes.get(at)) is not None:
            node.step(lambda: node.member.receive(message))

    # What the story does

    def run(self, line: str) -> list[str]:
        self._told, self._told_at = [], -1
        try:
            self._run(line)
        except (ValueError, KeyError) as error:
            raise AssertionError(f"{line}: {type(error).__name__}: {error}") from error
        return self._told

    def _run(self, line: str) -> None:
        if found := re.fullmatch(r"([A-Z]'*) -> ([A-Z]): (\w+)(.*)", line):
            self._arrives(found[2], self._message(found[1], found[2], found[3], found[4]))
            return
        verb, *words = line.split()
        match verb, words:
            case "anew", []:
                self.__init__(settings=GROUP)  # type: ignore[misc]
            case "set", _:
                given = re.findall(r'(\S+?)=(?:"([^"]*)"|(\S+))', line)
                self.settings = self.settings.with_values({name: quoted or plain for name, quoted, plain in given})
            case "show", ["nothing"]:
                self._shown = ()
            case "show", kinds:
                self._shown = (*USUAL, *kinds)
            case "form", names:
                self._form(names)
            case "start", [name, "as", kind, *knowing]:
                self._start(name, knowing[1:], self.settings.with_values({"gms_member_type": kind}))
            case "start", ["group", via, *expected]:
                self._ask(via.rstrip(":"), GroupStartCommand(tuple(map(address, expected))))
            case "start", [name, *knowing]:
                self._start(name, knowing[1:], self.settings)
            case "wait", [time]:
                self._wait(_time(time))
            case "crash", [name]:
                self._crash(name)
            case "pause", [name]:
                self._nodes[name].asleep = []
            case "resume", [name]:
                node = self._nodes[name]
                waited, node.asleep = node.asleep, None
                for what in waited or ():
                    node.step(what)
            case "cut", [link] if "->" in link:
                self._cut_link(*link.split("->"))
            case "cut", names:
                for a in names:
                    for b in names:
                        if a != b:
                            self._cut_link(a, b)
            case "mend", []:
                self._cut, self._losses = {}, []
            case "lose", [kind, link, *times]:
                source, to = link.split("->")
                self._losses.append(Loss(kind, source, to, int(times[0]) if times else -1))
            case "repeat", [kind, link]:
                source, to = link.split("->")
                self._arrives(to, self._last[kind, source, to])
            case "leave", [name]:
                self._ask(name, LeaveCommand())
            case "stop", ["group", name]:
                self._ask(name, GroupShutdownCommand())
            case "hint", [name, "of", failed]:
                self._ask(name, HintCommand(address(failed)))
            case "talk", [name, time]:
                self._ask(name, TalkCommand(_time(time)))
            case "state", [name]:
                self._told.append(_state(self._nodes[name].member))
            case _:
                raise ValueError("there is no such command")

    def _ask(self, name: str, command: Any) -> None:
        node = self._nodes[name]
        node.step(lambda: node.member.command(command))

    def _cut_link(self, a: str, b: str) -> None:
        self._cut[a, b] = True

    def _start(self, name: str, knowing: list[str], settings: Settings) -> None:
        place = letter_of(member(name).address)
        if place in self._nodes:
            self._nodes[place].stopped = True
        node = self._nodes[place] = Node(self, name, knowing, settings)
        node.step(node.member.start)

    def _form(self, names: list[str]) -> None:
        shown, self._shown = self._shown, ()
        for name in names:
            self._start(name, names, self.settings)
            for _ in range(100):
                if self._nodes[name].member.group.state == "alive and ready":
                    break
                self._wait(SECOND)
            else:
                raise ValueError(f"{name} does not come to be ready")
        self._shown = shown

    def _wait(self, time: Micros) -> None:
        end = self.now + time
        while self._alarms and self._alarms[0].at <= end:
            alarm = heappop(self._alarms)
            self.now = max(self.now, alarm.at)
            if alarm.callback is not None:
                alarm.callback()
        self.now = end

    def _crash(self, name: str) -> None:
        """All know at once that their links to it are down; what it has sent still arrives."""
        self._nodes.pop(name).stopped = True
        for other in self._nodes.values():
            other.step(partial(other.member.link_down, address(name)))

    def _message(self, sender: str, to: str, kind: str, rest: str) -> GroupMessage:
        """Fields that the story does not give are what a sound sender would say."""
        given = {name: quoted.strip('"') for name, quoted in re.findall(r'(\w+)=("[^"]*"|\S+)', rest)}
        stamp, reign = self._nodes[to].member.group.stamp, self._nodes[to].member.group.reign
        stamp = Stamp(
            given.pop("domain", stamp.domain),
            given.pop("group", stamp.group),
            given.pop("kind", "core"),
            _time(given.pop("start", "0s")),
            int(given.pop("stay", 1)),
        )
        usual: dict[str, Any] = {"reign": reign, "request": 1, "state": "alive and ready", "after": 0, "doubt": 0}
        values: dict[str, Any] = {}
        for f in msgspec.structs.fields(KINDS[kind])[2:]:
            values[f.name] = value_of(f.name, given.pop(f.name), stamp.start) if f.name in given else usual[f.name]
        if given:
            raise ValueError(f"{kind} has no {', '.join(given)}")
        made: GroupMessage = KINDS[kind](member(sender), stamp, **values)
        return made


def _time(text: str) -> Micros:
    return round(float(text.rstrip("s")) * SECOND)


def _state(node: GroupMember) -> str:
    group = node.group
    if group.reign is None:
        return "follows nobody"
    view = ",".join(written("view", seat) for seat in group.view)
    return f"follows {written('reign', group.reign)}, view [{view}], {group.state}"


def told(text: str) -> Iterator[str]:
    """The story again, with what really came out below each block's commands."""
    story, blocks = Story(), text.strip("\n").split("\n\n")
    for block in blocks:
        head = block.split("\n----\n")[0].split("\n")
        commands = [line for line in head if line and not line.startswith("#")]
        output = [line for command in commands for line in story.run(command)]
        quiet = all(c.split()[0] in ("anew", "set", "show", "form", "cut", "mend", "lose") for c in commands)
        yield "\n".join([*head, *([] if quiet and not output else ["----", *(output or ["(nothing)"])])])
