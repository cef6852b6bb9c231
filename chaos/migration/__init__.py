"""Stories of partitions, migrations and data."""
