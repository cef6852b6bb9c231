"""Partitions: the table, migrations, data and their backups."""
