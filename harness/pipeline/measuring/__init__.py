"""What is measured of the runs of a store, in SQL."""
