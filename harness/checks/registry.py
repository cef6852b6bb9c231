"""All the guarantees, in the fixed order in which every report lists them.

To import it loads every check. A caller that only reads what was judged does not need it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.clique import best_clique
from shaketable.harness.checks.data import merged_data, no_lost_data
from shaketable.harness.checks.detection import detection
from shaketable.harness.checks.groups import (
    every_failure_told,
    group_detection,
    joins_in_order,
    leadership_agrees,
    message_cost,
    no_false_failure,
    one_master,
    one_view,
    rejoin,
    same_notifications,
    shutdown_is_no_failure,
    suspected_first,
    view_sequence,
)
from shaketable.harness.checks.membership import (
    claims,
    consequences,
    following,
    fully_connected,
    joined,
    nothing_waits,
    one_list_a_key,
    settled,
    single_authority,
    view_agreement,
    view_integrity,
    view_order,
)
from shaketable.harness.checks.merging import converged, identities_renewed, one_direction, split_heals
from shaketable.harness.checks.own import not_at_hand, own_check
from shaketable.harness.checks.partitions import (
    balanced,
    commit_order,
    completed_list,
    in_place,
    replica_count,
    table_order,
)
from shaketable.harness.checks.reasons import true_reasons
from shaketable.harness.checks.result import NOT_TOLD, Check, CheckResult, Depends
from shaketable.harness.checks.shared.deciding import NO_DECISIONS, NO_MERGES, NOBODY_DECIDES, with_settings
from shaketable.harness.checks.told import not_told, with_inferred
from shaketable.harness.history.history import History
from shaketable.harness.records import NodeNamed, UnderTest
from shaketable.node.config import GMS, SettingError

DEPENDS: Final[Mapping[str, tuple[Depends, ...]]] = {
    fully_connected.NAME: (NOBODY_DECIDES,),
    best_clique.NAME: (NO_DECISIONS,),
    **dict.fromkeys(
        (module.NAME for module in (split_heals, one_direction, identities_renewed, merged_data, converged)),
        (NO_MERGES,),
    ),
}
"""the settings that decide whether anything upholds it"""
CHECKS: Final[tuple[Check, ...]] = tuple(
    Check(module.NAME, module.RULE, module.check, DEPENDS.get(module.NAME, ()), module.NEEDS)
    for module in (
        view_order,
        view_agreement,
        view_integrity,
        one_list_a_key,
        single_authority,
        following,
        claims,
        consequences,
        true_reasons,
        joined,
        fully_connected,
        best_clique,
        split_heals,
        one_direction,
        identities_renewed,
        table_order,
        replica_count,
        commit_order,
        completed_list,
        no_lost_data,
        merged_data,
        settled,
        converged,
        nothing_waits,
        balanced,
        in_place,
        detection,
    )
)
GROUP_CHECKS: Final[tuple[Check, ...]] = tuple(
    Check(module.NAME, module.RULE, module.check, DEPENDS.get(module.NAME, ()), module.NEEDS)
    for module in (
        view_sequence,
        one_list_a_key,
        same_notifications,
        leadership_agrees,
        joins_in_order,
        rejoin,
        suspected_first,
        no_false_failure,
        every_failure_told,
        shutdown_is_no_failure,
        one_master,
        one_view,
        settled,
        message_cost,
        group_detection,
    )
)
"""Those that judge a group; the others speak of what only a cluster has."""
CHECK_NAMES: Final[tuple[str, ...]] = tuple(dict.fromkeys(check.name for check in (*CHECKS, *GROUP_CHECKS)))
NEEDS_THE_FAULTS: Final = tuple(
    check.NAME
    for check in (
        view_agreement,
        fully_connected,
        split_heals,
        settled,
        converged,
        nothing_waits,
        balanced,
        in_place,
        detection,
        no_false_failure,
        every_failure_told,
        one_master,
        one_view,
        group_detection,
    )
)
"""Checks that say what must come about after what was done; the others hold whatever was done, or was not."""
GO_BY_TIMES: Final = (
    *NEEDS_THE_FAULTS,
    *(check.NAME for check in (best_clique, identities_renewed, same_notifications, suspected_first)),
    *(check.NAME for check in (shutdown_is_no_failure, message_cost)),
)
"""Checks that also say by when: a machine that is late breaks what they promise. The others hold at any speed."""


def checks_of(family: str, own: str = "") -> tuple[Check, ...]:
    """Those that judge such a run: ours, and then those that the setting `own_checks` names."""
    return (*(GROUP_CHECKS if family == GMS else CHECKS), *map(_own_or_why_not, own.split()))


def check_own(named: str) -> tuple[str, ...]:
    """What they are called. SettingError: one cannot be found, or is called as another one is."""
    names: list[str] = []
    for each in named.split():
        name = own_check(each).name
        if name in (*CHECK_NAMES, *names):
            raise SettingError(f"own_checks: {each} is called {name!r}, as another check is; give it another name")
        names.append(name)
    return tuple(names)


def _own_or_why_not(name: str) -> Check:
    try:
        return own_check(name)
    except SettingError as error:
        return not_at_hand(name, str(error))


def run_checks(history: History, bounds: Bounds, names: Iterable[str] | None = None) -> tuple[CheckResult, ...]:
    """The named ones that judge such a run, or all, always in the same order. Those that watch share one replay."""
    wanted = None if names is None else frozenset(names)
    bounds = bounds.of_so_many(len({record.event.peer for record in history.of(NodeNamed)}))
    checks = [
        check
        for check in checks_of(bounds.settings.family, bounds.settings.own_checks)
        if wanted is None or check.name in wanted
    ]
    begun = [untold(check, history.system, history) or check.begin(history, bounds) for check in checks]
    watching = [each.see for each in begun if not isinstance(each, CheckResult)]
    if watching:
        for record, node, seen in history.replay():
            for see in watching:
                see(record, node, seen)
    results = [each if isinstance(each, CheckResult) else each.result() for each in begun]
    judged = zip(results, checks, strict=True)
    return tuple(
        each
        if each.status == NOT_TOLD
        else with_inferred(with_settings(each, check.depends, history, bounds.settings), check, history)
        for each, check in judged
    )


def untold(check: Check, system: UnderTest, history: History | None = None) -> CheckResult | None:
    """Its result where this system does not tell what it needs, in any run or in this one, or does not promise it. A
    check of the user's own need not be promised: the user wants it to judge."""
    return not_told(check, system, history, promised=check.name not in CHECK_NAMES)
