"""The shell command that does again what was done by hand: the saved script says it of itself, and the screen too."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from shaketable.harness.errors import UserError
from shaketable.harness.records import Record, option_for
from shaketable.harness.systems.registry import chosen
from shaketable.harness.verdicts.verdict import USUAL_PRESET
from shaketable.node.config import SettingError, by_our_names, read_settings
from shaketable.node.core.env import SECOND
from shaketable.tui.model.hands.by_hand import ByHand, session_in
from shaketable.tui.model.run_facts import RunFacts

USUAL_SEED: Final = 1
MINUTE: Final = 60 * SECOND


def command_of_script(records: Iterable[Record], facts: RunFacts, path: Path) -> str:
    """The shell command that does again what was done by hand in this history, and was saved there."""
    return command_for(session_in(records), facts, path)


def command_for(session: ByHand, facts: RunFacts, path: Path) -> str:
    """By the same settings, the same chance, and with time enough: a session may last longer than a run usually may."""
    words = ["shaketable", "run", str(path), "--world", facts.world]
    words += option_for(facts.system.asked) if not facts.system.is_ours else []
    words += ["--preset", facts.preset] if facts.preset else []
    words += ["--seed", str(facts.seed)] if facts.seed != USUAL_SEED else []
    limit = _limit(session, facts)
    return shlex.join([*words, "--limit", str(limit)] if limit else words)


def its_settings(facts: RunFacts) -> Mapping[str, object]:
    """Those that its system comes with; none are known of one that is not installed here."""
    if facts.system.is_ours:
        return {}
    try:
        return chosen(facts.system.asked).system.settings
    except UserError:
        return {}


def _limit(session: ByHand, facts: RunFacts) -> int:
    """In seconds, half as much again as it is to take; 0: the world's own is enough."""
    from shaketable.harness.bounds.cluster import Bounds  # what runs a script takes a moment to load
    from shaketable.harness.runs.run import LIMITS

    try:
        settle = Bounds(read_settings(facts.preset or USUAL_PRESET[facts.world], by_our_names(facts.settings))).settle()
    except (SettingError, KeyError):
        settle = MINUTE  # of a history of another version
    takes = (session.last + 2 * settle) * 3 // 2
    return -(-takes // MINUTE) * MINUTE // SECOND if takes > LIMITS.get(facts.world, math.inf) * SECOND else 0
