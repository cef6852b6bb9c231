"""What the museum says of each exhibit in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Final

from shaketable.harness.checks.result import counted
from shaketable.harness.console.screen import Screen
from shaketable.harness.pipeline.museum.exhibits import Exhibit
from shaketable.harness.pipeline.museum.museum import Shown, Way

BY_ITS_STORY: Final = "no check, its story alone"
"""in the place of the check"""


def tell_list(exhibits: Sequence[Exhibit], screen: Screen) -> None:
    for exhibit in exhibits:
        screen.say(f"{exhibit.name} ({exhibit.family}), rule: {exhibit.rule or BY_ITS_STORY}", "bold")
        screen.say(f"  {exhibit.title}")
        screen.say(f"  {exhibit.script}{f'; {exhibit.incident}' if exhibit.incident else ''}")


def tell(shown: Sequence[Shown], screen: Screen) -> None:
    for each in shown:
        _tell_one(each, screen)
    word, style = ("PASSED", "bold green") if all(each.caught for each in shown) else ("FAILED", "bold red")
    by_check = sum(each.caught_by_its_check for each in shown)
    alone = sum(each.caught for each in shown) - by_check
    others = f", {alone} by {'its story' if alone == 1 else 'their stories'} alone" if alone else ""
    exhibits = counted(len(shown), "exhibit")
    screen.say(f"{word}  {by_check} of {exhibits} caught by the check that names its rule{others}", style)
    drawn = [each for each in shown if each.random is not None]
    if drawn:
        after = [each.random.after for each in drawn if each.random is not None and each.random.after is not None]
        said = f", in the median after {counted(round(median(after)), 'run')}" if after else ""
        screen.say(f"Under random plans {len(after)} of {len(drawn)} were caught by it as well{said}")
    runs = sum(each.story.runs + (each.random.runs if each.random else 0) for each in shown)
    seconds = sum(each.story.seconds + (each.random.seconds if each.random else 0) for each in shown)
    screen.say(f"{counted(runs, 'run')}, {seconds:.1f} s of one core")


def _tell_one(shown: Shown, screen: Screen) -> None:
    exhibit = shown.exhibit
    mark, style = ("✓", "bold green") if shown.caught else ("✗", "bold red")
    screen.say(f"{mark} {exhibit.name}: {exhibit.rule or BY_ITS_STORY}", style)
    screen.say(f"  {exhibit.title}")
    if exhibit.incident:
        screen.say(f"  {exhibit.incident}")
    screen.say(f"  its story: {_story(shown.story)}{'' if shown.sound else '; and red without the fault as well'}")
    if shown.random is not None:
        screen.say(f"  random plans: {_random(shown.random, exhibit)}")
    if not shown.caught or exhibit.source:
        return
    screen.say(f"  again: {shown.story.again}")


def _story(way: Way) -> str:
    others = ", ".join(sorted(way.by))
    return (
        f"caught in {way.caught} of {counted(way.runs, 'run')}, {1000 * way.seconds / way.runs:.0f} ms each"
        f"{f'; red: {others}' if others else ''}"
    )


def _random(way: Way, exhibit: Exhibit) -> str:
    cost = f"{way.seconds:.1f} s"
    if way.after is not None:
        return f"caught after {counted(way.after, 'run')}, {cost}: {way.again}"
    if way.seen_after is not None:
        red = ", ".join(sorted(way.by)) or "an expectation"
        seen = f"seen after {counted(way.seen_after, 'run')} by {red}: {way.again}"
        return f"{f'not by {exhibit.rule}' if exhibit.rule else 'no check asks'} in {way.runs} runs, {cost}; {seen}"
    return f"not seen in {counted(way.runs, 'run')}, {cost}"
