"""All kinds of faults, and how bad a link or a node is at any moment."""
