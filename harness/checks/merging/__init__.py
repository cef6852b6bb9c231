"""Guarantees of parts that become one again."""
