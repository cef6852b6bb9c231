"""Partial member disconnection: who has to go."""
