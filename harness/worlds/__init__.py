"""The two worlds that a script runs in: real processes, and virtual time. They do the same by the same names."""
