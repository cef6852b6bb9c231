"""The page of the mutants: how many are noticed, by which check, and where the survivors are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from statistics import median
from typing import Final

import msgspec
from tests.mutants.judge import How, Judged
from tests.mutants.mutants import Mutant
from tests.where import DATA

from shaketable.harness.checks.result import counted

NOTICED_AIM, BY_CHECKS_AIM = 95, 80
EQUIVALENT: Final = DATA / "mutants" / "equivalent.txt"
HARMLESS: Final = DATA / "mutants" / "harmless.txt"
NOTICED: Final = (How.CHECK, How.EXPECTATION, How.OTHERWISE)
COUNTED: Final = (*NOTICED, How.UNNOTICED, How.SAME)
"""those that the figures are about: reached, and not equivalent"""
SEEN: Final = (*NOTICED, How.UNNOTICED)
"""those that changed some history: a check can have seen them"""


class Explained:
    """Mutants that nobody can notice, each with its reason: `file function: before => after # reason`."""

    def __init__(self, text: str) -> None:
        self.known_changes: dict[str, str] = {}
        for line in text.splitlines():
            if line and not line.startswith("#"):
                what, mark, why = line.partition(" # ")
                assert mark, f"this line gives no reason: {line}"
                self.known_changes[what] = why

    @classmethod
    def kept(cls, file: Path) -> Explained:
        return cls(file.read_text(encoding="utf-8"))

    def why(self, mutant: Mutant) -> str:
        return self.known_changes.get(mutant.named, "")


def explained(judged: Judged, equivalent: Explained, harmless: Explained) -> Judged:
    """With its reason, if it has one. An equivalent one that was noticed does not count as that: it is none."""
    if (why := equivalent.why(judged.mutant)) and judged.how not in NOTICED:
        return Judged(judged.mutant, How.EQUIVALENT, "", judged.runs, 0, "", 0, why)
    return msgspec.structs.replace(judged, why=why or harmless.why(judged.mutant))


def is_wrong(judged: Judged) -> bool:
    """Its reason says that nobody can notice it, and it was noticed."""
    return bool(judged.why) and judged.how in NOTICED


def share(found: Iterable[Judged], *how: How, of: Sequence[How] = COUNTED) -> float:
    """Of those that count, in hundredths."""
    those = [each for each in found if each.how in of]
    return 100 * sum(each.how in how for each in those) / len(those) if those else 0


def figures(found: Sequence[Judged]) -> list[str]:
    firsts = [each.first for each in found if each.first]
    lines = [f"{len(found)} mutants"]
    lines += [f"  {sum(each.how is how for each in found):5} {how}" for how in How]
    lines.append(f"noticed: {share(found, *NOTICED):.1f} % (the aim within 2,000 runs: {NOTICED_AIM} %)")
    lines.append(f"by checks alone: {share(found, How.CHECK):.1f} % (the aim: {BY_CHECKS_AIM} %)")
    seen, by_checks = share(found, *NOTICED, of=SEEN), share(found, How.CHECK, of=SEEN)
    lines.append(f"of those that change a history: {seen:.1f} % noticed, {by_checks:.1f} % by checks alone")
    bad = [each for each in found if not each.why or is_wrong(each)]
    breaks, by_checks = share(bad, *NOTICED), share(bad, How.CHECK)
    lines.append(f"of those not known to do no harm: {breaks:.1f} % noticed, {by_checks:.1f} % by checks alone")
    silent = [each for each in found if each.how in (How.UNNOTICED, How.SAME)]
    lines.append(f"{sum(bool(each.why) for each in silent)} of {len(silent)} that nobody noticed do no harm")
    lines.append(f"runs until one was noticed: {median(firsts):g} at the median" if firsts else "none was noticed")
    lines += [f"noticed, though it has a reason why nobody can: {each.mutant}" for each in found if is_wrong(each)]
    return lines


def measured(day: date, seconds: float, cores: int, *, played: int, of: int) -> str:
    """An interrupted one goes on where it was: the time is that of its last part."""
    earlier = f", of which {of - played} were played before" if played < of else ""
    took = f"{f'{seconds / 60:.0f} min' if seconds > 90 else f'{seconds:.0f} s'} on {counted(cores, 'core')}"
    return f"{day.day} {day:%B %Y}, {took}: {counted(of, 'mutant')}{earlier}"


def page(found: Sequence[Judged], again: str, measured: str) -> str:
    by_service: dict[str, list[Judged]] = defaultdict(list)
    for each in found:
        by_service[each.mutant.service].append(each)
    survivors = {name: sum(each.how is How.UNNOTICED for each in of) for name, of in by_service.items()}
    ranked = sorted(by_service, key=lambda name: (-survivors[name], name))
    lines = ["# Does the harness notice when a member is wrong?", "", f"    {again}", "", measured, ""]
    lines += [f"    {line}" for line in figures(found)]
    heads = ["service", *How, "noticed", "by checks"]
    lines += ["", "## By service", "", f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for name in ranked:
        of = by_service[name]
        counts = " | ".join(str(sum(each.how is how for each in of)) for how in How)
        noticed = share(of, *NOTICED)
        lines.append(f"| {name} | {counts} | {noticed:.0f} % | {share(of, How.CHECK):.0f} % |")
    lines += ["", "## Who noticed first", ""]
    lines += [f"- {by}: {count}" for by, count in Counter(e.by for e in found if e.how is How.CHECK).most_common()]
    for how in (How.UNNOTICED, How.SAME, How.EXPECTATION, How.OTHERWISE, How.NOT_REACHED):
        lines += ["", f"## {how.capitalize()}", ""]
        lines += [
            f"- {each.mutant}"
            + (f" ({each.by}, seed {each.seed})" if each.by else "")
            + (f": {each.why}" if each.why else "")
            for name in ranked
            for each in by_service[name]
            if each.how is how
        ]
    return "\n".join(lines) + "\n"


def write_page(folder: Path, found: Sequence[Judged], again: str, measured: str) -> Path:
    file = folder / "mutants.md"
    file.write_text(page(found, again, measured), encoding="utf-8")
    return file
