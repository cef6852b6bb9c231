"""Guarantees of parts of a cluster that find each other again."""
