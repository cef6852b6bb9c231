"""One cluster at the end of the run (rulings 4.7).

"Settled" judges each part by itself. If the run ended before the converge bound, this check does not judge the parts
that are left."""

from __future__ import annotations

from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.merging.splits import Splits, judged_calms, proof_of, who_holds_what
from shaketable.harness.checks.result import CheckResult, Findings, counted
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded
from shaketable.node.events import ViewInstalled

NAME: Final = "converged"
RULE: Final = (
    "With split-brain recovery on, all links whole and addresses to be found, all live members hold one list at the "
    "end, and are its members."
)
NEEDS: Final = (ViewInstalled,)


def check(history: History, bounds: Bounds) -> CheckResult:
    findings = Findings(history)

    def blind(why: str, pending: int = 0) -> CheckResult:
        return findings.result(NAME, RULE, why, 0, pending=pending)

    if not bounds.settings.merging:
        return blind("split-brain recovery is switched off")
    calm = list(judged_calms(history))[-1]
    splits = Splits(history, bounds)
    in_the_way = splits.in_the_way(calm)
    if in_the_way:
        return blind(in_the_way)
    groups = list(splits.groups_in(calm))
    wrong = [group for group in groups if not group.one_at_end]
    for group in wrong:
        if group.due <= calm.end:
            many = rounded(calm.end - calm.begin)
            said = f"After {many} without anything broken there is not one cluster: {who_holds_what(history, group)}."
            findings.add(said, proof_of(history, group))
    members = sum(len(group.nodes) for group in groups)
    if wrong and not findings:
        early = rounded(max(group.due for group in wrong) - calm.end)
        return blind(f"the run ended {early} before the converge bound was over", pending=len(wrong))
    if len(groups) > 1 and not findings:
        several = " and ".join(f"[{' '.join(group.nodes)}]" for group in groups)
        return blind(f"{several} know no way to each other")
    looked_at = f"{counted(members, 'live member')} at the end of the run"
    return findings.result(NAME, RULE, looked_at, members)
