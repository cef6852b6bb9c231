"""The plan that a script draws with a seed, without playing it."""

from __future__ import annotations

from shaketable.harness.nemesis.failing import plan_in
from shaketable.harness.nemesis.plan import Plan
from shaketable.harness.runs.run import Options, begun
from shaketable.harness.scripting.scripts import Script


def drawn_by(script: Script, options: Options) -> Plan | None:
    """None: it plays no plan, or waits for something before."""
    return plan_in(begun(script, options))
