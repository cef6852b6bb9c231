"""Shows one exhibit: its own story on a few seeds, the same story without the fault, and random plans until it is seen.

Nothing here knows Spark. Times are real times, and hang on the machine; all else does not."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from shaketable.harness.checks.result import BROKEN
from shaketable.harness.nemesis.plan import to_json
from shaketable.harness.pipeline.museum.exhibits import Exhibit, member_of
from shaketable.harness.pipeline.museum.looking import Looking, Try, plainly, searching
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Finished, Options, run_simulated
from shaketable.harness.scripting.scripts import Script, own_settings, scripts_of
from shaketable.harness.verdicts.verdict import PASSED, RunVerdict
from shaketable.node.config import NO_LEGACY_FAULT, by_our_names

NEAREST: Final = 3
"""so many kinds of random plans are tried on a fault: those that are most like its own story"""


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a fault in one way of showing it."""

    runs: int
    seconds: float
    caught: int
    """runs in which the check that names its rule was broken; where none does, in which its story saw it"""
    after: int | None
    """so many runs until the first of these"""
    seen_after: int | None
    """so many runs until anything was seen: that check, another one, or an expectation that did not come true"""
    by: dict[str, int]
    """by check, in how many runs it was broken"""
    again: str = ""
    """the command for the first run in which it was caught, or seen"""
    plan: str = ""
    """the fault plan of that run, as JSON, if a search has made it"""
    plan_at: str = ""
    """the file in which that command looks for it"""


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    exhibit: Exhibit
    story: Way
    sound: bool
    """without the fault the same story breaks nothing"""
    random: Way | None = None

    @property
    def caught(self) -> bool:
        """In every run of its own story, and nothing is caught where there is no fault."""
        return self.story.caught == self.story.runs and self.sound

    @property
    def caught_by_its_check(self) -> bool:
        """And not by its story alone."""
        return self.caught and bool(self.exhibit.rule)


class Random(NamedTuple):
    """How random plans are to be tried on a fault."""

    plans: Sequence[Script]
    """of its family"""
    most: int
    """runs"""
    search: bool = True
    """it goes on from what the runs before have reached; else the seeds are played one after the other"""
    first: int = 1
    """seed"""
    where: str = "plans"
    """the folder in which a plan that the search has made is kept, if it shows the fault"""


def show(exhibit: Exhibit, seeds: int, by_chance: Random | None = None, *, file: str = "") -> Shown:
    """`file`: what the story's is called where the command was given, perhaps on another machine."""
    script, member = _story(exhibit)
    script = replace(script, file=file or script.file)
    options = [Options("sim", seed=seed) for seed in range(1, seeds + 1)]
    story = _way(exhibit, Looking(iter(Try(script, each) for each in options), _no_matter), member, seeds)
    sound = _is_sound(exhibit, script, options[0])
    random = None
    if by_chance is not None and by_chance.plans and by_chance.most:
        looking = looking_for(exhibit, script, by_chance)
        random = _way(exhibit, looking, member, by_chance.most, until_caught=True)
    return Shown(exhibit=exhibit, story=story, sound=sound, random=random)


def looking_for(exhibit: Exhibit, story: Script, by_chance: Random) -> Looking:
    values = {"family": exhibit.family, "legacy_fault": exhibit.fault} if exhibit.fault else {}
    near = nearest(story, by_chance.plans)
    if not by_chance.search:
        return plainly(near, values, by_chance.first)
    return searching(near, values, by_chance.first, f"{by_chance.where}/{exhibit.script}")


def nearest(story: Script, plans: Sequence[Script]) -> list[Script]:
    """The plans that set what the story sets, and to the same values: a fault of merging is never seen where nothing
    merges, nor one of data where there are none."""

    def unlike(plan: Script) -> tuple[int, int]:
        own, its = (_set_by(script) for script in (story, plan))
        return -len(own.keys() & its.keys()), sum(own.get(name) != value for name, value in its.items())

    return sorted(plans, key=unlike)[:NEAREST]


def _set_by(script: Script) -> Mapping[str, object]:
    values = by_our_names(own_settings(script.settings, Options("sim").settings(script)))
    return {name: value for name, value in values.items() if name != "legacy_fault"}


def _way(exhibit: Exhibit, looking: Looking, member: Any, most: int, *, until_caught: bool = False) -> Way:
    began, by = time.monotonic(), Counter[str]()
    done = caught = 0
    after = seen_after = None
    shows: Try | None = None
    again = ""
    for each in islice(looking.tries, most):
        done += 1
        finished = run_simulated(each.script, each.options, make_member=member)
        verdict = judged(finished, story=False)
        broken = [check.name for check in verdict.checks if check.status == BROKEN]
        by.update(broken)
        seen = bool(broken) or verdict.outcome != PASSED
        is_it = _is_caught(exhibit, verdict, broken)
        caught += is_it
        if is_it and after is None:
            after, again, shows = done, verdict.again, each
        if (seen or is_it) and seen_after is None:
            seen_after = done
            again, shows = again or verdict.again, shows or each
        if is_it and until_caught:
            break
        looking.saw(each, finished)
    return Way(
        runs=done,
        seconds=time.monotonic() - began,
        caught=caught,
        after=after,
        seen_after=seen_after,
        by=dict(by),
        again=again,
        plan=to_json(shows.plan) if shows is not None and shows.plan is not None else "",
        plan_at=shows.options.plan if shows is not None else "",
    )


def _no_matter(a_try: Try, finished: Finished) -> None:
    """It changes nothing."""


def _is_caught(exhibit: Exhibit, verdict: RunVerdict, broken: Sequence[str]) -> bool:
    """Where no check names the rule the story asks: it passes if the fault shows."""
    if not exhibit.rule:
        return verdict.script == exhibit.script and verdict.outcome == PASSED
    return exhibit.rule in broken


def _is_sound(exhibit: Exhibit, script: Script, options: Options) -> bool:
    values = {"legacy_fault": NO_LEGACY_FAULT} if exhibit.fault else {}
    verdict = judged(run_simulated(script, Options("sim", seed=options.seed, values=values)), story=False)
    return all(check.status != BROKEN for check in verdict.checks)


def _story(exhibit: Exhibit) -> tuple[Script, Callable[..., Any] | None]:
    if exhibit.source:
        return member_of(exhibit)
    (script,) = [each for each in scripts_of(Path(exhibit.file)) if each.name == exhibit.script]
    return script, None
