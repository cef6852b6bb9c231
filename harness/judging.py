"""From a run that is over to its verdict: the same for the command, the pytest plugin and the bench."""

from __future__ import annotations

import shlex

from shaketable.harness.command.targets import target_of
from shaketable.harness.run import Finished
from shaketable.harness.verdict import RunVerdict, ScriptSubject, judge
from shaketable.node.config import without_secrets


def judged(finished: Finished, *, story: bool = True) -> RunVerdict:
    """The verdict of a run that is over; without its story where nobody will read that."""
    script, options = finished.script, finished.options
    target = [shlex.quote(target_of(script))]
    target += ["--twins"] if script.twin_of else []
    target += [f"--set {shlex.quote(f'{name}={value}')}" for name, value in without_secrets(options.values).items()]
    target += [f"--limit {options.limit:g}"] if options.limit is not None else []
    target += [f"--toxiproxy {shlex.quote(options.toxiproxy)}"] if options.toxiproxy else []
    subject = ScriptSubject(
        script.name,
        script.title,
        script.file,
        script.about,
        script.expects_violation,
        script.broken_too,
        target=" ".join(target),
    )
    return judge(finished.records, subject, finished.settings, finished.allowance, story=story)
