"""What is measured of the runs of a store, in SQL, and how it is told."""
