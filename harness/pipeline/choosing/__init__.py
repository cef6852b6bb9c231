"""A search for a failure detector, and runs under a condition, spread over processes of this machine or over Spark."""
