"""Each event of a history in one short sentence for people, with the specification's words and the nodes' names.

Checks quote it as proof, reports tell the story of a run with it, and so can a screen."""

from __future__ import annotations

from shaketable.harness import records as h
from shaketable.harness.history.names import Names
from shaketable.harness.history.words.gms import said_of_groups
from shaketable.harness.history.words.merging import said_of_merging
from shaketable.harness.history.words.merging_data import said_of_merging_data
from shaketable.harness.history.words.partition import said_of_partitions, several
from shaketable.harness.records import HARNESS, Record
from shaketable.node import events as e
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.events import Event
from shaketable.node.why import Why


def seconds(time: Micros) -> str:
    """Exact, without floats: 1500000 is "1.500 s"."""
    sign, time = ("-", -time) if time < 0 else ("", time)
    whole, rest = divmod(time, SECOND)
    millis, micros = divmod(rest, 1000)
    return f"{sign}{whole}.{millis:03d}{f'{micros:03d}' if micros else ''} s"


def rounded(time: Micros) -> str:
    """To the millisecond, for columns."""
    return seconds((time + 500) // 1000 * 1000)


def tell(record: Record, names: Names) -> str:
    """ "n2 installs v3 [n1 n2] by n1 (members update)"."""
    said = _said(record.event, names)
    if type(record.event).__name__ in names.infers:
        said = f"{said}, inferred"
    if not isinstance(record.event, h.NodeNamed):
        said = names.spoken(said)  # reasons are the nodes' own words, and they speak of addresses
    return said if record.node == HARNESS else f"{names.process(record.node, record.incarnation)} {said}"


def _because(reason: str) -> str:
    return f" ({reason})" if reason else ""


def _follows(inferred: tuple[str, ...]) -> str:
    return ", inferred" if inferred else ""


def _said(event: Event, names: Names) -> str:
    """Without its subject."""
    member, members = names.member, names.members
    match event:
        case e.Started():
            return "starts"
        case e.Joined(True, reason, Why.MASTER_CHANGE):  # so members of a group say it, and they alone
            return f"founds a group ({reason})"
        case e.Joined(founded, reason):
            return f"{'founds a cluster' if founded else 'has joined'}{_because(reason)}"
        case e.JoinRefusedBy(peer, reason):
            return f"is refused by {member(peer)}{_because(reason)}"
        case e.JoinBatched(peer):
            return f"lets {member(peer)} wait for others that join"
        case e.JoinRequestIgnored(peer, reason):
            return f"ignores that {member(peer)} asks to join{_because(reason)}"
        case e.Leaving():
            return "is asked to leave"
        case e.Stopped(reason, refused=refused):
            return f"ended: {reason}" if refused else f"stops{_because(reason)}"
        case e.Failed(reason):
            return f"FAILS: {reason}"
        case e.MasterFollowed(master, reason):
            return f"follows {member(master)}{_because(reason)}"
        case e.ViewPublished(version, author, listed, to):
            return f"publishes v{version} {members(listed)} by {names.author(author)} to {several(to, 'member')}"
        case e.ViewInstalled(version, author, _, listed, reason):
            return f"installs v{version} {members(listed)} by {names.author(author)}{_because(reason)}"
        case e.ViewIgnored(version, author, peer, reason):
            return f"ignores v{version} by {names.author(author)}, sent by {member(peer)}{_because(reason)}"
        case e.MemberRemoved(peer, version, reason, inferred=inferred):
            return f"removes {member(peer)} in v{version}{_because(reason)}{_follows(inferred)}"
        case e.Suspected(peer, reason, silence=silence, inferred=inferred):
            after = f" after {rounded(silence)} of silence" if silence is not None else ""
            return f"suspects {member(peer)}{after}{_because(reason)}{_follows(inferred)}"
        case e.SuspicionEnded(peer, reason):
            return f"suspects {member(peer)} no longer{_because(reason)}"
        case e.ExplicitSuspicionSent(peer, reason):
            return f"sends explicit suspicion to {member(peer)}{_because(reason)}"
        case e.ExplicitSuspicionReceived(peer, obeyed, reason):
            return f"{'obeys' if obeyed else 'ignores'} explicit suspicion from {member(peer)}{_because(reason)}"
        case e.ComplaintSent(peer):
            return f"complains to its master of a heartbeat from {member(peer)}"
        case e.ComplaintReceived(peer, complained_of, reason):
            return f"gets a complaint from {member(peer)} about {member(complained_of)}{_because(reason)}"
        case e.TriggerSent(peer, third_party):
            return f"has {member(peer)} send explicit suspicion to {member(third_party)}"
        case e.TriggerReceived(peer, third_party, obeyed, reason):
            does = "sends" if obeyed else "sends no"
            return f"{does} explicit suspicion to {member(third_party)} for {member(peer)}{_because(reason)}"
        case e.ConfirmationIgnored(peer, reason):
            return f"ignores a master confirmation of {member(peer)}{_because(reason)}"
        case e.MembersSeen(seen):
            return f"sees {members(seen)}"
        case e.StaleHeartbeat(peer, age):
            return f"ignores a heartbeat of {member(peer)} that is {rounded(age)} old"
        case e.RoundLate(lateness, afresh):
            return (
                f"runs its heartbeat round {rounded(lateness)} late{', all deadlines start afresh' if afresh else ''}"
            )
        case e.LinkDown(address):
            return f"loses its link to {names.place(address)}"
        case e.LinkUp(address):
            return f"has its link to {names.place(address)}"
        case e.LinkClosed(address):
            return f"hangs up its link to {names.place(address)}"
        case e.SuspicionsReported(peer, suspected):
            return f"is told by {member(peer)}: suspects {members(suspected) if suspected else 'nobody any more'}"
        case e.DisconnectionResolved(version, listed, reports, unsettled, leave, _, replicas):
            told = ", ".join(f"{member(who)} suspects {members(whom)}" for who, whom in reports)
            told += "".join(f", {members(two)} not counted yet" for two in unsettled)
            stay = members(tuple(m for m in listed if m not in leave))
            told += f"; replicas: {' '.join(map(str, replicas))}" if replicas else ""
            return f"decides that {stay} of v{version} stay and {members(leave)} leave ({told})"
        case e.DisconnectionUnresolved(version, timed_out, _, reason):
            said = "finds in time no answer to who stays of" if timed_out else "drops its decision about"
            return f"{said} v{version}: nobody leaves{_because(reason)}"
        case e.ClaimStarted(version, listed):
            return f"claims the mastership of v{version} {members(listed)}"
        case e.ClaimAsked(peer):
            return f"asks {member(peer)} to accept its claim"
        case e.ClaimAnswered(peer, answer, version, listed, reason):
            shown = f" with v{version} {members(listed)}" if listed is not None else ""
            return f"is answered by {member(peer)}: {answer}{shown}{_because(reason)}"
        case e.ClaimConsented(peer, version, _, listed, suspected):
            doubts = f", suspecting {members(suspected)}" if suspected else ""
            return f"accepts the claim of {member(peer)}, holding v{version} {members(listed)}{doubts}"
        case e.ClaimDeclined(peer, final, reason):
            return f"declines the claim of {member(peer)}{' for good' if final else ' for now'}{_because(reason)}"
        case e.ClaimFinished(version, listed, left_out):
            without = ", ".join(f"{member(who)}: {why}" for who, why in left_out)
            return f"finishes its claim with v{version} {members(listed)}{_because(without and 'without ' + without)}"
        case e.FramesDropped(reason, count):
            return f"drops {count} frames{_because(reason)}"
        case e.LinkSilent(address):
            return f"gets nothing from {names.place(address)}"
        case e.LinkHeard(address):
            return f"gets frames from {names.place(address)}"
        case e.MessagesLost(address, count, before):
            lost = "a message" if count == 1 else f"{count} messages"
            return f"misses {lost} from {names.place(address)}; the one before came {rounded(before)} ago"
        case e.StoodStill(lasted):
            return f"stood still for {rounded(lasted)}"
        case e.FramesLate(address, lateness):
            return f"gets frames from {names.place(address)} that were {rounded(lateness)} under way"
        case e.Held(_, name, handed_over):
            return f"holds at {name}, {handed_over} messages handed over"
        case e.Released(_, name):
            return f"goes on after {name}"
        case e.FilterMatched(fault, message, address):
            return f"catches a {message} to {names.place(address)} (fault {fault})"
    return (
        said_of_partitions(event, names)
        or said_of_merging(event, names)
        or said_of_merging_data(event, names)
        or said_of_groups(event, names)
        or _said_by_harness(event)
    )


def _said_by_harness(event: Event) -> str:
    match event:
        case h.RunBegan(script, world, fabric, seed, preset, system=system):
            whose = "" if system.is_ours else f" {system.full_name},"
            return f"{script} begins, {world},{whose} links: {fabric}, seed {seed}, preset {preset}"
        case h.NodeNamed(peer, address):
            return f"{peer} is {address}"
        case h.NodeConfigured(peer, settings):
            return f"{peer} has settings of its own: {', '.join(f'{name} {value}' for name, value in settings.items())}"
        case h.AddressesConfigured(peer, knows):
            return f"{peer} is configured with the addresses of {', '.join(knows)}"
        case h.StepBegan(step):
            return step
        case h.AskedByHand(number, call):
            return f"by hand {number}: {call}"
        case h.AnsweredByHand(number, fault, trouble, said=said):
            told = trouble or said or ("done" if fault is None else f"it is fault {fault}")
            return f"by hand {number}: {told}"
        case h.PlanPlayed(deeds):
            return f"plays a plan of {deeds} deed{'s' * (deeds != 1)}"
        case h.NodeSpawned(peer):
            return f"{peer} is spawned"
        case h.NodeEnded(peer, reason, _, more):
            return f"{peer} is gone{_because('; '.join(filter(None, (reason, more))))}"
        case h.FaultAsked(fault, verb, nodes, links, detail):
            return f"fault {fault}: {' '.join((verb, *nodes, *links))}{_because(detail)}"
        case h.FaultMayMiss(fault):
            return f"fault {fault} need not come upon anything"
        case h.FaultTook(fault, how):
            return f"fault {fault} took effect{_because(how)}"
        case h.DatagramCaught(fault, link):
            return f"fault {fault} comes upon its first datagram, of {link}"
        case h.FaultEndAsked(fault):
            return f"fault {fault} is to end"
        case h.FaultEnded(fault, how):
            return f"fault {fault} has ended{_because(how)}"
        case h.FaultWithoutEffect(fault, reason):
            return f"fault {fault} TOOK NO EFFECT{_because(reason)}"
        case h.FabricTrouble(reason):
            return f"TROUBLE with the links: {reason}"
        case h.FabricRestored(reason):
            return f"the links are back{_because(reason)}"
        case h.NotUnderstood(peer, reason):
            return f"{peer} tells what is not understood: {reason}"
        case h.HarnessLate(lateness):
            return f"the harness itself is {rounded(lateness)} late"
        case h.Expected(what, within, held, reason):
            outcome = "it holds" if held else "IT DOES NOT HOLD"
            return f"expected within {rounded(within)} of the last fault: {what}: {outcome}{_because(reason)}"
        case h.InvariantBroken(what, reason):
            return f"ALWAYS was broken: {what}{_because(reason)}"
        case h.ScriptEnded(outcome, reason):
            return f"the script ends: {outcome}{_because(reason)}"
    return _anything(event)


def _anything(event: Event) -> str:
    """A kind that nobody found words for yet: its name and its fields. A test sees to it that there is none."""
    fields = ", ".join(f"{name} {getattr(event, name)}" for name in event.__struct_fields__)
    return f"{type(event).__name__}{_because(fields)}"
