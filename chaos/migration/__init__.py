"""Partitions, migrations and data."""
