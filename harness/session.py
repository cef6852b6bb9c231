"""`shaketable run`: runs scripts one after the other, tells what happened, and writes the reports."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

from shaketable import harness
from shaketable.harness.errors import UserError
from shaketable.harness.run import Finished, Options, run_real, run_simulated
from shaketable.harness.scripts import Script
from shaketable.harness.targets import scripts_named, target_of
from shaketable.harness.verdict import RunVerdict, ScriptSubject, judge, session_of


def judged(finished: Finished, again: str = "") -> RunVerdict:
    """`again` is what the command that repeats the run needs beside the usual."""
    script = finished.script
    subject = ScriptSubject(
        script.name,
        script.title,
        script.file,
        script.about,
        script.expects_violation,
        target=f"{shlex.quote(target_of(script))}{again}",
    )
    return judge(finished.records, subject, finished.settings, finished.allowance)
