"""The JSON Schema of the contract: what a node says, what the harness says, and the events within."""

from __future__ import annotations

from typing import Any

import msgspec

from shaketable.harness.systems.contract.told import USUAL
from shaketable.node.process import contract, control


def schema() -> dict[str, Any]:
    (node, harness, event), found = msgspec.json.schema_components(
        [contract.NodeSays, contract.HarnessSays, control.AnyEvent], ref_template="#/$defs/{name}"
    )
    found["Reported"]["properties"]["event"] = {"$ref": "#/$defs/Event"}
    for kind in USUAL:
        found[kind]["required"] = [name for name in found[kind]["required"] if name not in ("reason", "why")]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"The contract of a node and Shaketable, version {contract.VERSION}",
        "$defs": {**found, "Event": event, "NodeSays": node, "HarnessSays": harness},
        "anyOf": [{"$ref": "#/$defs/NodeSays"}, {"$ref": "#/$defs/HarnessSays"}],
    }
