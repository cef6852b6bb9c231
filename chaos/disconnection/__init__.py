"""Partial member disconnection: who has to go when some cannot talk to each other."""
