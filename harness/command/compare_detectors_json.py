"""What was measured of one policy at one size, as one JSON object for another program. Times are in seconds."""

from __future__ import annotations

import json

from shaketable.harness.command.compare_detectors_figures import Figures, Measured
from shaketable.harness.command.compare_detectors_promises import heartbeats
from shaketable.harness.command.compare_detectors_results import PERIODS
from shaketable.node.env import SECOND


def in_json(figures: Figures) -> str:
    promised = heartbeats(figures.variant, figures.members, PERIODS)
    return json.dumps(
        {
            "policy": figures.variant.name,
            "members": figures.members,
            "seeds": figures.seeds,
            "as_promised": not figures.outside,
            "heartbeats_a_period": {
                "promised": [round(each / PERIODS, 3) for each in promised],
                "measured": [counted / PERIODS for counted in figures.heartbeats],
                "while_applications_talk": [counted / PERIODS for counted in figures.talking],
            },
            "messages_a_member_and_second": round(figures.messages, 3),
            "bytes_a_member_and_second": round(figures.bytes, 1),
            "wrongly_suspected": figures.wrongly_suspected,
            "wrongly_removed": figures.wrongly_removed,
            "changes_of_leadership": figures.masters,
            "changes_of_leadership_in_the_scale_down": figures.masters_in_scale_down,
            "crashes": {
                crash.kind: {name: _measured(measured) for name, measured in crash.measures}
                for crash in figures.crashes
            },
        }
    )


def _measured(measured: Measured) -> dict[str, object] | None:
    if not measured.times or measured.promised is None:
        return None
    return {
        "promised": [measured.promised.least / SECOND, measured.promised.most / SECOND],
        "median": measured.median / SECOND,
        "99th_percentile": measured.high / SECOND,
        "least": min(measured.times) / SECOND,
        "most": max(measured.times) / SECOND,
        "measured": len(measured.times),
        "outside": measured.outside,
    }
