"""One run on real processes, and what was measured of it. A run in which not all went as it was asked has no figures,
and a sentence says why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from shaketable.harness.detectors.quality.beliefs import KINDS
from shaketable.harness.detectors.quality.named import known
from shaketable.harness.detectors.quality.of_a_run import OfRun, measured
from shaketable.harness.detectors.real.contenders import Contender, trial_of
from shaketable.harness.detectors.real.trial import RealTrial, Times
from shaketable.harness.history.history import History
from shaketable.harness.records import UnderTest
from shaketable.harness.runs.interrupts import Interrupts
from shaketable.harness.runs.run import Finished, run_real
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.verdicts.busy import Machine, words_of
from shaketable.harness.verdicts.reasons import reasons_of
from shaketable.node.events import Suspected


@dataclass(frozen=True, slots=True)
class Asked:
    contender: Contender
    times: Times
    members: int
    condition: str
    seed: int


def play(asked: Asked, say: Callable[[str], None], interrupts: Interrupts) -> OfRun | str:
    """Or why nothing can be said. Its processes are gone when this returns."""
    trials: list[RealTrial] = []
    names = [f"n{number}" for number in range(1, asked.members + 1)]

    async def body(cluster: Cluster) -> None:
        trial = RealTrial(cluster, names, asked.times, asked.seed, asked.condition, known(asked.condition))
        trials.append(trial)
        await trial.run()

    options = replace(asked.contender.options, seed=asked.seed)
    with TemporaryDirectory(prefix="shaketable-", ignore_cleanup_errors=True) as folder:
        finished = run_real(trial_of(body), options, folder=Path(folder), say=say, interrupts=interrupts)
    return why_unknown(finished) or figures_of(finished, trials[0], options.chosen.under_test)


def figures_of(finished: Finished, trial: RealTrial, under_test: UnderTest) -> OfRun:
    trace = trial.trace
    kept = (record for record in finished.records if isinstance(record.event, KINDS))
    trace.records = sorted(kept, key=lambda record: record[:4])
    trace.doubts_told = under_test.told(Suspected)
    return measured(trace)


def why_unknown(finished: Finished) -> str:
    """A fault without evidence, a member that failed, a busy machine, members that came to no list; "": nothing is."""
    history = History(finished.records)
    machine = Machine(history, finished.settings, finished.allowance)
    late = sorted(machine.too_late(history.end), key=lambda late: late.begin - late.end)
    said = (reason.text for reason in reasons_of(history))
    return next(said, words_of(late) if late else "")
