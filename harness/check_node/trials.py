"""The trials of a node: alone, among three, and among five. Each says what the contract asks, in one sentence."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final

from shaketable.harness.check_node.stage import PATIENCE, Node, Trial
from shaketable.harness.check_node.told import ENDS, IDENTITY, LEVEL, LINKS, NO_WAIT, ORDERS, Broken, Told
from shaketable.harness.errors import UserError
from shaketable.harness.systems.contract.levels import A_SET
from shaketable.node.core.env import SECOND
from shaketable.node.events import Joined, MasterFollowed, MembersSeen, Started, Stopped, Suspected, ViewInstalled
from shaketable.node.messages import Member
from shaketable.node.process import contract, control

Passed = AsyncIterator[str]
"""the sentence of each trial, as it is passed; Broken: the next one is not"""
FLOOD: Final = 20_000
"""orders whose answers nobody reads: more than the line can hold"""
TOO_BUSY: Final = 0.25
"""as a part of the heartbeat timeout: what is lost on a machine that is late by as much may be lost for that"""
MASTERS: Final = 2
"""the level at which masters and suspicions are told"""
HIGHEST_TRIED: Final = MASTERS


def told_by(node: Node) -> Told:
    assert node.told is not None
    return node.told


async def alone(trial: Trial) -> Passed:
    (node,) = trial.nodes
    await node.is_ready()
    yield "says ready, with the version of the contract"
    await node.run()
    yield "says running, and listens where it should"
    told = told_by(node)
    await _until(trial, lambda: told.has_told(Started), f"{node.name} does not tell Started")
    yield "starts under its address, with an identity of its own"
    await _are_members(trial, trial.nodes)
    _tells_members_by_its_level(trial, node)
    await _until(trial, lambda: told.has_told(Joined), f"{node.name} does not tell Joined")
    yield "founds a cluster where nobody else is"
    await node.snapshot()
    yield "answers takesnapshot"
    await _takes_an_unknown_order(trial, node)
    yield "refuses an order that it does not know, and goes on"
    await _sleeps(node)
    yield "goes on after it was stopped for a second (SIGSTOP, SIGCONT)"
    await _leaves(trial, node)
    yield "leaves when it is asked to, tells Stopped, and ends with code 0"


async def among_three(trial: Trial) -> Passed:
    first, second, third = trial.nodes
    await first.start([second])
    await second.start()
    await third.start([second])
    await asyncio.gather(first.dials(third), third.dials(first))
    await _are_members(trial, trial.nodes)
    yield "forms a cluster of three, started one after the other; one link was told of later, by dial"
    if trial.described.level >= MASTERS:
        for node in trial.nodes:
            await _until(trial, _follows(told_by(node)), f"{node.name} does not tell MasterFollowed")
        yield "tells whom it follows"
    await _dials_links(trial)
    yield "reaches the others only through its links"
    await _does_not_wait(trial, second)
    yield "goes on while nobody reads its line"
    await _comes_back(trial, third)
    yield "is another member after a crash and a restart"
    if trial.described.level >= MASTERS:
        suspected = any(told_by(node).has_told(Suspected) for node in (first, second))
        if not suspected:
            raise Broken(f"{third.name} was killed, and nobody tells Suspected", LEVEL)
        yield "tells whom it suspects"
    first.hang_up()
    await trial.until(
        lambda: not first.alive,
        lambda: Broken(f"{first.name} still runs {PATIENCE:g} s after its line has ended", ENDS),
    )
    yield "ends when its line ends"


async def among_five(trial: Trial) -> Passed:
    first, *others = trial.nodes
    await first.start()
    await asyncio.gather(*(node.start() for node in others))
    await _are_members(trial, trial.nodes)
    yield "forms a cluster of five, four of them started at once"
    await _dials_links(trial)


TRIALS: Final[Sequence[tuple[int, Callable[[Trial], Passed]]]] = ((1, alone), (3, among_three), (5, among_five))
"""each with its number of nodes"""


def _follows(told: Told) -> Callable[[], bool]:
    return lambda: told.has_told(MasterFollowed)


async def _until(trial: Trial, holds: Callable[[], bool], said: str, rule: str = LEVEL) -> None:
    await trial.until(holds, lambda: Broken(f"{said} within {PATIENCE:g} s", rule))


async def _are_members(trial: Trial, nodes: Sequence[Node]) -> None:
    """All of them, and nobody else, are the members of each one."""

    def those() -> frozenset[Member]:
        return frozenset(Member(node.address, told_by(node).uuid) for node in nodes)

    def broken() -> Broken:
        astray = next(node for node in nodes if told_by(node).members != those())
        members = told_by(astray).members
        if {member.address for member in members} == {node.address for node in nodes}:
            other = next(node for node in nodes if Member(node.address, told_by(node).uuid) not in members)
            return Broken(f"{astray.name} knows {other.name} by another identity than it has told", IDENTITY)
        held = ", ".join(sorted(member.address for member in members)) or "nobody"
        wanted = ", ".join(node.address for node in nodes)
        return Broken(f"{astray.name} holds {held} for members, and not {wanted}, within {PATIENCE:g} s", LEVEL)

    await trial.until(lambda: all(told_by(node).members == those() for node in nodes), broken)


def _tells_members_by_its_level(trial: Trial, node: Node) -> None:
    due, other = (MembersSeen, ViewInstalled) if trial.described.level == A_SET else (ViewInstalled, MembersSeen)
    if not told_by(node).has_told(due):
        said = f"{node.name} tells its members by {other.__name__}, and at level {trial.described.level}"
        raise Broken(f"{said} they are told by {due.__name__}", LEVEL)


async def _takes_an_unknown_order(trial: Trial, node: Node) -> None:
    number = node.number_of_an_order()
    node.order(b'{"type":"stand on your head","order":%d}\n' % number)
    await node.snapshot()
    done = told_by(node).done(number)
    if not isinstance(done, control.Done) or not done.refusal:
        raise Broken(f"{node.name} does not refuse an order that it cannot know, order {number}", ORDERS)


async def _sleeps(node: Node) -> None:
    node.stop_for_a_while(signal.SIGSTOP)
    await asyncio.sleep(1)
    node.stop_for_a_while(signal.SIGCONT)
    await node.snapshot()


async def _leaves(trial: Trial, node: Node) -> None:
    told, number = told_by(node), node.number_of_an_order()
    node.may_end()
    node.order(control.LeaveGracefully(number))
    leaving = f"{node.name} was asked to leave and does not end within {PATIENCE:g} s"
    held = f"{node.name} has ended, and something that it started still holds its line"
    await trial.until(lambda: node.gone, lambda: Broken(leaving, ORDERS) if node.alive else Broken(held, ENDS))
    if told.done(number) is None:
        raise Broken(f"{node.name} left, and did not answer leavegracefully, order {number}", ORDERS)
    if not told.has_told(Stopped):
        raise Broken(f"{node.name} left, and did not tell Stopped", LEVEL)
    if node.exit_code != 0:
        raise Broken(f"{node.name} left, and ended with code {node.exit_code}", ORDERS)


async def _dials_links(trial: Trial) -> None:
    for node in trial.nodes:
        places = node.connections()
        for other in trial.nodes:
            if other is not node and (control.LOOPBACK, other.port) in places:
                host, port = trial.links[node, other]
                past = f"{control.LOOPBACK}:{other.port}, past its link {host}:{port}"
                raise Broken(f"{node.name} is connected to {other.name} at {past}", LINKS)


async def _does_not_wait(trial: Trial, node: Node) -> None:
    """It is asked for more than its line can hold, and nobody reads. Its peers see whether it goes on."""
    others = [other for other in trial.nodes if other is not node]
    node.turn_away()
    numbers = (node.number_of_an_order() for _ in range(FLOOD))
    node.order(b"".join(contract.line_of(control.TakeSnapshot(number)) for number in numbers))
    silent_for = max(3.0, 3 * trial.settings.heartbeat_timeout / SECOND)
    late = await trial.lets_pass(silent_for)
    for other in others:
        if Member(node.address, told_by(node).uuid) in told_by(other).members:
            continue
        if late > trial.settings.heartbeat_timeout / SECOND * TOO_BUSY:
            busy = f"this machine was too busy ({late:.1f} s without a free core) to say whether {node.name} waits"
            raise UserError(f"{busy} for its line: try again when less runs beside it")
        raise Broken(f"nobody read the line of {node.name} for {silent_for:g} s, and {other.name} lost it", NO_WAIT)
    node.listen_to_it()
    await node.snapshot()
    await _are_members(trial, trial.nodes)


async def _comes_back(trial: Trial, node: Node) -> None:
    before = told_by(node).uuid
    node.kill()
    await node.start()
    told = told_by(node)
    await _until(trial, lambda: told.has_told(Started), f"{node.name} was restarted and does not tell Started")
    if told.uuid == before:
        raise Broken(f"{node.name} was killed and started again, and has the identity {before} of before", IDENTITY)
    await _are_members(trial, trial.nodes)
