"""A node as a process: the only part of a node that does I/O."""
