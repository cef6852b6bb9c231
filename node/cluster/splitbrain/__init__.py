"""Split-brain recovery: parts of a cluster find each other and become one."""
