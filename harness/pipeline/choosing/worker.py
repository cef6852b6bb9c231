"""A process that plays runs of a search for a failure detector. `running.py` starts it."""

from __future__ import annotations

from shaketable.harness.detectors.choosing.playing import played
from shaketable.harness.pipeline.workers import serve

if __name__ == "__main__":
    serve(played)
