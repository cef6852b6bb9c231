"""The verbs of a chaos script, by what they act on. `Cluster` is all of them together."""
