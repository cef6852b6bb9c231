"""Chaos scripts, one story a file. Each runs unchanged on real processes and in virtual time."""
