"""Guarantees of suspicion: failures are found in time, and nobody is suspected without a cause."""
