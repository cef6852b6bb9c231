"""Version and author are the key of a view.

Lists of one version and two authors may differ (rulings 6.1)."""

from __future__ import annotations

from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.result import CheckResult, Findings, counted
from shaketable.harness.history.history import History, Key
from shaketable.harness.records import Record
from shaketable.node.events import ViewInstalled
from shaketable.node.messages import Member

NAME: Final = "one list a key"
RULE: Final = "Views of the same version and author have the same members in the same order, wherever they are seen."
NEEDS: Final = (ViewInstalled,)


def check(history: History, bounds: Bounds) -> CheckResult:
    findings = Findings(history)
    first: dict[Key, tuple[tuple[Member, ...], Record]] = {}
    compared = 0
    for process in history.processes.values():
        mentions = [(i.key, i.view.members, i.record) for i in process.installs]
        mentions += [(p.key, p.view.members, p.record) for p in process.publishes]
        for key, members, record in mentions:
            known = first.setdefault(key, (members, record))
            if known[1] is record:
                continue
            compared += 1
            if known[0] != members:
                names = history.names
                said = (
                    f"v{key[0]} by {names.author(key[1])} is {names.members(known[0])} in one place "
                    f"and {names.members(members)} in another."
                )
                findings.add(said, [known[1], record])
    return findings.result(NAME, RULE, f"{counted(len(first), 'view')} in {counted(compared, 'comparison')}", compared)
