"""The verbs of a chaos script. `Cluster` is all of them together."""
