"""The search for a failure detector, spread over processes of this machine or over Spark."""
