"""The shell in which a world runs a member, and the faults inside a node."""
