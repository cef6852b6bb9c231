"""Guarantees of partial member disconnection."""
