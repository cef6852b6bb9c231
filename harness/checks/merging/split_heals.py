"""A split heals (text 4.2 and rulings 4.7).

The check looks at every time in which nothing was broken, begun or ended."""

from __future__ import annotations

from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.merging.splits import Group, Splits, proof_of, who_holds_what
from shaketable.harness.checks.result import CheckResult, Findings, counted
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded
from shaketable.node.events import Merged, ViewInstalled

NAME: Final = "split heals"
RULE: Final = (
    "Parts of a cluster become one cluster of all their members within the converge bound, and stay so, if their links"
    " are whole and one part's master knows an address of the other."
)
NEEDS: Final = (Merged, ViewInstalled)
MOST_TIMES: Final = 5


def check(history: History, bounds: Bounds) -> CheckResult:
    findings = Findings(history)
    took: list[str] = []
    judged = pending = 0
    for group in Splits(history, bounds).groups():
        if not group.was_split:
            continue
        if group.due > group.calm.end and not group.one_at_end:
            pending += group.calm.end == history.end
            continue
        judged += 1
        if group.one_since is not None and group.one_since <= group.due and group.one_at_end:
            took.append(rounded(group.one_since - group.calm.begin))
        else:
            _accuse(history, findings, group)
    looked_at = f"{counted(judged, 'split')} without anything broken"
    if took:
        more = f" and {len(took) - MOST_TIMES} more" if len(took) > MOST_TIMES else ""
        looked_at += f", healed within {', '.join(took[:MOST_TIMES])}{more}"
    if pending:
        looked_at += f", {pending} more still pending when the run ended"
    return findings.result(NAME, RULE, looked_at, judged, pending=pending)


def _accuse(history: History, findings: Findings, group: Group) -> None:
    apart = " and ".join(f"[{' '.join(part)}]" for part in group.parts)
    since, bound = rounded(group.calm.begin), rounded(group.due - group.calm.begin)
    said = f"{apart} are apart, and nothing has been broken since {since}"
    if group.one_at_end:
        assert group.one_since is not None
        said += f"; they become one {rounded(group.one_since - group.calm.begin)} later, not within {bound}"
    elif group.one_since is not None:
        said += f"; they become one at {rounded(group.one_since)}, and do not stay so: {who_holds_what(history, group)}"
    else:
        said += f"; {bound} later they are not one cluster: {who_holds_what(history, group)}"
    findings.add(f"{said}.", proof_of(history, group))
