"""The shell in which a world runs a member, and what shakes the node from inside: the protocol does not know of it."""
