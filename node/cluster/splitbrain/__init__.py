"""Split-brain recovery: parts of a cluster look for each other, and one goes over to the other."""
