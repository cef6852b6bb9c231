"""The policies whose quality is measured, by their short names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shaketable.harness.detectors.variants import IN_SHORT, Variant
from shaketable.node.config import BY_ORDER


def policies(variants: Sequence[Variant]) -> Mapping[str, Variant]:
    """The election plays no part in who is suspected: one is enough."""
    found: dict[str, Variant] = {}
    for each in variants:
        if not each.is_group:
            found[each.settings.failure_detector] = each
        elif each.settings.gms_election == BY_ORDER:
            found[IN_SHORT[each.settings.gms_detection]] = each
    return found
