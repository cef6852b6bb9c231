"""A process that plays runs under a condition. `running.py` starts it."""

from __future__ import annotations

from shaketable.harness.detectors.quality.playing import played
from shaketable.harness.pipeline.workers import serve

if __name__ == "__main__":
    serve(played)
