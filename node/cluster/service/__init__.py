"""Joining, heartbeats, suspicion and mastership."""
