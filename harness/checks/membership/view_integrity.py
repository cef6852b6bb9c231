"""M3, view integrity (text 1.4).

The address alone is not enough: a restarted member keeps it."""

from __future__ import annotations

from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.result import CheckResult, Findings, counted
from shaketable.harness.history.history import History
from shaketable.node.events import ViewInstalled

NAME: Final = "view integrity"
RULE: Final = "Each process is a member of every view that it installs, by address and uuid."
NEEDS: Final = (ViewInstalled,)


def check(history: History, bounds: Bounds) -> CheckResult:
    findings = Findings(history)
    seen = installers = nameless = 0
    for process in history.processes.values():
        if not process.installs:
            continue
        installers += 1
        member = process.member
        if member is None:
            nameless += 1
            continue
        for install in process.installs:
            seen += 1
            if member not in install.view.members:
                listed = history.names.members(install.view.members)
                said = f"{history.name(process)} installs v{install.view.version} {listed}, in which it is not."
                findings.add(said, [install.record])
    looked_at = f"{counted(seen, 'install')} of {counted(installers, 'process', 'processes')}"
    notes = [f"the address of {counted(nameless, 'process', 'processes')} is not known"] if nameless else []
    return findings.result(NAME, RULE, looked_at, seen, unknown=bool(nameless), notes=notes)
