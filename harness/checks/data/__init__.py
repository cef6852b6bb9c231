"""Guarantees of what clients have written."""
