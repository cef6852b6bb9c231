"""docs/found/stories-on-hazelcast.md, from reports of runs of the whole folder, or of stories that were played again:

shaketable run chaos/ --system hazelcast --report out
python -m tests.story_table out/report.json

Each story that is red in one of them has to be named in docs/found.md."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.where import DOCS, anchor, with_part

from shaketable.harness.runs.fitting import why_not
from shaketable.harness.runs.run import Options
from shaketable.harness.scripting.targets import scripts_of_ours
from shaketable.harness.verdicts.reasons import FAILED
from shaketable.harness.verdicts.verdict import PASSED

PAGE: Final = DOCS / "found" / "stories-on-hazelcast.md"
FOUND: Final = DOCS / "found.md"


@dataclass(slots=True)
class Story:
    file: str
    outcomes: list[str] = field(default_factory=list)

    @property
    def said(self) -> str:
        counts = {outcome: self.outcomes.count(outcome) for outcome in dict.fromkeys(self.outcomes)}
        if len(self.outcomes) == 1:
            return self.outcomes[0]
        return ", ".join(f"{outcome} {count} of {len(self.outcomes)}" for outcome, count in counts.items())

    @property
    def is_sound(self) -> bool:
        return set(self.outcomes) == {PASSED}


def entries() -> dict[str, str]:
    """By the story that it names: the heading of its entry."""
    found: dict[str, str] = {}
    heading = ""
    for line in FOUND.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            heading = line.removeprefix("## ")
        for name in re.findall(r"`([a-z0-9-]+)`", line) if heading else ():
            found.setdefault(name, heading)
    return found


def left_out(system: str) -> dict[str, list[str]]:
    """The scripts that it cannot play, by the reason."""
    found: dict[str, list[str]] = {}
    options = Options("real", system=system)
    for script in scripts_of_ours():
        if why := why_not(script, options):
            found.setdefault(why.kind.value, []).append(script.name)
    return found


def told(reports: Sequence[Mapping[str, Any]], unfit: Mapping[str, Sequence[str]]) -> Iterator[str]:
    stories: dict[str, Story] = {}
    told_once: dict[str, bool] = {}
    never = {name for names in unfit.values() for name in names}
    for run in (run for report in reports for run in report["runs"] if run["script"] not in never):
        stories.setdefault(run["script"], Story(run["file"])).outcomes.append(run["outcome"])
        for check in run["checks"]:
            told_once[check["name"]] = told_once.get(check["name"], False) or check["status"] != "not told"
    not_told = [name for name, once in told_once.items() if not once]
    found = entries()
    sound = sum(story.is_sound for story in stories.values())
    reds = sum(FAILED in story.outcomes for story in stories.values())
    runs = sum(len(story.outcomes) for story in stories.values())
    red = f"{reds} {'was' if reds == 1 else 'were'} red at least once"
    yield f"{len(stories)} stories were played in {runs} runs. {sound} passed each time, {red}."
    yield ""
    yield f"Not told in any of them: {', '.join(not_told)}."
    yield ""
    yield from ("| story | file | result | |", "|---|---|---|---|")
    for name, story in sorted(stories.items(), key=lambda each: (each[1].file, each[0])):
        heading = "" if story.is_sound else found.get(name, "")
        why = f"[{heading}](../found.md#{anchor(heading)})" if heading else ""
        yield f"| {name} | `{story.file.rpartition('chaos/')[2]}` | {story.said} | {why} |"
    yield from ("", "These cannot be played:", "")
    for kind, names in sorted(unfit.items(), key=lambda each: -len(each[1])):
        yield f"- {len(names)}: {kind}: {', '.join(names)}"


def unexplained(reports: Sequence[Mapping[str, Any]]) -> list[str]:
    """The stories that were red, and of which docs/found.md says nothing."""
    reds = {run["script"] for report in reports for run in report["runs"] if run["outcome"] != PASSED}
    return sorted(reds - entries().keys())


def main(paths: Sequence[str]) -> int:
    reports = [json.loads(Path(path).read_text(encoding="utf-8")) for path in paths]
    runs = [run for report in reports for run in report["runs"]]
    systems = {(run["system"]["name"], run["system"]["version"]) for run in runs}
    if len(systems) != 1:
        sys.stderr.write("tests.story_table: give reports of runs of one system and one version\n")
        return 2
    (name, version), = systems  # fmt: skip
    PAGE.write_text(
        with_part(PAGE, "stories", "\n".join(told(reports, left_out(f"{name}:{version}")))), encoding="utf-8"
    )
    for story in unexplained(reports):
        sys.stderr.write(f"{story} was red, and docs/found.md does not name it\n")
    return 1 if unexplained(reports) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
