"""Guarantees of partial member disconnection: who stays is the best answer."""
