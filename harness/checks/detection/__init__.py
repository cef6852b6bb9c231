"""Guarantees of suspicion: in time, and never without a cause."""
