"""From a run that is over to its verdict: the same for the command, the pytest plugin and the bench."""

from __future__ import annotations

import shlex

from shaketable.harness.runs.run import Finished, Options
from shaketable.harness.scripting.scripts import Script
from shaketable.harness.scripting.targets import target_of
from shaketable.harness.verdicts.verdict import RunVerdict, ScriptSubject, judge
from shaketable.node.config import without_secrets


def judged(finished: Finished, *, story: bool = True) -> RunVerdict:
    """The verdict of a run that is over; without its story where nobody will read that."""
    subject = subject_of(finished.script, finished.options)
    return judge(finished.records, subject, finished.settings, finished.allowance, story=story)


def subject_of(script: Script, options: Options) -> ScriptSubject:
    """What is to know about a script, and how it is called to run it again with these options."""
    target = [shlex.quote(target_of(script))]
    target += ["--twins"] if script.twin_of else []
    target += [f"--plan {shlex.quote(options.plan)}"] if options.plan else []
    target += [f"--set {shlex.quote(f'{name}={value}')}" for name, value in without_secrets(options.values).items()]
    target += [f"--limit {options.limit:g}"] if options.limit is not None else []
    target += [f"--toxiproxy {shlex.quote(options.toxiproxy)}"] if options.toxiproxy else []
    return ScriptSubject(
        script.name,
        script.title,
        script.file,
        script.about,
        script.expects_violation,
        script.broken_too,
        target=" ".join(target),
    )
