"""Each planted fault, and the check that catches it."""
