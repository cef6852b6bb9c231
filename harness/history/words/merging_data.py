"""The events of the data that go over with a merge, in words. A part of words.py."""

from __future__ import annotations

from collections import Counter

from shaketable.harness.history.names import Names
from shaketable.node import events as e
from shaketable.node.events import Event


def said_of_merging_data(event: Event, names: Names) -> str:
    """Without its subject; "" for an event of another service."""
    member = names.member
    match event:
        case e.EntriesSetAside(version, partitions, entries, not_brought):
            of = f"{_entries(len(entries))} of {_counted(len(partitions), 'partition')} by table {version}"
            rest = f", and {_entries(len(not_brought))} that it had still to bring" if not_brought else ""
            return f"sets aside {of}{rest}"
        case e.EntriesBrought(peer, of, partition, _, entries):
            return f"brings {_entries(len(entries))} of {of}, partition {partition}, to {member(peer)}"
        case e.EntriesMerged(peer, of, partition, _, entries, _, _):
            counts = Counter((outcome, reason) for _, _, outcome, _, reason in entries)
            ends = ", ".join(f"{many} {outcome} ({reason})" for (outcome, reason), many in counts.items())
            return f"learns from {member(peer)} what became of what merges into {of}, partition {partition}: {ends}"
        case e.EntriesGivenUp(entries, reason):
            return f"gives up {_entries(len(entries))} that were to merge ({reason})"
        case e.MergeDataDone(kept, there, changed, lost, given_up):
            told = {"kept": kept, "there already": there, "changed": changed, "lost": lost, "given up": given_up}
            return f"has brought all entries: {', '.join(f'{many} {end}' for end, many in told.items() if many)}"
    return ""


def _entries(number: int) -> str:
    return "1 entry" if number == 1 else f"{number} entries"


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
