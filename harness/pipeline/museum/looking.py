"""How random plans look for a fault: plain seeds one after the other, or a search that goes on from what they reach."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import Final, NamedTuple

from shaketable.harness.coverage import marks_of
from shaketable.harness.history.history import History
from shaketable.harness.nemesis.corpus import Corpus, Found
from shaketable.harness.nemesis.failing import plan_in, script_of
from shaketable.harness.nemesis.plan import Plan
from shaketable.harness.nemesis.searching import next_of
from shaketable.harness.runs.run import Finished, Options
from shaketable.harness.scripting.scripts import Script

FIRST: Final = 3
"""so often each script plays a drawn plan first: what many plans show needs no search, and a search needs something to
go on from"""
EVERY: Final = 3
"""then so many runs are one with a drawn plan, and others with changed ones"""


class Try(NamedTuple):
    script: Script
    options: Options
    plan: Plan | None = None
    """which the search has made; None: the script draws its own"""


class Looking(NamedTuple):
    tries: Iterator[Try]
    saw: Callable[[Try, Finished], None]
    """is told of each try before the next one is asked for"""


def plainly(plans: Sequence[Script], values: Mapping[str, object], first: int) -> Looking:
    """All these with the first seed, then all with the next one."""

    def tries() -> Iterator[Try]:
        seed = first
        while True:
            yield from (Try(script, Options("sim", seed=seed, values=values)) for script in plans)
            seed += 1

    return Looking(tries(), lambda a_try, finished: None)


def searching(plans: Sequence[Script], values: Mapping[str, object], first: int, where: str) -> Looking:
    """`where`: what the file of a plan is called, without its number."""
    search = _Search(plans, values, first, where)
    return Looking(search.tries(), search.saw)


class _Search:
    def __init__(self, plans: Sequence[Script], values: Mapping[str, object], first: int, where: str) -> None:
        self._scripts = {script.name: script for script in plans}
        self._values = values
        self._seed = first
        self._where = where
        self._corpus = Corpus()
        self._plans: dict[str, Plan | None] = {}
        self._turn = 0

    def tries(self) -> Iterator[Try]:
        """No seed is played twice: the plans of one seed are alike in all scripts."""
        for turn in count():
            for script in self._scripts.values():
                yield Try(script, self._options())
                for _ in range(EVERY - 1 if turn >= FIRST else 0):
                    changed = self._changed()
                    if changed is not None:
                        yield changed

    def saw(self, a_try: Try, finished: Finished) -> None:
        history = History(finished.records)
        run = str(a_try.options.seed)
        self._plans[run] = plan_in(finished.records)
        self._corpus.add(Found(len(history.records), run, a_try.script.name), marks_of(history))

    def _changed(self) -> Try | None:
        found = next_of(
            self._corpus,
            str(self._seed),
            self._turn,
            lambda run: self._plans[run.run],
            lambda run: Options("sim", values=self._values).settings(self._scripts[run.script]),
        )
        if found is None:
            return None
        self._turn += 1
        script = self._scripts[found.after.script]
        return Try(script_of(found.plan, script), self._options(f"{self._where}-{self._seed}.json"), found.plan)

    def _options(self, plan: str = "") -> Options:
        self._seed += 1
        return Options("sim", seed=self._seed - 1, values=self._values, plan=plan)
