"""Each fault that was planted on purpose, and the check that catches it."""
