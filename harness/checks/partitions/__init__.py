"""Guarantees of the partition table and of migrations."""
